//! Runs queries on lattices, one JSON object a line, and reports the time of each:
//! Heddle's side of `benchmarks/lattice_peers.py`.
//!
//! A question is `{"axes": [[10, "open"], …], "blocked": […], "axis_weights": […],
//! "site_weights": […], "ask": "closeness", "least": 7, "budget_ms": 400}`; the
//! answer is `{"median_ns", "p10_ns", "p90_ns", "samples", "answer"}`. The time is
//! that of the query alone, on a lattice that is already described, unless the
//! question is `build` or `pipeline`.

use std::error::Error;
use std::hint::black_box;
use std::io::{BufRead, Write};
use std::time::{Duration, Instant};

use heddle_lattice::centrality::{betweenness, closeness, degree, eigenvector};
use heddle_lattice::community::louvain;
use heddle_lattice::structure::{AnalysisLimits, analyze, components};
use heddle_lattice::{Axis, Distances, Graph, Lattice, LatticeBatch, Path, Weights};
use heddle_runtime::{Array, Runtime};
use serde_json::{Value, json};

type QueryResult = Result<Value, Box<dyn Error>>;

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = Runtime::builder().without_model_cache().build()?;
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let answer = answered(&runtime, &serde_json::from_str(&line?)?)
            .unwrap_or_else(|error| json!({"error": error.to_string()}));
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

fn answered(runtime: &Runtime, question: &Value) -> QueryResult {
    let lattice = described(question)?;
    let ask = question["ask"].as_str().unwrap_or_default();
    let least = question["least"].as_u64().unwrap_or(1) as usize;
    let budget = Duration::from_millis(question["budget_ms"].as_u64().unwrap_or(0));
    let answer = once(runtime, &lattice, ask, question)?;
    let mut times = Vec::new();
    let end = Instant::now() + budget;
    while times.len() < least || Instant::now() < end {
        let start = Instant::now();
        black_box(once_timed(runtime, &lattice, ask, question)?);
        times.push(start.elapsed().as_nanos() as u64);
    }
    times.sort_unstable();
    let rank = |share: f64| times[((times.len() - 1) as f64 * share).round() as usize];
    Ok(json!({
        "median_ns": rank(0.5),
        "p10_ns": rank(0.1),
        "p90_ns": rank(0.9),
        "samples": times.len(),
        "answer": answer,
    }))
}

fn numbers<T>(list: &Value, read: impl Fn(&Value) -> Option<T>) -> Vec<T> {
    let list = list.as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(read).collect()
}

fn described(question: &Value) -> Result<Lattice, Box<dyn Error>> {
    let axes = numbers(&question["axes"], |axis| {
        let size = axis[0].as_u64()?;
        Some(match axis[1].as_str()? {
            "periodic" => Axis::periodic(size),
            _ => Axis::open(size),
        })
    });
    let weights = match (&question["axis_weights"], &question["site_weights"]) {
        (Value::Array(_), _) => {
            Weights::Axes(numbers(&question["axis_weights"], Value::as_f64).into())
        }
        (_, Value::Array(_)) => {
            Weights::Sites(numbers(&question["site_weights"], Value::as_f64).into())
        }
        _ => Weights::Unit,
    };
    let blocked = numbers(&question["blocked"], Value::as_u64);
    Ok(Lattice::new(axes)?
        .with_blocked(blocked)?
        .with_weights(weights)?)
}

/// The full result, once.
fn once(runtime: &Runtime, lattice: &Lattice, ask: &str, question: &Value) -> QueryResult {
    Ok(match ask {
        "degree" => json!(degree(runtime, lattice)?.values),
        "closeness" => json!(closeness(runtime, lattice)?.values),
        "betweenness" => json!(betweenness(runtime, lattice)?.values),
        "eigenvector" => json!(eigenvector(runtime, lattice)?.values),
        "components" => json!(components(runtime, lattice)?.sizes),
        "analyze" | "diameter" => json!(analyze(runtime, lattice, &AnalysisLimits::default())?),
        "louvain" => json!(louvain(runtime, lattice, 1)?.modularity),
        "path" => json!(path(lattice, question)?.cost),
        "distances" => json!(distances(lattice, question)?.to_costs()?),
        "build" => json!(Graph::build(runtime, lattice)?.edges()),
        "pipeline" => json!(pipeline(runtime, lattice, question)?),
        other => return Err(format!("unknown question {other:?}").into()),
    })
}

/// The same without serialising the result.
fn once_timed(
    runtime: &Runtime,
    lattice: &Lattice,
    ask: &str,
    question: &Value,
) -> Result<f64, Box<dyn Error>> {
    let first = |values: Vec<f64>| values.first().copied().unwrap_or(0.0);
    Ok(match ask {
        "degree" => first(degree(runtime, lattice)?.values),
        "closeness" => first(closeness(runtime, lattice)?.values),
        "betweenness" => first(betweenness(runtime, lattice)?.values),
        "eigenvector" => first(eigenvector(runtime, lattice)?.values),
        "components" => components(runtime, lattice)?.len() as f64,
        "analyze" | "diameter" => {
            let analysis = analyze(runtime, lattice, &AnalysisLimits::default())?;
            analysis.diameter.value().copied().unwrap_or(0.0)
        }
        "louvain" => louvain(runtime, lattice, 1)?.modularity,
        "path" => path(lattice, question)?.cost,
        "distances" => distances(lattice, question)?.farthest(),
        "build" => Graph::build(runtime, lattice)?.edges() as f64,
        _ => pipeline(runtime, lattice, question)?.iter().sum(),
    })
}

fn path(lattice: &Lattice, question: &Value) -> Result<Path, Box<dyn Error>> {
    let end = |name: &str| question[name].as_u64().unwrap_or_default();
    Ok(lattice.shortest_path(end("start"), end("end"))?)
}

fn distances(lattice: &Lattice, question: &Value) -> Result<Distances, Box<dyn Error>> {
    let source = question["start"].as_u64().unwrap_or_default();
    Ok(lattice.distances(&[source])?)
}

/// For each of many lattices: builds the graph, analyses it, finds the path from corner to
/// corner, and xors the state with a key.
fn pipeline(
    runtime: &Runtime,
    like: &Lattice,
    question: &Value,
) -> Result<Vec<f64>, Box<dyn Error>> {
    let count = question["lattices"].as_u64().unwrap_or(100);
    let batch = (0..count)
        .map(|_| Lattice::new(like.axes()))
        .collect::<Result<LatticeBatch, _>>()?;
    // No later step needs the graph; it is built because the peer builds it.
    for lattice in batch.lattices() {
        black_box(Graph::build(runtime, lattice)?);
    }
    let analyses = batch.analyze(runtime, &AnalysisLimits::default());
    let ends: Vec<(u64, u64)> = batch
        .lattices()
        .iter()
        .map(|lattice| (0, lattice.sites() - 1))
        .collect();
    let paths = batch.shortest_paths(runtime, &ends)?;
    let mut lengths = Vec::new();
    for (analysis, path) in analyses.into_iter().zip(paths) {
        lengths.push(path?.cost + analysis?.diameter.value().copied().unwrap_or(0.0));
    }
    let states: Vec<Array<u8>> = batch
        .lattices()
        .iter()
        .map(|lattice| Array::zeros(&[lattice.sites() as usize]))
        .collect::<Result<_, _>>()?;
    let key = [Array::from_slice(b"shared secret")];
    for changed in batch.xor(runtime, &states, &key)? {
        black_box(changed?.as_slice()?);
    }
    Ok(lengths)
}
