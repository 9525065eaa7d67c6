//! Recorded spans: names to give them, and checks on them.

use std::task::Poll;

use heddle_profile::{DeviceTag, RecordedSpan, Span};
use proptest::prelude::*;

/// Names that no operation should have and that a file must preserve.
pub fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("a \"quoted\", \\ name".to_owned()),
        Just("two\nlines\r\n\t\u{0}\u{1b}[31m".to_owned()),
        Just("🧵; хедл \u{202e} \u{2028}".to_owned()),
        Just("</script><!--".to_owned()),
        Just("# pass 2".to_owned()),
        any::<String>(),
    ]
}

/// A span of the CPU that takes a nanosecond.
pub fn span(start_ns: u64) -> Span {
    Span {
        operation: "xor",
        element: "u8",
        device: DeviceTag {
            kind: "cpu",
            index: None,
        },
        backend: "native",
        start_ns,
        total_ns: 1,
        ..Span::default()
    }
}

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
