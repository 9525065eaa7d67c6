//! Checks the text of a trace against the published rules of the trace event format, as far as the
//! exporter uses it.
//!
//! Written from the format's description ("Trace Event Format", the Chromium project's document)
//! and not from the exporter's code: phases X, M, C, s and f, their required fields, microseconds,
//! nesting of complete events within a thread, binding of flow events.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

/// The content of a well-formed trace.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Complete events by category.
    pub slices: BTreeMap<String, usize>,
    /// The lengths of complete events by category, in nanoseconds.
    pub slice_ns: BTreeMap<String, u64>,
    /// Names of complete events by category.
    pub names: BTreeMap<String, BTreeSet<String>>,
    /// Flow events, each counted once with its beginning and end.
    pub arrows: usize,
    /// Counter events.
    pub counters: usize,
    /// Tracks that have a name.
    pub tracks: usize,
}

type Track = (u64, u64);

#[derive(Clone, Copy, Debug)]
struct Slice {
    start: u64,
    end: u64,
}

#[derive(Debug)]
struct Flow {
    track: Track,
    at: u64,
    name: String,
    category: String,
}

#[derive(Default)]
struct Reader {
    census: Census,
    slices: BTreeMap<Track, Vec<Slice>>,
    begins: BTreeMap<u64, Flow>,
    ends: BTreeMap<u64, Flow>,
    processes: BTreeSet<u64>,
    threads: BTreeSet<Track>,
}

/// Counts the content of a trace, or returns the rule it breaks.
pub fn check(text: &str) -> Result<Census, String> {
    // A standard-conforming parser refuses unescaped control characters, bad escapes and malformed
    // numbers.
    let trace: Value = serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?;
    let events = trace
        .get("traceEvents")
        .and_then(Value::as_array)
        .ok_or("there is no array traceEvents")?;
    if let Some(unit) = trace.get("displayTimeUnit")
        && unit != "ms"
        && unit != "ns"
    {
        return Err(format!("displayTimeUnit is {unit}, not ms or ns"));
    }
    let mut reader = Reader::default();
    for event in events {
        let fields = event.as_object().ok_or("an event is not an object")?;
        reader
            .event(fields)
            .map_err(|rule| format!("{rule}: {event}"))?;
    }
    reader.finish()
}

impl Reader {
    fn event(&mut self, event: &Map<String, Value>) -> Result<(), String> {
        text(event, "name")?;
        let track = (whole(event, "pid")?, whole(event, "tid")?);
        match text(event, "ph")?.as_str() {
            "X" => self.complete(event, track),
            "M" => self.metadata(event, track),
            "C" => self.counter(event),
            "s" => self.flow(event, track, true),
            "f" => self.flow(event, track, false),
            other => Err(format!("phase {other:?} is not one this crate writes")),
        }
    }

    fn complete(&mut self, event: &Map<String, Value>, track: Track) -> Result<(), String> {
        let start = nanoseconds(event, "ts")?;
        let length = nanoseconds(event, "dur")?;
        if event.get("args").is_some_and(|args| !args.is_object()) {
            return Err("args is not an object".to_owned());
        }
        let category = text(event, "cat")?;
        *self.census.slices.entry(category.clone()).or_default() += 1;
        *self.census.slice_ns.entry(category.clone()).or_default() += length;
        let names = self.census.names.entry(category).or_default();
        names.insert(text(event, "name")?);
        self.slices.entry(track).or_default().push(Slice {
            start,
            end: start + length,
        });
        Ok(())
    }

    fn metadata(&mut self, event: &Map<String, Value>, track: Track) -> Result<(), String> {
        let arguments = event
            .get("args")
            .and_then(Value::as_object)
            .ok_or("metadata without args")?;
        match text(event, "name")?.as_str() {
            "process_name" => {
                text(arguments, "name")?;
                if !self.processes.insert(track.0) {
                    return Err("a process is named twice".to_owned());
                }
            }
            "thread_name" => {
                text(arguments, "name")?;
                if !self.threads.insert(track) {
                    return Err("a track is named twice".to_owned());
                }
            }
            "process_sort_index" | "thread_sort_index" => {
                whole(arguments, "sort_index")?;
            }
            other => return Err(format!("there is no metadata {other:?}")),
        }
        Ok(())
    }

    fn counter(&mut self, event: &Map<String, Value>) -> Result<(), String> {
        nanoseconds(event, "ts")?;
        let series = event
            .get("args")
            .and_then(Value::as_object)
            .filter(|series| !series.is_empty())
            .ok_or("a counter without series")?;
        if series.values().any(|value| !value.is_number()) {
            return Err("a counter's series is not a number".to_owned());
        }
        self.census.counters += 1;
        Ok(())
    }

    fn flow(
        &mut self,
        event: &Map<String, Value>,
        track: Track,
        begins: bool,
    ) -> Result<(), String> {
        let id = whole(event, "id")?;
        let flow = Flow {
            track,
            at: nanoseconds(event, "ts")?,
            name: text(event, "name")?,
            category: text(event, "cat")?,
        };
        // Without `bp` an end binds to the next slice, not to the enclosing one.
        if !begins && event.get("bp").is_none_or(|point| point != "e") {
            return Err("a flow ends without bp \"e\"".to_owned());
        }
        let side = if begins {
            &mut self.begins
        } else {
            &mut self.ends
        };
        match side.insert(id, flow) {
            None => Ok(()),
            Some(_) => Err(format!("flow {id} begins or ends twice")),
        }
    }

    fn finish(mut self) -> Result<Census, String> {
        for (track, slices) in &mut self.slices {
            nested(slices).map_err(|rule| format!("{rule} on track {track:?}"))?;
            if !self.threads.contains(track) {
                return Err(format!("track {track:?} has no name"));
            }
            if !self.processes.contains(&track.0) {
                return Err(format!("process {} has no name", track.0));
            }
        }
        if !self.begins.keys().eq(self.ends.keys()) {
            return Err("a flow has no beginning or no end".to_owned());
        }
        for (begin, end) in self.begins.values().zip(self.ends.values()) {
            if (&begin.name, &begin.category) != (&end.name, &end.category) {
                return Err(format!("{begin:?} and {end:?} are not of one kind"));
            }
            if end.at < begin.at {
                return Err(format!("{end:?} comes before {begin:?}"));
            }
            for flow in [begin, end] {
                let around = |slice: &Slice| (slice.start..=slice.end).contains(&flow.at);
                if !self
                    .slices
                    .get(&flow.track)
                    .is_some_and(|slices| slices.iter().any(around))
                {
                    return Err(format!("{flow:?} is in no slice"));
                }
            }
        }
        self.census.arrows = self.begins.len();
        self.census.tracks = self.threads.len();
        Ok(self.census)
    }
}

/// Checks that complete events of a thread are nested or disjoint.
fn nested(slices: &mut [Slice]) -> Result<(), String> {
    slices.sort_by_key(|slice| (slice.start, std::cmp::Reverse(slice.end)));
    let mut open: Vec<Slice> = Vec::new();
    for &slice in slices.iter() {
        while open.last().is_some_and(|around| around.end <= slice.start) {
            open.pop();
        }
        if let Some(around) = open.last()
            && slice.end > around.end
        {
            return Err(format!("{slice:?} ends after {around:?}, which it is in"));
        }
        open.push(slice);
    }
    Ok(())
}

fn text(fields: &Map<String, Value>, name: &str) -> Result<String, String> {
    fields
        .get(name)
        .and_then(Value::as_str)
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
        .ok_or_else(|| format!("{name} is not a text"))
}

fn whole(fields: &Map<String, Value>, name: &str) -> Result<u64, String> {
    fields
        .get(name)
        .and_then(Value::as_u64)
        .ok_or_else(|| format!("{name} is not a whole number"))
}

/// Returns microseconds of the file as nanoseconds.
fn nanoseconds(fields: &Map<String, Value>, name: &str) -> Result<u64, String> {
    fields
        .get(name)
        .and_then(Value::as_f64)
        .filter(|micros| micros.is_finite() && *micros >= 0.0)
        .map(|micros| (micros * 1e3).round() as u64)
        .ok_or_else(|| format!("{name} is not a time"))
}
