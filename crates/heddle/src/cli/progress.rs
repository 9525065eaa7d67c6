//! Progress on standard error, on a terminal only.

use std::io::IsTerminal;

use heddle::route::{CalibrationStep, CalibrationSubject};
use indicatif::{ProgressBar, ProgressStyle};

/// Steps the bar's length is divided into.
const STEPS: u64 = 1000;

/// A bar that shows how far a calibration has come, or nothing at all when
/// nobody is looking. It disappears when dropped.
pub(super) struct CalibrationBar {
    bar: ProgressBar,
}

impl CalibrationBar {
    pub(super) fn new() -> Self {
        let bar = if std::io::stderr().is_terminal() {
            ProgressBar::new(STEPS)
        } else {
            ProgressBar::hidden()
        };
        // The template is a constant; were it wrong, the default bar would do.
        if let Ok(style) =
            ProgressStyle::with_template("measuring {msg:32} [{bar:30}] {percent:>3} %")
        {
            bar.set_style(style.progress_chars("=> "));
        }
        Self { bar }
    }

    pub(super) fn show(&self, step: &CalibrationStep) {
        self.bar
            .set_position((step.spent_share * STEPS as f64) as u64);
        let what = match step.subject {
            CalibrationSubject::Transfer { bytes } => format!("transfer {bytes}"),
            CalibrationSubject::Probe { kind, dtype, size } => format!("{kind} {dtype} {size}"),
        };
        self.bar.set_message(format!("{} {what}", step.device));
    }
}

impl Drop for CalibrationBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
