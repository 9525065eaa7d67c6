//! Ctrl-C: the first ends the work and keeps what is done, the second ends the
//! process.

use std::process;

use heddle::batch::CancelToken;

/// What a shell says of a command that was interrupted.
pub(super) const INTERRUPTED: u8 = 130;

/// A token that Ctrl-C cancels.
pub(super) fn token() -> CancelToken {
    let token = CancelToken::new();
    let own = token.clone();
    let handler = move || {
        if own.is_stopped() {
            process::exit(INTERRUPTED.into());
        }
        own.cancel();
    };
    // Where no handler can be set, Ctrl-C ends the process as it always does.
    let _ = ctrlc::set_handler(handler);
    token
}
