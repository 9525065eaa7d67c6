//! Metrics of a running process, for Prometheus.
//!
//! [`serve`] opens a server for one runtime. The setting `metrics` (`HEDDLE_METRICS`) opens one
//! with each runtime that this crate builds; where its address is in use, the runtime has a note
//! and works without.

use std::net::SocketAddr;

use heddle_profile::{Metrics, MetricsServer, ProfileError, RoutingLog, ServerLimits};
use heddle_runtime::Runtime;
use heddle_runtime::error::with_causes;
use heddle_runtime::runtime::{Service, WeakRuntime};

use crate::recording;

/// Serves the metrics of `runtime` on `address` until the server is dropped. After the runtime is
/// dropped, requests are answered with status 503.
///
/// ```
/// use std::io::{Read, Write};
///
/// let runtime = heddle::builder(heddle::config::Config::default())?.without_model_cache().build()?;
/// let server = heddle::metrics::serve(&runtime, "127.0.0.1:0".parse()?)?;
/// runtime.sum(&heddle::Array::from_slice(&[1.0_f32, 2.0]))?;
///
/// let mut client = std::net::TcpStream::connect(server.address())?;
/// client.write_all(b"GET /metrics HTTP/1.1\r\nHost: heddle\r\n\r\n")?;
/// let mut response = String::new();
/// client.read_to_string(&mut response)?;
/// assert!(response.contains("heddle_operations_total{operation=\"sum\""));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn serve(runtime: &Runtime, address: SocketAddr) -> Result<MetricsServer, ProfileError> {
    serve_weak(runtime.downgrade(), address)
}

fn serve_weak(runtime: WeakRuntime, address: SocketAddr) -> Result<MetricsServer, ProfileError> {
    let mut metrics = Metrics::default();
    MetricsServer::start(address, ServerLimits::default(), move || {
        let runtime = runtime.upgrade().ok_or("the runtime is not open")?;
        runtime.sample_memory();
        let recording = recording::take(&runtime, "", &RoutingLog::default());
        Ok(metrics.text(&recording))
    })
}

/// Opens the server that the configuration asks for.
pub(crate) fn open(runtime: WeakRuntime, address: SocketAddr) -> Service {
    match serve_weak(runtime, address) {
        Ok(server) => Service {
            note: format!("metrics are served at http://{}/metrics", server.address()),
            kept: Box::new(server),
        },
        Err(error) => Service {
            note: format!("{}; {}", with_causes(&error), error.hint()),
            kept: Box::new(()),
        },
    }
}
