//! `#[profiled]` records every kind of function and does not change its behaviour.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use heddle_profile::{DeviceTag, Profiler, profiled, span};
use heddle_testing::recorded::pending_once;

mod marked {
    use super::*;

    pub(super) struct Table;

    impl Table {
        #[profiled]
        pub(super) fn append_rows(&self, rows: &mut Vec<u32>) -> Result<usize, String> {
            rows.push(1);
            if rows.len() > 1 {
                return Err("too many".to_owned());
            }
            Ok(count_rows::<4>(rows))
        }
    }

    #[profiled(name = "count_rows \"hard\"\n🧵")]
    fn count_rows<const N: usize>(rows: &[u32]) -> usize {
        rows.len() * N
    }

    #[profiled(name = "pick_first")]
    pub(super) async fn pick_first(threads: &[u32]) -> u32 {
        pending_once().await;
        let _span = span!(
            "look",
            device = DeviceTag::CPU,
            size = threads.len(),
            element = "u32"
        );
        threads.iter().sum()
    }
}

/// The attribute must not prevent types
/// from being inferred, borrowed or generic.
mod inferred {
    use super::*;

    #[derive(Debug)]
    pub(super) struct ParseFailure;

    impl From<std::num::ParseIntError> for ParseFailure {
        fn from(_: std::num::ParseIntError) -> Self {
            Self
        }
    }

    #[profiled]
    pub(super) async fn read(text: &str) -> Result<Vec<u32>, ParseFailure> {
        let first = text.parse::<u32>()?;
        if first == 0 {
            return Err(ParseFailure);
        }
        pending_once().await;
        Ok(vec![first])
    }

    #[profiled]
    pub(super) fn parse<'a, T>(
        text: &'a str,
    ) -> impl Iterator<Item = Result<T, ParseFailure>> + use<'a, T>
    where
        T: std::str::FromStr<Err = std::num::ParseIntError>,
    {
        text.split(' ').map(|word| Ok(word.parse()?))
    }

    #[profiled]
    pub(super) async fn count(text: &str) -> impl Iterator<Item = usize> {
        0..text.len()
    }
}

fn check_inferred() {
    let waker = Waker::noop();
    let mut context = Context::from_waker(waker);
    let mut read = pin!(inferred::read("x"));
    assert!(matches!(
        read.as_mut().poll(&mut context),
        Poll::Ready(Err(inferred::ParseFailure))
    ));
    assert_eq!(
        inferred::parse::<u8>("1 2 z")
            .filter_map(Result::ok)
            .sum::<u8>(),
        3
    );
    let mut count = pin!(inferred::count("four"));
    let Poll::Ready(numbers) = count.as_mut().poll(&mut context) else {
        panic!("it never rests");
    };
    assert_eq!(numbers.count(), 4);
}

/// The global profiler belongs to the process, so one test covers it.
#[test]
fn marked_functions_record_to_the_global_profiler() {
    let own = Profiler::new(1_024);
    own.set_enabled(false);
    assert!(heddle_profile::install(&own));
    assert!(!heddle_profile::install(&Profiler::new(1)));
    let mut rows = Vec::new();
    assert_eq!(marked::Table.append_rows(&mut rows), Ok(4));
    assert_eq!(own.recorded(), 0);

    own.set_enabled(true);
    assert!(heddle_profile::is_on());
    rows.clear();
    assert_eq!(marked::Table.append_rows(&mut rows), Ok(4));
    assert!(marked::Table.append_rows(&mut rows).is_err());
    let waker = Waker::noop();
    let mut context = Context::from_waker(waker);
    let mut future = pin!(marked::pick_first(&[1, 2]));
    assert_eq!(future.as_mut().poll(&mut context), Poll::Pending);
    assert_eq!(future.as_mut().poll(&mut context), Poll::Ready(3));
    assert_eq!(heddle_profile::time("closure", || 5), 5);

    let spans = heddle_profile::global().spans();
    let names: Vec<&str> = spans.iter().map(|span| span.operation.as_str()).collect();
    assert_eq!(
        names,
        [
            "append_rows",
            "count_rows \"hard\"\n🧵",
            "append_rows",
            "pick_first",
            "look",
            "closure"
        ]
    );
    let parents: Vec<_> = spans.iter().map(|span| span.parent).collect();
    assert_eq!(parents, [None, Some(0), None, None, Some(3), None]);
    assert_eq!((spans[4].bytes_in, spans[4].element.as_str()), (2, "u32"));
    check_inferred();
    own.set_enabled(false);
    assert!(!heddle_profile::is_on());
}
