//! Tests of the pool on host bytes, one property each.

use super::*;
use crate::memory::{HostStorage, ManualClock};

const MIB: u64 = 1 << 20;

struct Bench {
    pool: Pool<HostStorage>,
    clock: Arc<ManualClock>,
}

fn bench(capacity: u64, settings: PoolSettings) -> Bench {
    let clock = Arc::new(ManualClock::default());
    let host = HostStorage::new(Bytes(capacity));
    Bench {
        pool: Pool::new(host, settings, Arc::clone(&clock) as Arc<dyn Clock>),
        clock,
    }
}

impl Bench {
    fn take(&self, bytes: u64) -> Block {
        self.pool.allocate(Bytes(bytes), None).unwrap()
    }

    fn give(&self, block: Block) {
        self.pool.free(block, Streams::NONE);
    }

    fn held(&self) -> u64 {
        assert_eq!(self.pool.reading().held, self.pool.below().reading().used);
        self.pool.reading().held.0
    }
}

#[test]
fn small_blocks_share_a_region_and_large_ones_have_their_own() {
    let bench = bench(64 * MIB, PoolSettings::default());
    let small = [(); 8].map(|()| bench.take(1000));
    assert_eq!(bench.held(), 2 * MIB);
    let large = bench.take(3 * MIB);
    assert_eq!(bench.held(), 6 * MIB);
    let tail = bench.take(MIB);
    assert_eq!(bench.held(), 6 * MIB, "the tail of a region is used");
    let reading = bench.pool.reading();
    assert_eq!((reading.hits, reading.misses), (8, 2));
    for block in small {
        bench.give(block);
    }
    bench.give(large);
    bench.give(tail);
    assert_eq!(bench.pool.trim(), Bytes(6 * MIB));
    assert_eq!((bench.held(), bench.pool.below().misuses()), (0, 0));
}

#[test]
fn neighbours_are_joined_when_nothing_fits() {
    let bench = bench(2 * MIB, PoolSettings::default());
    let blocks = [(); 8].map(|()| bench.take(256 << 10));
    assert!(bench.pool.allocate(Bytes(256), None).is_err());
    for block in blocks {
        bench.give(block);
    }
    assert_eq!(bench.pool.reading().largest_free_block, Bytes(256 << 10));
    let whole = bench.take(2 * MIB);
    assert_eq!(bench.pool.reading().misses, 1, "all of it from one region");
    bench.give(whole);
}

#[test]
fn a_crowd_of_small_blocks_is_joined_only_where_nothing_else_helps() {
    let bench = bench(6 * MIB, PoolSettings::default());
    let blocks: Vec<_> = (0..2048).map(|_| bench.take(1024)).collect();
    for block in blocks {
        bench.give(block);
    }
    assert_eq!(bench.held(), 2 * MIB);
    // The driver has more memory and is asked for it.
    let large = [(); 2].map(|()| bench.take(2 * MIB));
    assert_eq!((bench.held(), bench.pool.reading().misses), (6 * MIB, 3));
    // Now the driver has no more.
    let joined = bench.take(2 * MIB);
    assert_eq!((bench.held(), bench.pool.reading().misses), (6 * MIB, 3));
    for block in large.into_iter().chain([joined]) {
        bench.give(block);
    }
}

#[test]
fn what_lay_idle_goes_back_and_what_did_not_stays() {
    let bench = bench(64 * MIB, PoolSettings::default());
    let [old, young] = [4 * MIB, 8 * MIB].map(|bytes| bench.take(bytes));
    bench.give(old);
    bench.clock.advance(Duration::from_mins(3));
    bench.give(young);
    assert_eq!(bench.pool.tick(), Bytes(0));
    bench.clock.advance(Duration::from_mins(2));
    assert_eq!(bench.pool.tick(), Bytes(4 * MIB));
    let again = bench.take(8 * MIB);
    bench.give(again);
    bench.clock.advance(Duration::from_mins(4));
    assert_eq!(bench.pool.tick(), Bytes(0), "it was used a while ago");
    bench.clock.advance(Duration::from_mins(1));
    assert_eq!(bench.pool.tick(), Bytes(8 * MIB));
}

#[test]
fn a_release_takes_no_more_than_it_must_and_the_oldest_first() {
    let bench = bench(64 * MIB, PoolSettings::default());
    let blocks = [4 * MIB, 6 * MIB, 8 * MIB].map(|bytes| bench.take(bytes));
    for block in blocks {
        bench.clock.advance(Duration::from_secs(1));
        bench.give(block);
    }
    assert_eq!(bench.pool.release(Bytes(5 * MIB)), Bytes(10 * MIB));
    assert_eq!(bench.held(), 8 * MIB);
}

#[test]
fn never_holds_more_than_its_maximum() {
    let maximum = Bytes(8 * MIB);
    let settings = PoolSettings {
        maximum,
        ..PoolSettings::default()
    };
    let bench = bench(64 * MIB, settings);
    let first = bench.take(6 * MIB);
    assert!(bench.pool.allocate(Bytes(4 * MIB), None).is_err());
    bench.give(first);
    let second = bench.take(7 * MIB);
    assert_eq!(bench.held(), 8 * MIB, "the idle region was released");
    assert!(bench.pool.allocate(Bytes(u64::MAX), None).is_err());
    bench.give(second);
    let third = bench.take(1000);
    assert_eq!(
        bench.held(),
        8 * MIB,
        "a small one breaks a large span in need"
    );
    bench.give(third);
}

#[test]
fn a_device_smaller_than_a_region_is_used_to_the_end() {
    let bench = bench(1024, PoolSettings::default());
    let blocks = [(); 4].map(|()| bench.take(256));
    assert!(bench.pool.allocate(Bytes(1), None).is_err());
    for block in blocks {
        bench.give(block);
    }
    assert_eq!(bench.pool.trim(), Bytes(1024));
}

#[test]
fn a_failed_region_is_not_counted_as_held() {
    let bench = bench(64 * MIB, PoolSettings::default());
    bench.pool.below().fail_allocation(1);
    bench.pool.below().fail_allocation(2);
    assert!(bench.pool.allocate(Bytes(1000), None).is_err());
    assert_eq!(bench.held(), 0);
    let block = bench.take(1000);
    bench.give(block);
}

#[test]
fn work_of_an_earlier_owner_is_not_forgotten() {
    let bench = bench(64 * MIB, PoolSettings::default());
    let [zero, one] = [0, 1].map(Stream::new);
    let take = |stream| bench.pool.allocate(Bytes(4 * MIB), stream).unwrap();
    let first = take(zero);
    let address = first.address;
    bench.pool.free(first, Streams(0b1));
    let early = take(zero);
    assert_eq!(early.address, address, "its own order protects it");
    bench.give(early);
    let elsewhere = take(one);
    assert_ne!(elsewhere.address, address, "stream 0 may still write there");
    let early = take(zero);
    assert_eq!(early.address, address);
    bench.pool.settled(Streams(0b1));
    bench.give(early);
    let at_rest = take(one);
    assert_eq!(at_rest.address, address);
    bench.give(elsewhere);
    bench.give(at_rest);
}

#[test]
fn told_of_queued_work_it_waits_for_nothing_else() {
    let settings = PoolSettings {
        hears_queued: true,
        ..PoolSettings::default()
    };
    let bench = bench(64 * MIB, settings);
    bench.pool.queued(Streams(0b01));
    assert_eq!(bench.pool.unsettled(), Streams(0b01));
    let block = bench.take(1000);
    bench.pool.free(block, Streams(0b10));
    assert_eq!(bench.pool.reading().waiting, Bytes(0));
    let block = bench.take(1000);
    bench.pool.free(block, Streams(0b11));
    assert_eq!(bench.pool.reading().waiting, Bytes(1024));
    bench.pool.settled(Streams(0b01));
    assert_eq!(bench.pool.unsettled(), Streams::NONE);
    assert_eq!(bench.pool.reading().waiting, Bytes(0));
}
