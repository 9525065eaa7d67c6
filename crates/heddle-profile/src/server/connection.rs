//! One connection: one request and its response.

use std::convert::Infallible;
use std::sync::mpsc;
use std::time::Duration;

use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// The metrics, or why there are none.
type Text = Result<String, String>;

/// Asks the thread that makes the metrics for them.
pub(super) type Source = mpsc::Sender<oneshot::Sender<Text>>;

/// Makes metrics until no connection can ask for them.
pub(super) fn answer(
    requests: mpsc::Receiver<oneshot::Sender<Text>>,
    mut text: impl FnMut() -> Text,
) {
    for reply in requests {
        // A connection that has timed out waits no longer.
        if !reply.is_closed() {
            let _ = reply.send(text());
        }
    }
}

/// The least buffer that hyper accepts.
const LEAST_HEADER_BYTES: usize = 8 << 10;

/// The most headers of a request.
const MOST_HEADERS: usize = 64;

/// The most bytes that are read after the response, for clients that are still writing.
const MOST_UNREAD: u64 = 16 << 20;

/// Answers the request of one connection; `patience` is the time that its metrics may take. The
/// caller bounds the time of all.
pub(super) async fn serve(
    mut stream: TcpStream,
    header_bytes: usize,
    patience: Duration,
    source: Source,
) {
    let respond = |request: Request<_>| {
        let source = source.clone();
        async move { Ok::<_, Infallible>(respond(&request, &source, patience).await) }
    };
    let mut server = http1::Builder::new();
    server
        .keep_alive(false)
        .max_headers(MOST_HEADERS)
        .max_buf_size(header_bytes.max(LEAST_HEADER_BYTES));
    // A request that cannot be read was answered by the server with its status.
    let _ = server
        .serve_connection(TokioIo::new(&mut stream), service_fn(respond))
        .await;
    // The system resets a connection that is closed with unread input, and the client may lose
    // the response.
    let _ = stream.shutdown().await;
    let mut unread = stream.take(MOST_UNREAD);
    let mut discarded = [0; 4 << 10];
    while matches!(unread.read(&mut discarded).await, Ok(1..)) {}
}

async fn metrics(source: &Source) -> Text {
    let (reply, text) = oneshot::channel();
    let ended = || "the metrics have ended".to_owned();
    source.send(reply).map_err(|_| ended())?;
    text.await.map_err(|_| ended())?
}

async fn respond<B>(request: &Request<B>, source: &Source, patience: Duration) -> Response<String> {
    let (status, body) = if request.uri().path() != "/metrics" {
        (StatusCode::NOT_FOUND, "The page is /metrics.\n".to_owned())
    } else if !matches!(*request.method(), Method::GET | Method::HEAD) {
        (
            StatusCode::METHOD_NOT_ALLOWED,
            "The only requests are GET and HEAD.\n".to_owned(),
        )
    } else {
        match timeout(patience, metrics(source)).await {
            Ok(Ok(text)) => (StatusCode::OK, text),
            Ok(Err(error)) => (StatusCode::SERVICE_UNAVAILABLE, format!("{error}\n")),
            Err(_) => (
                StatusCode::SERVICE_UNAVAILABLE,
                "The metrics take too long to make.\n".to_owned(),
            ),
        }
    };
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(
        CONTENT_TYPE,
        HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8"),
    );
    if status == StatusCode::METHOD_NOT_ALLOWED {
        headers.insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
    }
    response
}
