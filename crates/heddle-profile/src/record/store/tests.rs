//! What the store keeps, gives up and reuses.

use super::*;

/// Fills a place's chunk with records of one word and exchanges it.
fn fill(store: &Store, place: &mut Taken, first: u64) {
    let mut mark = place.chunk.mark();
    let mut word = first;
    while let Some(next) = place.chunk.append(mark, &[word]) {
        (mark, word) = (next, word + 1);
    }
    place.chunk = store.exchange(&place.place);
}

fn words(store: &Store) -> Vec<u64> {
    let holdings = store.holdings();
    holdings.pieces.iter().flat_map(Written::words).collect()
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
fn the_oldest_chunk_makes_room_and_lends_its_memory() {
    let store = Store::new(SPAN_WORDS);
    let mut place = store.sit();
    let first = Arc::as_ptr(&place.chunk);
    fill(&store, &mut place, 0);
    assert_eq!(words(&store), (0..17).collect::<Vec<_>>());
    fill(&store, &mut place, 100);
    assert_eq!(words(&store), (100..117).collect::<Vec<_>>());
    assert_eq!(Arc::as_ptr(&place.chunk), first);
    assert_eq!(store.recorded(), 34);
    assert_eq!(store.holdings().evicted, 17);
}

#[test]
fn room_that_was_made_is_used() {
    let store = Store::new(10 * SPAN_WORDS);
    store.make_room();
    let made: Vec<*const Chunk> = store.lock().spare.iter().map(Arc::as_ptr).collect();
    assert_eq!(made.len(), 10 * SPAN_WORDS);
    let mut place = store.sit();
    // Until the oldest chunk, which is the place's own, comes back.
    for round in 0..10 {
        fill(&store, &mut place, round * 100);
        assert!(made.contains(&Arc::as_ptr(&place.chunk)), "round {round}");
    }
    store.make_room();
    assert!(store.lock().spare.len() <= made.len());
}

#[test]
fn what_a_reader_holds_is_not_written_over() {
    let store = Store::new(SPAN_WORDS);
    let mut place = store.sit();
    fill(&store, &mut place, 0);
    let before = store.holdings();
    for round in 1..5 {
        fill(&store, &mut place, round * 100);
    }
    let seen: Vec<u64> = before.pieces.iter().flat_map(Written::words).collect();
    assert_eq!(seen, (0..17).collect::<Vec<_>>());
}

#[test]
fn a_place_that_was_left_is_taken_up_where_it_was() {
    let store = Store::new(1_000);
    let place = store.sit();
    let mark = place.chunk.append(Mark::default(), &[7]).unwrap();
    store.leave(place.number);
    let again = store.sit();
    assert_eq!((again.number, again.chunk.mark()), (place.number, mark));
}

#[test]
fn clearing_forgets_what_open_chunks_hold_too() {
    let store = Store::new(1_000);
    let mut place = store.sit();
    fill(&store, &mut place, 0);
    let mark = place.chunk.append(Mark::default(), &[7]).unwrap();
    store.clear();
    assert_eq!((store.recorded(), words(&store)), (0, vec![]));
    place.chunk.append(mark, &[8]).unwrap();
    assert_eq!((store.recorded(), words(&store)), (1, vec![8]));
}

#[test]
fn a_thread_that_finds_the_shelves_locked_goes_on() {
    let store = Store::new(SPAN_WORDS * 4);
    let mut place = store.sit();
    let held_up = store.lock();
    let rounds = MOST_WAITING as u64 + 3;
    for round in 0..rounds {
        fill(&store, &mut place, round * 100);
    }
    drop(held_up);
    let recorded = rounds * chunk_words(SPAN_WORDS * 4) as u64;
    assert_eq!(store.recorded(), recorded);
    let holdings = store.holdings();
    assert!(holdings.evicted > 0);
    assert_eq!(holdings.evicted + holdings.held() as u64, recorded);
    // The newest are there, and the next exchange shelves them.
    assert_eq!(words(&store).last().unwrap() / 100, rounds - 1);
    fill(&store, &mut place, rounds * 100);
    assert_eq!(place.place.lock().pieces.len(), 1);
    assert_eq!(words(&store).last().unwrap() / 100, rounds);
}

/// Every chunk that the store has memory for.
fn chunks(store: &Store) -> usize {
    let shelves = store.lock();
    let at_places: usize = shelves
        .places
        .iter()
        .map(|place| {
            let held = place.lock();
            held.pieces.len() + held.reserve.len()
        })
        .sum();
    shelves.full.len() + shelves.spare.len() + at_places
}

#[test]
fn memory_does_not_grow_with_how_often_the_shelves_are_locked() {
    let store = Store::new(SPAN_WORDS * 4);
    store.make_room();
    let made = chunks(&store);
    let mut places = [store.sit(), store.sit()];
    for round in 0..100 {
        let held_up = store.lock();
        for place in &mut places {
            for _ in 0..=round % (MOST_WAITING + 3) {
                fill(&store, place, 0);
            }
        }
        drop(held_up);
        for place in &mut places {
            fill(&store, place, 0);
        }
    }
    let most = made + places.len() * MOST_WAITING;
    assert!(chunks(&store) <= most, "{} of {most}", chunks(&store));
    store.clear();
    // What a thread writes to stays, and nothing else.
    assert_eq!(chunks(&store), places.len());
}
