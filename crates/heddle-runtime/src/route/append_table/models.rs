//! The table under every interleaving of its threads. Run by
//! `RUSTFLAGS="--cfg heddle_models" cargo test -p heddle-runtime --lib models`.
//!
//! Each model was seen to fail on these changes:
//!
//! | change | model that fails |
//! |---|---|
//! | `entry` makes a value before it asks for the entry | `an_entry_is_made_once` |
//! | the modelled `OnceLock` sets `is_set` relaxed | all |

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use loom::{model, thread};

use super::*;

#[test]
fn an_entry_is_made_once() {
    model(|| {
        let table = Arc::new(AppendTable::<usize>::new());
        // Counts for the model, not of it: an ordinary atomic.
        let made = Arc::new(AtomicUsize::new(0));
        let ask = |table: Arc<AppendTable<usize>>, made: Arc<AtomicUsize>| {
            move || {
                let entry = table.entry(3, || {
                    made.fetch_add(1, Ordering::Relaxed);
                    7
                });
                assert_eq!(*entry, 7);
                std::ptr::from_ref(entry) as usize
            }
        };
        let other = thread::spawn(ask(Arc::clone(&table), Arc::clone(&made)));
        let here = ask(Arc::clone(&table), Arc::clone(&made))();
        assert_eq!(here, other.join().unwrap());
        assert_eq!(made.load(Ordering::Relaxed), 1);
    });
}

#[test]
fn an_entry_stays_while_the_table_grows() {
    model(|| {
        let table = Arc::new(AppendTable::<usize>::new());
        let first = std::ptr::from_ref(table.entry(0, || 10)) as usize;
        let writer = thread::spawn({
            let table = Arc::clone(&table);
            move || {
                table.entry(1, || 11);
                table.entry(2, || 12);
            }
        });
        // What is there is whole, and in order of index.
        let all: Vec<usize> = table.iter().copied().collect();
        assert!(matches!(*all, [10] | [10, 11] | [10, 12] | [10, 11, 12]));
        assert!(table.get(2).is_none_or(|entry| *entry == 12));
        writer.join().unwrap();
        assert_eq!(std::ptr::from_ref(table.entry(0, || 99)) as usize, first);
        assert_eq!(table.iter().count(), 3);
    });
}
