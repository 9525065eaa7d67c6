//! What the whole road costs: an empty operation through it, against calling the
//! same function. The bar is one microsecond more.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use heddle_runtime::device::Lane;
use heddle_runtime::{Array, DType, Description, Error, Kind, Operation, Runtime, WorkUnit};

static EMPTY: Kind = Kind::new("empty", WorkUnit::Items);

struct Empty;

impl Operation for Empty {
    type Output = u64;

    fn describe(&self) -> Description {
        Description::new(&EMPTY, DType::U8, 1)
    }

    fn run(&mut self, _lane: &Lane<'_>) -> Result<u64, Error> {
        Ok(answer())
    }
}

#[inline(never)]
fn answer() -> u64 {
    black_box(42)
}

fn road(criterion: &mut Criterion) {
    let runtime = Runtime::builder().forgetful().build().unwrap();
    let mut group = criterion.benchmark_group("cpu");
    group.bench_function("call", |bencher| bencher.iter(|| black_box(answer())));
    group.bench_function("road", |bencher| bencher.iter(|| runtime.run(Empty)));
    let data = Array::from_slice(b"tiny!");
    let key = Array::from_slice(b"key");
    group.bench_function("xor of 5 bytes", |bencher| {
        bencher.iter(|| runtime.xor(&data, &key));
    });
    group.finish();
}

criterion_group!(benches, road);
criterion_main!(benches);
