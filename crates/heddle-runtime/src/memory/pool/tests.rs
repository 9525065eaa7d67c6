//! Tests of the pool on host bytes, one property each.

use super::*;
use crate::memory::{ManualClock, SimulatedStorage};

const MIB: u64 = 1 << 20;

struct PoolFixture {
    pool: MemoryPool<SimulatedStorage>,
    clock: Arc<ManualClock>,
}

fn pool_fixture(capacity: u64, settings: PoolSettings) -> PoolFixture {
    let clock = Arc::new(ManualClock::default());
    let simulated_storage = SimulatedStorage::new(Bytes(capacity));
    PoolFixture {
        pool: MemoryPool::new(
            simulated_storage,
            settings,
            Arc::clone(&clock) as Arc<dyn TimeSource>,
        ),
        clock,
    }
}

impl PoolFixture {
    fn take(&self, bytes: u64) -> Block {
        self.pool.allocate(Bytes(bytes), None).unwrap()
    }

    fn give(&self, block: Block) {
        self.pool.free(block, StreamSet::NONE);
    }

    fn held(&self) -> u64 {
        assert_eq!(
            self.pool.reading().held,
            self.pool.upstream().reading().used
        );
        self.pool.reading().held.0
    }
}

#[test]
fn small_blocks_share_a_region_and_large_ones_have_their_own() {
    let pool_fixture = pool_fixture(64 * MIB, PoolSettings::default());
    let small = [(); 8].map(|()| pool_fixture.take(1000));
    assert_eq!(pool_fixture.held(), 2 * MIB);
    let large = pool_fixture.take(3 * MIB);
    assert_eq!(pool_fixture.held(), 6 * MIB);
    let tail = pool_fixture.take(MIB);
    assert_eq!(pool_fixture.held(), 6 * MIB, "the tail of a region is used");
    let reading = pool_fixture.pool.reading();
    assert_eq!((reading.hits, reading.misses), (8, 2));
    for block in small {
        pool_fixture.give(block);
    }
    pool_fixture.give(large);
    pool_fixture.give(tail);
    assert_eq!(pool_fixture.pool.trim(), Bytes(6 * MIB));
    assert_eq!(
        (pool_fixture.held(), pool_fixture.pool.upstream().misuses()),
        (0, 0)
    );
}

#[test]
fn neighbours_are_joined_when_nothing_fits() {
    let pool_fixture = pool_fixture(2 * MIB, PoolSettings::default());
    let blocks = [(); 8].map(|()| pool_fixture.take(256 << 10));
    assert!(pool_fixture.pool.allocate(Bytes(256), None).is_err());
    for block in blocks {
        pool_fixture.give(block);
    }
    assert_eq!(
        pool_fixture.pool.reading().largest_free_block,
        Bytes(256 << 10)
    );
    let whole = pool_fixture.take(2 * MIB);
    assert_eq!(
        pool_fixture.pool.reading().misses,
        1,
        "all of it from one region"
    );
    pool_fixture.give(whole);
}

#[test]
fn small_blocks_are_joined_only_as_a_last_resort() {
    let pool_fixture = pool_fixture(6 * MIB, PoolSettings::default());
    let blocks: Vec<_> = (0..2048).map(|_| pool_fixture.take(1024)).collect();
    for block in blocks {
        pool_fixture.give(block);
    }
    assert_eq!(pool_fixture.held(), 2 * MIB);
    // The driver has more memory, so the pool requests it.
    let large = [(); 2].map(|()| pool_fixture.take(2 * MIB));
    assert_eq!(
        (pool_fixture.held(), pool_fixture.pool.reading().misses),
        (6 * MIB, 3)
    );
    // Now the driver has no more.
    let joined = pool_fixture.take(2 * MIB);
    assert_eq!(
        (pool_fixture.held(), pool_fixture.pool.reading().misses),
        (6 * MIB, 3)
    );
    for block in large.into_iter().chain([joined]) {
        pool_fixture.give(block);
    }
}

#[test]
fn only_idle_regions_are_returned() {
    let pool_fixture = pool_fixture(64 * MIB, PoolSettings::default());
    let [old, young] = [4 * MIB, 8 * MIB].map(|bytes| pool_fixture.take(bytes));
    pool_fixture.give(old);
    pool_fixture.clock.advance(Duration::from_mins(3));
    pool_fixture.give(young);
    assert_eq!(pool_fixture.pool.tick(), Bytes(0));
    pool_fixture.clock.advance(Duration::from_mins(2));
    assert_eq!(pool_fixture.pool.tick(), Bytes(4 * MIB));
    let again = pool_fixture.take(8 * MIB);
    pool_fixture.give(again);
    pool_fixture.clock.advance(Duration::from_mins(4));
    assert_eq!(
        pool_fixture.pool.tick(),
        Bytes(0),
        "it was used a while ago"
    );
    pool_fixture.clock.advance(Duration::from_mins(1));
    assert_eq!(pool_fixture.pool.tick(), Bytes(8 * MIB));
}

#[test]
fn a_release_takes_no_more_than_it_must_and_the_oldest_first() {
    let pool_fixture = pool_fixture(64 * MIB, PoolSettings::default());
    let blocks = [4 * MIB, 6 * MIB, 8 * MIB].map(|bytes| pool_fixture.take(bytes));
    for block in blocks {
        pool_fixture.clock.advance(Duration::from_secs(1));
        pool_fixture.give(block);
    }
    assert_eq!(pool_fixture.pool.release(Bytes(5 * MIB)), Bytes(10 * MIB));
    assert_eq!(pool_fixture.held(), 8 * MIB);
}

#[test]
fn never_holds_more_than_its_maximum() {
    let maximum = Bytes(8 * MIB);
    let settings = PoolSettings {
        maximum,
        ..PoolSettings::default()
    };
    let pool_fixture = pool_fixture(64 * MIB, settings);
    let first = pool_fixture.take(6 * MIB);
    assert!(pool_fixture.pool.allocate(Bytes(4 * MIB), None).is_err());
    pool_fixture.give(first);
    let second = pool_fixture.take(7 * MIB);
    assert_eq!(pool_fixture.held(), 8 * MIB, "the idle region was released");
    assert!(pool_fixture.pool.allocate(Bytes(u64::MAX), None).is_err());
    pool_fixture.give(second);
    let third = pool_fixture.take(1000);
    assert_eq!(
        pool_fixture.held(),
        8 * MIB,
        "a small one breaks a large span in need"
    );
    pool_fixture.give(third);
}

#[test]
fn a_device_smaller_than_a_region_is_used_to_the_end() {
    let pool_fixture = pool_fixture(1024, PoolSettings::default());
    let blocks = [(); 4].map(|()| pool_fixture.take(256));
    assert!(pool_fixture.pool.allocate(Bytes(1), None).is_err());
    for block in blocks {
        pool_fixture.give(block);
    }
    assert_eq!(pool_fixture.pool.trim(), Bytes(1024));
}

#[test]
fn a_failed_region_is_not_counted_as_held() {
    let pool_fixture = pool_fixture(64 * MIB, PoolSettings::default());
    pool_fixture.pool.upstream().fail_allocation(1);
    pool_fixture.pool.upstream().fail_allocation(2);
    assert!(pool_fixture.pool.allocate(Bytes(1000), None).is_err());
    assert_eq!(pool_fixture.held(), 0);
    let block = pool_fixture.take(1000);
    pool_fixture.give(block);
}

#[test]
fn work_of_an_earlier_owner_is_not_forgotten() {
    let pool_fixture = pool_fixture(64 * MIB, PoolSettings::default());
    let [zero, one] = [0, 1].map(StreamIndex::new);
    let take = |stream| pool_fixture.pool.allocate(Bytes(4 * MIB), stream).unwrap();
    let first = take(zero);
    let address = first.address;
    pool_fixture.pool.free(first, StreamSet(0b1));
    let early = take(zero);
    assert_eq!(early.address, address, "its own order protects it");
    pool_fixture.give(early);
    let elsewhere = take(one);
    assert_ne!(elsewhere.address, address, "stream 0 may still write there");
    let early = take(zero);
    assert_eq!(early.address, address);
    pool_fixture.pool.synchronized(StreamSet(0b1));
    pool_fixture.give(early);
    let at_rest = take(one);
    assert_eq!(at_rest.address, address);
    pool_fixture.give(elsewhere);
    pool_fixture.give(at_rest);
}

#[test]
fn told_of_queued_work_it_waits_for_nothing_else() {
    let settings = PoolSettings {
        tracks_queued_work: true,
        ..PoolSettings::default()
    };
    let pool_fixture = pool_fixture(64 * MIB, settings);
    pool_fixture.pool.queued(StreamSet(0b01));
    assert_eq!(pool_fixture.pool.unsynchronized(), StreamSet(0b01));
    let block = pool_fixture.take(1000);
    pool_fixture.pool.free(block, StreamSet(0b10));
    assert_eq!(pool_fixture.pool.reading().waiting, Bytes(0));
    let block = pool_fixture.take(1000);
    pool_fixture.pool.free(block, StreamSet(0b11));
    assert_eq!(pool_fixture.pool.reading().waiting, Bytes(1024));
    pool_fixture.pool.synchronized(StreamSet(0b01));
    assert_eq!(pool_fixture.pool.unsynchronized(), StreamSet::NONE);
    assert_eq!(pool_fixture.pool.reading().waiting, Bytes(0));
}
