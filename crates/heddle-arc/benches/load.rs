//! Reading tasks on one CPU core, compared with `serde_json::Value` on the same bytes.

#![allow(missing_docs, reason = "criterion's macros write the entry points")]
#![allow(clippy::unwrap_used, reason = "a bench that cannot start has failed")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use heddle_arc::data;
use heddle_arc::engine::Grid;
use heddle_arc::tasks::dataset;
use serde_json::{Value, json};
use std::fs;

/// Built-in tasks of 80 seeds under distinct names, some 10 MB.
fn challenges() -> Value {
    let pair = |(input, output): &(Grid, Grid)| {
        let [input, output] = [input, output].map(|grid| grid.rows().collect::<Vec<_>>());
        json!({"input": input, "output": output})
    };
    let mut tasks = serde_json::Map::new();
    for seed in 0..80 {
        for task in dataset(seed).tasks {
            let pairs = |pairs: &[(Grid, Grid)]| pairs.iter().map(pair).collect::<Vec<_>>();
            let json = json!({"train": pairs(&task.train), "test": pairs(&task.test)});
            tasks.insert(format!("{}-{seed}", task.id), json);
        }
    }
    Value::Object(tasks)
}

fn load(criterion: &mut Criterion) {
    let tasks = challenges();
    let compact = tasks.to_string();
    // As Python writes it, with a space after each comma and colon.
    let spaced = compact.replace(',', ", ").replace(':', ": ");
    let folder = tempfile::tempdir().unwrap();
    let mut group = criterion.benchmark_group("cpu/load");
    for (name, text) in [("compact", compact), ("spaced", spaced)] {
        let path = folder.path().join(format!("{name}.json"));
        fs::write(&path, &text).unwrap();
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(format!("tasks/{name}"), |bencher| {
            bencher.iter(|| data::load(&path).unwrap());
        });
        group.bench_function(format!("serde_json-value/{name}"), |bencher| {
            bencher.iter(|| serde_json::from_slice::<Value>(&fs::read(&path).unwrap()).unwrap());
        });
    }
    group.finish();
}

criterion_group!(benches, load);
criterion_main!(benches);
