//! Operations that ran slower than measured on another device.

use std::collections::BTreeMap;

use super::{Advice, Suggestion, time};
use crate::name::Name;
use crate::recording::{Recording, RoutingRow};

/// The least factor by which another device must be faster.
const WORTH: f64 = 1.2;

/// The key within which times are compared across devices: operation, element and
/// size class.
type SizeClassKey<'a> = (&'a Name, &'a Name, u8);

/// The saving of a move, added up over an operation's size classes.
#[derive(Default)]
struct Gain {
    count: u64,
    here_ns: f64,
    there_ns: f64,
    classes: [u8; 2],
}

pub(super) fn suggest(recording: &Recording) -> Vec<Suggestion> {
    let mut classes: BTreeMap<SizeClassKey<'_>, Vec<&RoutingRow>> = BTreeMap::new();
    for row in &recording.routing {
        classes
            .entry((&row.operation, &row.element, row.size_class))
            .or_default()
            .push(row);
    }
    let mut gains: BTreeMap<(&Name, &Name, &Name), Gain> = BTreeMap::new();
    for ((operation, _, class), rows) in classes {
        for &row in &rows {
            let Some((here_ns, there, there_ns)) = better(row, &rows) else {
                continue;
            };
            // Runs sent to a device only to be measured were not a choice.
            let chosen = row.count.saturating_sub(row.explored);
            let gain = gains
                .entry((operation, &row.device, there))
                .or_insert(Gain {
                    classes: [class, class],
                    ..Gain::default()
                });
            gain.count += chosen;
            gain.here_ns += here_ns * chosen as f64;
            gain.there_ns += there_ns * chosen as f64;
            gain.classes = [gain.classes[0].min(class), gain.classes[1].max(class)];
        }
    }
    gains
        .into_iter()
        .filter(|(_, gain)| gain.count > 0)
        .map(|((operation, here, there), gain)| Suggestion {
            found: format!(
                "{} runs of {operation} (work 2^{} to 2^{}) took {} on {here}; {there} was measured \
                 at {} for the same work",
                gain.count,
                gain.classes[0],
                u32::from(gain.classes[1]) + 1,
                time(gain.here_ns),
                time(gain.there_ns),
            ),
            action: format!(
                "set `route.kinds = {{ {operation} = \"{there}\" }}` in heddle.toml, or remove the \
                 rule that sends it to {here}"
            ),
            predicted_saving_ns: Some((gain.here_ns - gain.there_ns) as u64),
            ..Suggestion::new(Advice::Move, operation, there)
        })
        .collect()
}

/// The time on this device, and the device with a much lower measured mean.
fn better<'a>(row: &RoutingRow, rows: &[&'a RoutingRow]) -> Option<(f64, &'a Name, f64)> {
    let here_ns = row.measured_ns?;
    let (there, there_ns) = rows
        .iter()
        .filter(|other| other.device != row.device)
        .filter_map(|other| Some((&other.device, other.measured_ns?)))
        .min_by(|a, b| a.1.total_cmp(&b.1))?;
    (there_ns * WORTH < here_ns).then_some((here_ns, there, there_ns))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(device: &str, measured_ns: f64, count: u64, explored: u64) -> RoutingRow {
        RoutingRow {
            operation: "sum".into(),
            element: "f32".into(),
            device: device.into(),
            size_class: 20,
            count,
            explored,
            measured_ns: Some(measured_ns),
            ..RoutingRow::default()
        }
    }

    #[test]
    fn a_faster_device_that_was_measured_is_named_with_the_saving() {
        let recording = Recording {
            routing: vec![row("cpu", 900.0, 101, 1), row("cuda:0", 100.0, 4, 4)],
            ..Recording::default()
        };
        let list = suggest(&recording);
        assert_eq!(list.len(), 1);
        assert_eq!(list[0].device, "cuda:0");
        assert_eq!(list[0].predicted_saving_ns, Some(80_000));
        assert!(list[0].action.contains("sum = \"cuda:0\""), "{list:?}");
    }

    #[test]
    fn a_little_faster_or_never_measured_is_not_enough() {
        let close = vec![row("cpu", 110.0, 100, 0), row("cuda:0", 100.0, 4, 4)];
        let mut never = vec![row("cpu", 900.0, 100, 0), row("cuda:0", 1.0, 4, 4)];
        never[1].measured_ns = None;
        for routing in [close, never] {
            let recording = Recording {
                routing,
                ..Recording::default()
            };
            assert_eq!(suggest(&recording), []);
        }
    }
}
