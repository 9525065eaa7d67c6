//! A running process serves its metrics: by the setting `metrics` or a call. They increase with
//! its work and never decrease, and an address in use stops nothing.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use heddle::profile::ProfileError;
use heddle::{Array, Config, Runtime};

/// A runtime of this configuration, which spans of the work below overflow.
fn runtime(change: impl FnOnce(&mut Config)) -> Runtime {
    let mut config = Config::default();
    config.profile.capacity_spans = 512;
    change(&mut config);
    let builder = heddle::builder(config).unwrap();
    builder.without_model_cache().build().unwrap()
}

fn work(runtime: &Runtime) {
    let array = Array::from_slice(&[1.0_f32, 2.0, 3.0]);
    assert_eq!(runtime.sum(&array).unwrap().to_bits(), 6.0_f64.to_bits());
}

fn response(address: SocketAddr) -> String {
    let mut client = TcpStream::connect(address).unwrap();
    client
        .write_all(b"GET /metrics HTTP/1.1\r\nHost: heddle\r\n\r\n")
        .unwrap();
    let mut response = String::new();
    client.read_to_string(&mut response).unwrap();
    response
}

/// The samples of all counters.
fn counters(address: SocketAddr) -> BTreeMap<String, f64> {
    let response = response(address);
    let (head, text) = response.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK"), "{head}");
    let samples = text.lines().filter(|line| !line.starts_with('#'));
    samples
        .map(|line| line.rsplit_once(' ').unwrap())
        .filter(|(name, _)| name.split('{').next().unwrap().ends_with("_total"))
        .map(|(name, value)| (name.to_owned(), value.parse().unwrap()))
        .collect()
}

#[test]
fn counters_increase_with_the_work_and_never_decrease() {
    let runtime = runtime(|_| ());
    let server = heddle::metrics::serve(&runtime, "127.0.0.1:0".parse().unwrap()).unwrap();
    let recorded = |counters: &BTreeMap<_, f64>| counters["heddle_spans_recorded_total"];
    let first = counters(server.address());
    assert_eq!(recorded(&first).to_bits(), 0.0_f64.to_bits());
    let ended = AtomicBool::new(false);
    let last = thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                work(&runtime);
            }
        });
        let mut before = first;
        for _ in 0..20 {
            let after = counters(server.address());
            for (name, value) in &before {
                assert!(
                    after[name] >= *value,
                    "{name}: {value}, then {}",
                    after[name]
                );
            }
            before = after;
        }
        ended.store(true, Ordering::Relaxed);
        before
    });
    work(&runtime);
    let after = counters(server.address());
    assert!(recorded(&after) > recorded(&last), "{last:?} {after:?}");
    // After a clear they go on, however many spans there were before.
    let mut before = after;
    for _ in 0..3 {
        runtime.profiler().clear();
        work(&runtime);
        let cleared = counters(server.address());
        assert!(
            recorded(&cleared) > recorded(&before),
            "{before:?} {cleared:?}"
        );
        before = cleared;
    }
    // The server does not keep the runtime, and says that it is gone.
    drop(runtime);
    assert!(response(server.address()).starts_with("HTTP/1.1 503 "));
}

/// A port that was free a moment ago.
fn free_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap()
}

#[test]
fn the_setting_opens_a_server_that_ends_with_the_runtime() {
    let address = free_address();
    let runtime = runtime(|it| it.metrics = Some(address));
    let note = format!("metrics are served at http://{address}/metrics");
    assert!(runtime.notes().contains(&note), "{:?}", runtime.notes());
    work(&runtime);
    assert!(counters(address)["heddle_spans_recorded_total"] > 0.0);
    drop(runtime);
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn an_address_in_use_is_a_note_of_the_setting_and_an_error_of_the_call() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let runtime = runtime(|it| it.metrics = Some(address));
    let told = format!("cannot serve metrics on {address}: ");
    let notes = runtime.notes();
    assert!(
        notes.iter().any(|note| note.starts_with(&told)),
        "{notes:?}"
    );
    work(&runtime);
    let refused = heddle::metrics::serve(&runtime, address);
    assert!(
        matches!(refused, Err(ProfileError::Serve { .. })),
        "{refused:?}"
    );
}
