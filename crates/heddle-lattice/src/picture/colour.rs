//! Maps values to colours by the viridis scale, which is perceptually uniform, also
//! in grey and with most kinds of colour blindness.

/// Viridis at nine evenly spaced points, dark to light.
const STOPS: [[u8; 3]; 9] = [
    [0x44, 0x01, 0x54],
    [0x47, 0x2d, 0x7b],
    [0x3b, 0x52, 0x8b],
    [0x2c, 0x72, 0x8e],
    [0x21, 0x91, 0x8c],
    [0x28, 0xae, 0x80],
    [0x5e, 0xc9, 0x62],
    [0xad, 0xdc, 0x30],
    [0xfd, 0xe7, 0x25],
];

/// The colour at a position between 0 and 1.
pub(super) fn at(place: f64) -> [u8; 3] {
    let steps = (STOPS.len() - 1) as f64;
    let along = place.clamp(0.0, 1.0) * steps;
    let low = (along as usize).min(STOPS.len() - 2);
    let part = along - low as f64;
    std::array::from_fn(|channel| {
        let (from, to) = (STOPS[low][channel], STOPS[low + 1][channel]);
        (f64::from(from) + (f64::from(to) - f64::from(from)) * part).round() as u8
    })
}

/// A colour in CSS notation.
pub(super) fn css([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_and_beyond() {
        assert_eq!(css(at(0.0)), "#440154");
        assert_eq!(css(at(1.0)), "#fde725");
        assert_eq!(at(-1.0), at(0.0));
        assert_eq!(at(2.0), at(1.0));
        assert_eq!(css(at(0.5)), "#21918c");
        assert_eq!(at(f64::NAN), at(f64::NAN));
    }

    #[test]
    fn luminance_increases_monotonically() {
        let light = |place| {
            let [red, green, blue] = at(place).map(f64::from);
            0.2126 * red + 0.7152 * green + 0.0722 * blue
        };
        for step in 0..100 {
            let place = f64::from(step) / 100.0;
            assert!(light(place + 0.01) > light(place), "at {place}");
        }
    }
}
