//! `heddle serve-metrics`: serves the metrics of a recorded run over HTTP, for Prometheus.
//!
//! The file is read again for each request, so a rewritten file is served; counters
//! continue from the values read before. The server has one page, handles one request at
//! a time and closes each connection.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use heddle::error::with_causes;
use heddle::profile::{Metrics, Recording};
use serde_json::json;

use crate::cli::Failure;
use crate::cli::output::Output;

/// The time limit of reading a request and of writing its response.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The most bytes of a request line and its headers that are read.
const MAX_REQUEST: u64 = 16 << 10;

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
    let text = metrics.text(&Recording::read(&arguments.file)?);
    if arguments.once {
        if output.is_json() {
            return Ok(output.object(&json!({ "metrics": text }))?);
        }
        return Ok(output.line(text.trim_end())?);
    }
    let listener = TcpListener::bind(arguments.address).map_err(|error| Failure::Usage {
        message: format!("cannot listen on {}: {error}", arguments.address),
        hint: "choose another address with --address".to_owned(),
    })?;
    let url = format!("http://{}/metrics", listener.local_addr()?);
    if output.is_json() {
        output.object(&json!({ "url": url, "file": arguments.file }))?;
    } else {
        output.line(format_args!(
            "Serving {} at {url}",
            arguments.file.display()
        ))?;
    }
    output.flush()?;
    for stream in listener.incoming() {
        // A connection that fails concerns only its client.
        let _ = stream.and_then(|stream| serve(stream, &arguments.file, &mut metrics));
    }
    Ok(())
}

fn serve(mut stream: TcpStream, file: &Path, metrics: &mut Metrics) -> io::Result<()> {
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    let mut reader = BufReader::new(stream.try_clone()?.take(MAX_REQUEST));
    let mut request = String::new();
    reader.read_line(&mut request)?;
    // The headers are not used, but closing the connection with unread input would
    // reset it.
    let mut header = String::new();
    while reader.read_line(&mut header)? > 2 {
        header.clear();
    }
    let (status, body) = respond(&request, file, metrics);
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    stream.write_all(body.as_bytes())?;
    stream.flush()
}

fn respond(request: &str, file: &Path, metrics: &mut Metrics) -> (&'static str, String) {
    let mut words = request.split_ascii_whitespace();
    match (words.next(), words.next()) {
        (Some("GET"), Some("/metrics")) => match Recording::read(file) {
            Ok(recording) => ("200 OK", metrics.text(&recording)),
            Err(error) => (
                "503 Service Unavailable",
                format!("{}\n", with_causes(&error)),
            ),
        },
        (Some("GET"), Some(_)) => ("404 Not Found", "The page is /metrics.\n".to_owned()),
        _ => (
            "400 Bad Request",
            "The only request is GET /metrics.\n".to_owned(),
        ),
    }
}
