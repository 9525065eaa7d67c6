//! Checks on recorded spans.

use std::task::Poll;

use heddle_profile::RecordedSpan;

pub fn find<'a>(spans: &'a [RecordedSpan], operation: &str) -> &'a RecordedSpan {
    spans
        .iter()
        .find(|span| span.operation == operation)
        .unwrap_or_else(|| panic!("{operation:?} was not recorded"))
}

pub fn parent_of<'a>(spans: &'a [RecordedSpan], span: &RecordedSpan) -> Option<&'a str> {
    span.parent
        .map(|row| spans[row as usize].operation.as_str())
}

/// Checks that every parent comes before its children, is on the same thread, and contains them.
pub fn assert_sound(spans: &[RecordedSpan]) {
    for (row, span) in spans.iter().enumerate() {
        let parts = span.gpu_ns + span.cpu_ns + span.transfer_ns + span.overhead_ns;
        assert_eq!(parts, span.self_ns, "{span:?}");
        let Some(parent) = span.parent else { continue };
        assert!((parent as usize) < row);
        let around = &spans[parent as usize];
        assert_eq!(around.thread, span.thread);
        assert!(around.start_ns <= span.start_ns, "{around:?} {span:?}");
        // Start and end are rounded from ticks separately.
        assert!(span.end_ns() <= around.end_ns() + 2, "{around:?} {span:?}");
    }
}

/// A future that is ready when polled for the second time.
pub async fn pending_once() {
    let mut rested = false;
    std::future::poll_fn(move |_| {
        if std::mem::replace(&mut rested, true) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
}
