//! Ctrl-C: the first cancels the work and keeps the finished part, the second ends the
//! process.

use std::process;

use heddle::batch::CancelToken;

/// The exit code of a command that was interrupted, as shells define it.
pub(super) const INTERRUPTED: u8 = 130;

/// Returns a token that Ctrl-C cancels.
pub(super) fn token() -> CancelToken {
    let token = CancelToken::new();
    let own = token.clone();
    let handler = move || {
        if own.is_stopped() {
            process::exit(INTERRUPTED.into());
        }
        own.cancel();
    };
    // If no handler can be set, Ctrl-C ends the process at once.
    let _ = ctrlc::set_handler(handler);
    token
}
