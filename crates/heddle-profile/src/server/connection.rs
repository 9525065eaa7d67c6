//! One connection: one request and its response.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};

use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Returns the metrics, or why there are none.
pub(super) type Source = Arc<Mutex<dyn FnMut() -> Result<String, String> + Send>>;

/// The least buffer that hyper accepts.
const LEAST_HEADER_BYTES: usize = 8 << 10;

/// The most headers of a request.
const MOST_HEADERS: usize = 64;

/// The most bytes that are read after the response, for clients that are still writing.
const MOST_UNREAD: u64 = 16 << 20;

/// Answers the request of one connection. The caller bounds its time.
pub(super) async fn serve(mut stream: TcpStream, header_bytes: usize, source: Source) {
    let respond = |request: Request<_>| {
        let response = respond(&request, &source);
        async move { Ok::<_, Infallible>(response) }
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

fn respond<B>(request: &Request<B>, source: &Source) -> Response<String> {
    let (status, body) = if request.uri().path() != "/metrics" {
        (StatusCode::NOT_FOUND, "The page is /metrics.\n".to_owned())
    } else if !matches!(*request.method(), Method::GET | Method::HEAD) {
        (
            StatusCode::METHOD_NOT_ALLOWED,
            "The only requests are GET and HEAD.\n".to_owned(),
        )
    } else {
        let mut text = source.lock().unwrap_or_else(PoisonError::into_inner);
        match text() {
            Ok(text) => (StatusCode::OK, text),
            Err(error) => (StatusCode::SERVICE_UNAVAILABLE, format!("{error}\n")),
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
