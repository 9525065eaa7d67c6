//! The synchronisation that recording is made of: the standard library's, or loom's where
//! `models` check it.

#[cfg(not(all(test, heddle_models)))]
pub(crate) use std::{
    hint::spin_loop,
    sync::{Arc, Mutex, MutexGuard, atomic::AtomicU64},
};

#[cfg(all(test, heddle_models))]
pub(crate) use loom::{
    hint::spin_loop,
    sync::{Arc, Mutex, MutexGuard, atomic::AtomicU64},
};
