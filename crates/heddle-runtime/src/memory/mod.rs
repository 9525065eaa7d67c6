//! Admission: the bytes an operation needs are reserved before it may run.
//!
//! A plain byte ledger per device. Reservations cover running operations; the
//! ledger does not see arrays that merely exist.

mod ledger;

pub use ledger::{Holding, Ledger, LedgerReading, Reservation};
