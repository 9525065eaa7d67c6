//! `heddle serve-metrics`: serves the metrics of a recorded run over HTTP, for Prometheus.
//!
//! The file is read again for each request, so a rewritten file is served; counters continue
//! from the values read before. The server itself is in `heddle-profile`.

use std::net::SocketAddr;
use std::path::PathBuf;

use heddle::error::with_causes;
use heddle::profile::{Metrics, MetricsServer, ServerLimits};
use heddle::recording;
use serde_json::json;

use crate::cli::Failure;
use crate::cli::output::Output;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Arguments {
    /// The recorded run; read again for each request.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Listen on this address.
    #[arg(long, default_value = "127.0.0.1:9464", value_name = "ADDRESS:PORT")]
    address: SocketAddr,

    /// Print the metrics once instead of serving them.
    #[arg(long)]
    once: bool,
}

pub(in crate::cli) fn run(arguments: &Arguments, output: &mut Output) -> Result<(), Failure> {
    // A file that cannot be read is reported before the server starts.
    let mut metrics = Metrics::default();
    let text = metrics.text(&recording::read(&arguments.file)?.0);
    if arguments.once {
        if output.is_json() {
            return Ok(output.object(&json!({ "metrics": text }))?);
        }
        return Ok(output.line(text.trim_end())?);
    }
    let file = arguments.file.clone();
    let server = MetricsServer::start(arguments.address, ServerLimits::default(), move || {
        // Another file may stand there now. A pipe would be waited for.
        if !file.metadata().is_ok_and(|found| found.is_file()) {
            return Err(format!("{} is no regular file", file.display()));
        }
        match recording::read(&file) {
            Ok((recording, _)) => Ok(metrics.text(&recording)),
            Err(error) => Err(with_causes(&error).to_string()),
        }
    })?;
    let url = format!("http://{}/metrics", server.address());
    if output.is_json() {
        output.object(&json!({ "url": url, "file": arguments.file }))?;
    } else {
        output.line(format_args!(
            "Serving {} at {url}",
            arguments.file.display()
        ))?;
    }
    output.flush()?;
    // A signal ends the process.
    server.wait();
    Ok(())
}
