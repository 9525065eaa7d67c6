//! The server of metrics answers a scrape whatever other clients do: connections, the size of a
//! header and the time of a request are bounded.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use heddle_profile::{MetricsServer, ProfileError, ServerLimits};

const TEXT: &str = "heddle_spans_recorded_total 7\n";
const GET: &str = "GET /metrics HTTP/1.1\r\nHost: heddle\r\n\r\n";

fn server(limits: ServerLimits) -> MetricsServer {
    let address = "127.0.0.1:0".parse().unwrap();
    MetricsServer::start(address, limits, || Ok(TEXT.to_owned())).unwrap()
}

fn limits(change: impl FnOnce(&mut ServerLimits)) -> ServerLimits {
    let mut limits = ServerLimits::default();
    change(&mut limits);
    limits
}

fn connect(server: &MetricsServer) -> TcpStream {
    let stream = TcpStream::connect(server.address()).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(30)))
        .unwrap();
    stream
}

/// The response to one request, and the time it took.
fn request(server: &MetricsServer, request: &str) -> (String, Duration) {
    let begun = Instant::now();
    let mut stream = connect(server);
    stream.write_all(request.as_bytes()).unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    (response, begun.elapsed())
}

fn assert_answered_soon(server: &MetricsServer) {
    let (response, time) = request(server, GET);
    assert!(response.starts_with("HTTP/1.1 200 OK\r\n"), "{response}");
    assert!(response.ends_with(TEXT), "{response}");
    assert!(time < Duration::from_secs(1), "{time:?}");
}

#[test]
fn fifty_clients_of_a_byte_a_second_delay_no_scrape() {
    let server = server(ServerLimits::default());
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut clients: Vec<TcpStream> = (0..50).map(|_| connect(&server)).collect();
            let mut bytes = GET.bytes().cycle();
            while !ended.load(Ordering::Relaxed) {
                let byte = [bytes.next().unwrap()];
                for client in &mut clients {
                    // The server closes them at its deadline.
                    let _ = client.write_all(&byte);
                }
                thread::sleep(Duration::from_secs(1));
            }
        });
        thread::sleep(Duration::from_millis(200));
        for _ in 0..3 {
            assert_answered_soon(&server);
            thread::sleep(Duration::from_millis(400));
        }
        ended.store(true, Ordering::Relaxed);
    });
}

/// Reads and writes slowly until the server closes the connection; returns the time that took.
fn time_until_closed(mut client: TcpStream, mut bytes: impl Iterator<Item = u8>) -> Duration {
    let begun = Instant::now();
    client
        .set_read_timeout(Some(Duration::from_millis(20)))
        .unwrap();
    while begun.elapsed() < Duration::from_secs(20) {
        if let Some(byte) = bytes.next()
            && client.write_all(&[byte]).is_err()
        {
            break;
        }
        match client.read(&mut [0; 64]) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) if is_timeout(&error) => {}
            Err(_) => break,
        }
    }
    begun.elapsed()
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

#[test]
fn a_slow_client_is_cut_at_the_deadline() {
    let deadline = Duration::from_millis(500);
    let server = server(limits(|it| it.request = deadline));
    let endless = "X-Header: value\r\n".bytes().cycle();
    let slow = "GET /metrics HTTP/1.1\r\n".bytes().chain(endless);
    let after_response = GET.bytes().chain("more".bytes().cycle());
    let times = [
        time_until_closed(connect(&server), std::iter::empty()),
        time_until_closed(connect(&server), slow),
        time_until_closed(connect(&server), after_response),
    ];
    for time in &times[..2] {
        assert!(*time > deadline / 2, "{times:?}");
    }
    for time in times {
        assert!(time < 8 * deadline, "{times:?}");
    }
}

#[test]
fn one_connection_too_many_closes_the_oldest() {
    let server = server(limits(|it| it.connections = 3));
    let idle: Vec<TcpStream> = (0..3).map(|_| connect(&server)).collect();
    // The server has accepted them when it answers.
    assert_answered_soon(&server);
    let mut idle = idle.into_iter();
    let oldest = time_until_closed(idle.next().unwrap(), std::iter::empty());
    assert!(oldest < Duration::from_secs(2), "{oldest:?}");
    let mut youngest = idle.last().unwrap();
    youngest.write_all(GET.as_bytes()).unwrap();
    let mut response = String::new();
    youngest.read_to_string(&mut response).unwrap();
    assert!(response.starts_with("HTTP/1.1 200 OK"), "{response}");
}

#[test]
fn a_header_of_a_mebibyte_gets_431() {
    let server = server(ServerLimits::default());
    let long = "x".repeat(1 << 20);
    let header = format!("GET /metrics HTTP/1.1\r\nX-Long: {long}\r\n\r\n");
    let (response, _) = request(&server, &header);
    assert!(response.starts_with("HTTP/1.1 431 "), "{response}");
    let many = "A: b\r\n".repeat(1_000);
    let headers = format!("GET /metrics HTTP/1.1\r\n{many}\r\n");
    let (response, _) = request(&server, &headers);
    assert!(response.starts_with("HTTP/1.1 431 "), "{response}");
    assert_answered_soon(&server);
}

#[test]
fn other_requests_are_refused_and_an_error_of_the_source_is_503() {
    let metrics = server(ServerLimits::default());
    for (line, status) in [
        ("GET / HTTP/1.1", "404"),
        ("POST /metrics HTTP/1.1", "405"),
        ("GET /metrics HTTP/9.9", "400"),
        ("not a request", "400"),
    ] {
        let (response, _) = request(&metrics, &format!("{line}\r\nHost: heddle\r\n\r\n"));
        let wanted = format!("HTTP/1.1 {status} ");
        assert!(response.starts_with(&wanted), "{line}: {response}");
    }
    let address = "127.0.0.1:0".parse().unwrap();
    let broken = MetricsServer::start(address, ServerLimits::default(), || {
        Err("the file is gone".to_owned())
    });
    let (response, _) = request(&broken.unwrap(), GET);
    assert!(response.starts_with("HTTP/1.1 503 "), "{response}");
    assert!(response.ends_with("the file is gone\n"), "{response}");
}

#[test]
fn metrics_that_are_not_made_in_time_delay_no_other_request() {
    let address = "127.0.0.1:0".parse().unwrap();
    let limits = limits(|limits| limits.request = Duration::from_secs(1));
    let (blocked, release) = std::sync::mpsc::channel::<()>();
    // As a file that was replaced by a pipe.
    let stuck = MetricsServer::start(address, limits, move || {
        let _ = release.recv();
        Ok(TEXT.to_owned())
    });
    let stuck = stuck.unwrap();
    thread::scope(|scope| {
        let scrapes = [(); 3].map(|()| scope.spawn(|| request(&stuck, GET)));
        thread::sleep(Duration::from_millis(100));
        let (response, time) = request(&stuck, "GET / HTTP/1.1\r\nHost: heddle\r\n\r\n");
        assert!(response.starts_with("HTTP/1.1 404 "), "{response}");
        assert!(time < Duration::from_millis(500), "{time:?}");
        for scrape in scrapes {
            let (response, time) = scrape.join().unwrap();
            assert!(response.starts_with("HTTP/1.1 503 "), "{response}");
            assert!(response.contains("take too long"), "{response}");
            assert!(time < Duration::from_secs(2), "{time:?}");
        }
    });
    // It goes on when the text is there.
    drop(blocked);
    assert_answered_soon(&stuck);
    drop(stuck);
}

#[test]
fn an_address_in_use_is_a_typed_error_and_a_dropped_server_frees_it() {
    let first = server(ServerLimits::default());
    let address = first.address();
    let start = || MetricsServer::start(address, ServerLimits::default(), || Ok(TEXT.to_owned()));
    match start() {
        Err(ProfileError::Serve { address: at, cause }) => {
            assert_eq!((at, cause.kind()), (address, ErrorKind::AddrInUse));
        }
        other => panic!("{other:?}"),
    }
    assert_answered_soon(&first);
    drop(first);
    assert_answered_soon(&start().unwrap());
}
