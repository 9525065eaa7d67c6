//! Progress bars on standard error, shown only on a terminal.

use std::io::IsTerminal;

use heddle::conformance::Progress;
use heddle::device::DeviceId;
use heddle::route::{CalibrationStep, CalibrationSubject};
use indicatif::{ProgressBar, ProgressStyle};

/// Steps of a calibration's progress bar.
const STEPS: u64 = 1000;

/// Returns a bar of `steps` steps, hidden unless standard error is a terminal.
#[allow(
    clippy::disallowed_methods,
    reason = "asks whether standard error is a terminal; the bars hold no foreign text"
)]
fn bar(steps: u64, doing: &str) -> ProgressBar {
    let bar = if std::io::stderr().is_terminal() {
        ProgressBar::new(steps)
    } else {
        ProgressBar::hidden()
    };
    // The template is a constant; if it were invalid, the default style is used.
    if let Ok(style) =
        ProgressStyle::with_template(&format!("{doing} {{msg:32}} [{{bar:30}}] {{percent:>3}} %"))
    {
        bar.set_style(style.progress_chars("=> "));
    }
    bar
}

/// The progress of a calibration. The bar is cleared on drop.
pub(super) struct CalibrationBar {
    bar: ProgressBar,
}

impl CalibrationBar {
    pub(super) fn new() -> Self {
        Self {
            bar: bar(STEPS, "measuring"),
        }
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

/// The progress of a self-test. The bar is cleared on drop.
pub(super) struct SelftestBar {
    bar: ProgressBar,
    device: DeviceId,
}

impl SelftestBar {
    pub(super) fn new(device: DeviceId) -> Self {
        Self {
            bar: bar(0, "testing"),
            device,
        }
    }

    pub(super) fn show(&self, progress: &Progress<'_>) {
        if self.bar.is_hidden() {
            return;
        }
        self.bar.set_length(progress.total as u64);
        self.bar.set_position(progress.done as u64);
        let case = progress.case;
        self.bar.set_message(format!(
            "{} {} {}",
            self.device,
            case.operation(),
            case.dtype()
        ));
    }
}

impl Drop for SelftestBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The number and rate of finished evaluations. The bar is cleared on drop.
pub(super) struct EvaluationBar {
    bar: ProgressBar,
}

impl EvaluationBar {
    pub(super) fn new(evaluations: u64) -> Self {
        let bar = bar(evaluations, "evaluating");
        if let Ok(style) = ProgressStyle::with_template(
            "evaluating [{bar:30}] {percent:>3} % {human_pos} of {human_len}, {per_sec}, {eta} left",
        ) {
            bar.set_style(style.progress_chars("=> "));
        }
        Self { bar }
    }

    pub(super) fn add(&self, evaluations: u64) {
        self.bar.inc(evaluations);
    }
}

impl Drop for EvaluationBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The number of generated programs. The bar is cleared on drop.
pub(super) struct GenerationBar {
    bar: ProgressBar,
}

impl GenerationBar {
    pub(super) fn new(programs: u64) -> Self {
        let bar = bar(programs, "generating");
        if let Ok(style) = ProgressStyle::with_template(
            "generating [{bar:30}] {percent:>3} % {human_pos} of {human_len}, {eta} left",
        ) {
            bar.set_style(style.progress_chars("=> "));
        }
        Self { bar }
    }

    pub(super) fn add(&self, programs: u64) {
        self.bar.inc(programs);
    }
}

impl Drop for GenerationBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The rounds of an evolution and their rate. The bar is cleared on drop.
pub(super) struct RoundBar {
    bar: ProgressBar,
}

impl RoundBar {
    pub(super) fn new(rounds: u64) -> Self {
        let bar = bar(rounds, "evolving");
        if let Ok(style) = ProgressStyle::with_template(
            "evolving [{bar:30}] round {human_pos} of {human_len}, {msg}, {eta} left",
        ) {
            bar.set_style(style.progress_chars("=> "));
        }
        Self { bar }
    }

    pub(super) fn round(&self, message: String) {
        self.bar.inc(1);
        self.bar.set_message(message);
    }
}

impl Drop for RoundBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
