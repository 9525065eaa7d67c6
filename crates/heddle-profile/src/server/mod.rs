//! A small HTTP server with one page, `/metrics`, for Prometheus.
//!
//! One thread serves all connections, so a slow client delays no other, and another makes the
//! metrics, so that these delay no connection but their own. Connections at once,
//! the size of a header and the time of a request are bounded by [`ServerLimits`]; each
//! connection has one request. Nothing here knows what the metrics are.

mod connection;

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use crate::error::ProfileError;
use connection::{Source, answer, serve};

/// The time without accepting after a failure to accept, such as too many open files.
const PAUSE: Duration = Duration::from_millis(100);

/// The part of a request's time that its metrics may take, so that their lateness can be answered.
const TEXT_PARTS: u32 = 4;
const REQUEST_PARTS: u32 = 5;

/// The bounds of a [`MetricsServer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerLimits {
    /// The connections at once. One more closes the oldest, which is the slowest.
    pub connections: usize,
    /// The bytes of a request line and its headers, at least 8 KiB. A longer request is
    /// answered with status 431, or 414 where the address alone is longer.
    pub header_bytes: usize,
    /// The time from accepting a connection to the end of the response. Then the connection is
    /// closed.
    pub request: Duration,
}

impl Default for ServerLimits {
    /// 128 connections, 16 KiB, 5 seconds.
    fn default() -> Self {
        Self {
            connections: 128,
            header_bytes: 16 << 10,
            request: Duration::from_secs(5),
        }
    }
}

/// Serves metrics over HTTP until it is dropped.
///
/// ```
/// use std::io::{Read, Write};
///
/// use heddle_profile::{Metrics, MetricsServer, Profiler, ServerLimits};
///
/// let (profiler, mut metrics) = (Profiler::new(1_024), Metrics::default());
/// let recorded = profiler.clone();
/// let text = move || Ok(metrics.text(&recorded.recording()));
/// let server = MetricsServer::start("127.0.0.1:0".parse()?, ServerLimits::default(), text)?;
///
/// profiler.time("solve", || ());
/// let mut client = std::net::TcpStream::connect(server.address())?;
/// client.write_all(b"GET /metrics HTTP/1.1\r\nHost: heddle\r\n\r\n")?;
/// let mut response = String::new();
/// client.read_to_string(&mut response)?;
/// assert!(response.starts_with("HTTP/1.1 200 OK"));
/// assert!(response.contains("heddle_spans_recorded_total 1"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct MetricsServer {
    address: SocketAddr,
    /// The process that its thread runs in.
    owner: u32,
    stop: Arc<Notify>,
    thread: Option<JoinHandle<()>>,
}

impl MetricsServer {
    /// Listens on `address` and serves what `text` returns, called for each request on a thread of
    /// its own. Its error is answered with status 503, and so is a request for which it takes too
    /// long; it is not called again before it returns. Fails if the address is in use or cannot be
    /// had, or if a thread cannot be started.
    pub fn start(
        address: SocketAddr,
        limits: ServerLimits,
        text: impl FnMut() -> Result<String, String> + Send + 'static,
    ) -> Result<Self, ProfileError> {
        let refused = |cause| ProfileError::Serve { address, cause };
        let listener = std::net::TcpListener::bind(address).map_err(refused)?;
        listener.set_nonblocking(true).map_err(refused)?;
        let bound = listener.local_addr().map_err(refused)?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .build()
            .map_err(refused)?;
        let listener = {
            let _guard = runtime.enter();
            TcpListener::from_std(listener).map_err(refused)?
        };
        let stop = Arc::new(Notify::new());
        let stopped = Arc::clone(&stop);
        let (source, requests) = mpsc::channel();
        // Not joined: what it reads may never end. It ends with the last connection.
        thread::Builder::new()
            .name("heddle-metrics-text".to_owned())
            .spawn(move || answer(requests, text))
            .map_err(refused)?;
        let thread = thread::Builder::new()
            .name("heddle-metrics".to_owned())
            .spawn(move || {
                runtime.spawn(accept(listener, limits, source));
                runtime.block_on(stopped.notified());
            })
            .map_err(refused)?;
        Ok(Self {
            address: bound,
            owner: std::process::id(),
            stop,
            thread: Some(thread),
        })
    }

    /// Returns the address it listens on, with the port that the system chose for port 0.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until the process ends.
    pub fn wait(mut self) {
        if let Some(thread) = self.thread.take() {
            // It panics with the thread or not at all.
            let _ = thread.join();
        }
    }
}

impl Drop for MetricsServer {
    fn drop(&mut self) {
        let Some(thread) = self.thread.take() else {
            return;
        };
        if self.owner != std::process::id() {
            // A forked child does not have the thread.
            std::mem::forget(thread);
            return;
        }
        self.stop.notify_one();
        // What `text` holds may own the server, and is then dropped by its thread.
        if thread.thread().id() != thread::current().id() {
            let _ = thread.join();
        }
    }
}

async fn accept(listener: TcpListener, limits: ServerLimits, source: Source) {
    let mut open: VecDeque<AbortHandle> = VecDeque::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        open.retain(|connection| !connection.is_finished());
        if open.len() >= limits.connections.max(1)
            && let Some(oldest) = open.pop_front()
        {
            oldest.abort();
        }
        let served = tokio::time::timeout(
            limits.request,
            serve(
                stream,
                limits.header_bytes,
                limits.request * TEXT_PARTS / REQUEST_PARTS,
                source.clone(),
            ),
        );
        open.push_back(tokio::spawn(served).abort_handle());
    }
}
