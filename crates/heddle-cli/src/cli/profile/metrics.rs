//! `heddle serve-metrics`: serves the metrics of a recorded run over HTTP, for Prometheus.
//!
//! The file is read again for each request, so a rewritten file is served; counters continue
//! from the values read before. The server itself is in `heddle-profile`.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use heddle::error::with_causes;
use heddle::profile::{Metrics, MetricsServer, ProfileError, Recording, ServerLimits};
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
    let recording = if arguments.once {
        recording::read(&arguments.file)?.0
    } else {
        served(&arguments.file)?
    };
    let text = metrics.text(&recording);
    drop(recording);
    if arguments.once {
        if output.is_json() {
            return Ok(output.object(&json!({ "metrics": text }))?);
        }
        return Ok(output.line(text.trim_end())?);
    }
    let file = arguments.file.clone();
    let server =
        MetricsServer::start(
            arguments.address,
            ServerLimits::default(),
            move || match served(&file) {
                Ok(recording) => Ok(metrics.text(&recording)),
                Err(error) => Err(with_causes(&error).to_string()),
            },
        )?;
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

/// Reads the file for one request. Another may stand there by now; a pipe would be waited for.
fn served(file: &Path) -> Result<Recording, ProfileError> {
    if file
        .metadata()
        .is_ok_and(|found| !found.is_file() && !found.is_dir())
    {
        return Err(ProfileError::Read {
            path: file.to_owned(),
            cause: io::Error::other("it is no regular file, and would be read for each request"),
        });
    }
    Ok(recording::read(file)?.0)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_in_the_place_of_the_file_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("run.json");
        Recording::default().write(&file).unwrap();
        assert_eq!(served(&file).unwrap(), Recording::default());
        std::fs::remove_file(&file).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&file).status();
        assert!(made.unwrap().success());
        let error = with_causes(&served(&file).unwrap_err()).to_string();
        assert!(error.contains("no regular file"), "{error}");
    }
}
