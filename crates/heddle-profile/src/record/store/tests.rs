//! Tests of what the store keeps, overwrites and reuses.

use super::*;

/// Fills a slot's chunk with records of one word and exchanges it.
fn fill(store: &Store, slot: &mut ClaimedSlot, first: u64) {
    let mut mark = slot.chunk.mark();
    let mut word = first;
    while let Some(next) = slot.chunk.append(mark, &[word]) {
        (mark, word) = (next, word + 1);
    }
    slot.chunk = store.exchange(&slot.slot);
}

fn words(store: &Store) -> Vec<u64> {
    let recorded_chunks = store.recorded_chunks();
    recorded_chunks
        .parts
        .iter()
        .flat_map(ChunkPart::words)
        .collect()
}

#[test]
fn open_chunks_hold_at_most_a_quarter_of_the_capacity() {
    for capacity in [10_000, 65_536, 1 << 20, usize::MAX] {
        let scopes = chunk_words(capacity) / SIZED_SCOPE_WORDS;
        assert!(EXPECTED_THREADS * scopes <= capacity / 4, "{capacity}");
    }
    // The longest record always fits.
    assert!(chunk_words(0) >= SPAN_WORDS);
}

#[test]
fn the_oldest_chunk_is_reused() {
    let store = Store::new(SPAN_WORDS);
    let mut slot = store.attach();
    let first = Arc::as_ptr(&slot.chunk);
    fill(&store, &mut slot, 0);
    assert_eq!(words(&store), (0..17).collect::<Vec<_>>());
    fill(&store, &mut slot, 100);
    assert_eq!(words(&store), (100..117).collect::<Vec<_>>());
    assert_eq!(Arc::as_ptr(&slot.chunk), first);
    assert_eq!(store.recorded(), 34);
    assert_eq!(store.recorded_chunks().evicted, 17);
}

#[test]
fn preallocated_chunks_are_used() {
    let store = Store::new(10 * SPAN_WORDS);
    store.preallocate();
    let made: Vec<*const Chunk> = store.lock().spare.iter().map(Arc::as_ptr).collect();
    assert_eq!(made.len(), 10 * SPAN_WORDS);
    let mut slot = store.attach();
    // Until the oldest chunk, which is the slot's own, comes back.
    for round in 0..10 {
        fill(&store, &mut slot, round * 100);
        assert!(made.contains(&Arc::as_ptr(&slot.chunk)), "round {round}");
    }
    store.preallocate();
    assert!(store.lock().spare.len() <= made.len());
}

#[test]
fn what_a_reader_holds_is_not_written_over() {
    let store = Store::new(SPAN_WORDS);
    let mut slot = store.attach();
    fill(&store, &mut slot, 0);
    let before = store.recorded_chunks();
    for round in 1..5 {
        fill(&store, &mut slot, round * 100);
    }
    let seen: Vec<u64> = before.parts.iter().flat_map(ChunkPart::words).collect();
    assert_eq!(seen, (0..17).collect::<Vec<_>>());
}

#[test]
fn a_released_slot_is_continued_where_it_was() {
    let store = Store::new(1_000);
    let slot = store.attach();
    let mark = slot.chunk.append(Mark::default(), &[7]).unwrap();
    store.release_slot(slot.number);
    let again = store.attach();
    assert_eq!((again.number, again.chunk.mark()), (slot.number, mark));
}

#[test]
fn clearing_forgets_what_open_chunks_hold_too() {
    let store = Store::new(1_000);
    let mut slot = store.attach();
    fill(&store, &mut slot, 0);
    let mark = slot.chunk.append(Mark::default(), &[7]).unwrap();
    store.clear();
    assert_eq!((store.recorded(), words(&store)), (0, vec![]));
    slot.chunk.append(mark, &[8]).unwrap();
    assert_eq!((store.recorded(), words(&store)), (1, vec![8]));
}

#[test]
fn a_thread_that_finds_the_table_locked_goes_on() {
    let store = Store::new(SPAN_WORDS * 4);
    let mut slot = store.attach();
    let locked = store.lock();
    let rounds = MAX_WAITING_CHUNKS as u64 + 3;
    for round in 0..rounds {
        fill(&store, &mut slot, round * 100);
    }
    drop(locked);
    let recorded = rounds * chunk_words(SPAN_WORDS * 4) as u64;
    assert_eq!(store.recorded(), recorded);
    let recorded_chunks = store.recorded_chunks();
    assert!(recorded_chunks.evicted > 0);
    assert_eq!(
        recorded_chunks.evicted + recorded_chunks.held() as u64,
        recorded
    );
    // More than the capacity requires, and counted.
    let kept = recorded_chunks.held() - recorded_chunks.excess(store.capacity_spans);
    assert_eq!(store.overwritten() + kept as u64, recorded);
    // The newest are there, and the next exchange moves them to the table.
    assert_eq!(words(&store).last().unwrap() / 100, rounds - 1);
    fill(&store, &mut slot, rounds * 100);
    assert_eq!(slot.slot.lock().parts.len(), 1);
    assert_eq!(words(&store).last().unwrap() / 100, rounds);
}

/// Every chunk that the store has memory for.
fn chunks(store: &Store) -> usize {
    let chunk_table = store.lock();
    let in_slots: usize = chunk_table
        .slots
        .iter()
        .map(|slot| {
            let held = slot.lock();
            held.parts.len() + held.reserve.len()
        })
        .sum();
    chunk_table.full.len() + chunk_table.spare.len() + in_slots
}

#[test]
fn memory_does_not_grow_with_lock_contention() {
    let store = Store::new(SPAN_WORDS * 4);
    store.preallocate();
    let made = chunks(&store);
    let mut slots = [store.attach(), store.attach()];
    for round in 0..100 {
        let locked = store.lock();
        for slot in &mut slots {
            for _ in 0..=round % (MAX_WAITING_CHUNKS + 3) {
                fill(&store, slot, 0);
            }
        }
        drop(locked);
        for slot in &mut slots {
            fill(&store, slot, 0);
        }
    }
    let most = made + slots.len() * MAX_WAITING_CHUNKS;
    assert!(chunks(&store) <= most, "{} of {most}", chunks(&store));
    store.clear();
    // What a thread writes to stays, and nothing else.
    assert_eq!(chunks(&store), slots.len());
}
