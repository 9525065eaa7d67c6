//! Caps by name, as people set them.

use super::launch::Caps;

impl Caps {
    /// Every cap with its name. What is added to a warp is added here too: it does
    /// not compile before.
    pub fn named(&mut self) -> impl Iterator<Item = (&'static str, &mut u32)> {
        let Caps {
            cells,
            rows,
            values,
            stack,
            frame,
            spare,
            steps,
        } = self;
        [
            ("cells", cells),
            ("rows", rows),
            ("values", values),
            ("stack", stack),
            ("frame", frame),
            ("spare", spare),
            ("steps", steps),
        ]
        .into_iter()
    }
}
