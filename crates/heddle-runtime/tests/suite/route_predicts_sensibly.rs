//! Properties of the prediction for any measurements.

// Helpers outside a `#[test]` function count as shipped code to the lint.
#![allow(clippy::unwrap_used)]

use heddle_runtime::device::{Timing, TransferTotals};
use heddle_runtime::route::{RouteSettings, Router};
use heddle_runtime::units::Nanos;
use heddle_runtime::{Description, Residency};
use heddle_testing::fake::{CPU, GPU, SUM, XOR, describe};
use proptest::prelude::*;

fn work(work: u64) -> Description {
    describe(&SUM, work, 0, Residency::Host)
}

fn took(ns: u64) -> Timing {
    Timing::of(Nanos(ns))
}

fn router() -> Router {
    let router = Router::new(&[CPU], RouteSettings::default());
    // The warm-up, which is not learned.
    router.observe(&work(1), CPU, &took(u64::MAX));
    router
}

fn predicted(router: &Router, amount: u64) -> Option<f64> {
    router
        .candidate(&work(amount), CPU)
        .cost
        .map(|cost| cost.total_ns())
}

/// Any number, often an extreme one, with all magnitudes equally likely.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![
        Just(0),
        Just(1),
        Just(u64::MAX),
        (0_u32..64, any::<u64>()).prop_map(|(shift, bits)| bits >> shift),
    ]
}

proptest! {
    // A failing case is printed whole, so no seeds are kept beside the file.
    #![proptest_config(heddle_testing::depth::cases(300))]

    #[test]
    fn predictions_are_finite_and_positive_after_any_samples(
        samples in proptest::collection::vec((number(), number()), 1..200),
        amounts in proptest::collection::vec(number(), 1..20),
    ) {
        let router = router();
        for &(amount, ns) in &samples {
            router.observe(&work(amount), CPU, &took(ns));
        }
        for amount in amounts {
            let candidate = router.candidate(&work(amount), CPU);
            let cost = candidate.cost.unwrap();
            prop_assert!(cost.total_ns().is_finite() && cost.total_ns() > 0.0, "{cost:?}");
            prop_assert!(cost.overhead_ns > 0.0 && cost.work_ns >= 0.0, "{cost:?}");
            prop_assert!((0.0..=1.0).contains(&candidate.confidence), "{candidate:?}");
        }
        let model = router.device_model(CPU);
        prop_assert!(model.is_sound(), "{model:?}");
        let other = self::router();
        other.adopt(CPU, model);
        for &(amount, _) in &samples {
            prop_assert!(predicted(&other, amount).unwrap() > 0.0);
        }
    }

    #[test]
    fn a_prediction_is_between_its_neighbours_for_rising_measurements(
        first in 1_u64..1000,
        steps in proptest::collection::vec((2_u64..20, 1_u64..20), 1..8),
    ) {
        let router = router();
        let mut points = vec![(first, 100_u64)];
        for (wider, slower) in steps {
            let (amount, ns) = points[points.len() - 1];
            points.push((amount * wider, ns * slower.min(wider)));
        }
        for &(amount, ns) in &points {
            // Observed twice: the first sample of a size that far off the curve is held back.
            for _ in 0..2 {
                router.observe(&work(amount), CPU, &took(ns));
            }
        }
        for pair in points.windows(2) {
            let [(low, low_ns), (high, high_ns)] = [pair[0], pair[1]];
            let middle = low + (high - low) / 2;
            let found = predicted(&router, middle).unwrap();
            prop_assert!(
                found >= 0.99 * low_ns as f64 && found <= 1.01 * high_ns as f64,
                "{found} at {middle} of {points:?}"
            );
        }
    }

    #[test]
    fn a_measured_time_is_predicted(amount in number(), ns in 1_u64..1_000_000_000_000) {
        let router = router();
        for _ in 0..5 {
            router.observe(&work(amount), CPU, &took(ns));
        }
        let found: f64 = predicted(&router, amount).unwrap();
        prop_assert!((found / ns as f64 - 1.0).abs() < 0.01, "{found} for {ns}");
    }

    #[test]
    fn outliers_do_not_change_a_prediction(
        amount in 1_u64..1 << 40,
        factor in prop_oneof![1e-4_f64..0.2, 5.0..1e4_f64],
        outliers in 1_usize..5,
    ) {
        let router = router();
        for _ in 0..10 {
            router.observe(&work(amount), CPU, &took(100_000));
        }
        let before = predicted(&router, amount);
        for _ in 0..outliers {
            router.observe(&work(amount), CPU, &took((1e5 * factor) as u64));
        }
        prop_assert_eq!(before, predicted(&router, amount));
    }

    #[test]
    fn a_lasting_change_is_learned(
        amount in 1_u64..1 << 40,
        factor in prop_oneof![0.01_f64..0.3, 3.0..100.0_f64],
    ) {
        let router = router();
        for _ in 0..100 {
            router.observe(&work(amount), CPU, &took(100_000));
        }
        for _ in 0..5 {
            router.observe(&work(amount), CPU, &took((1e5 * factor) as u64));
        }
        let found: f64 = predicted(&router, amount).unwrap();
        let error: f64 = found / (1e5 * factor) - 1.0;
        prop_assert!(error.abs() < 0.01, "{found}");
    }
}

#[test]
fn without_measurements_there_is_no_prediction() {
    let router = router();
    let candidate = router.candidate(&work(100), CPU);
    assert_eq!((candidate.cost, candidate.samples), (None, 0));
}

#[test]
fn confidence_grows_with_samples_and_falls_with_distance_and_deviation() {
    let confidence = |router: &Router, amount| router.candidate(&work(amount), CPU).confidence;
    let steady = router();
    let mut last = 0.0;
    for _ in 0..10 {
        steady.observe(&work(1 << 20), CPU, &took(1_000_000));
        let now = confidence(&steady, 1 << 20);
        assert!(now > last, "{now} after {last}");
        last = now;
    }
    let mut nearer = last;
    for octave in 21..30 {
        let now = confidence(&steady, 1 << octave);
        assert!(now < nearer, "octave {octave}: {now} after {nearer}");
        nearer = now;
    }
    let unsteady = router();
    for ns in [1_000_000, 800_000, 1_200_000, 900_000, 1_100_000]
        .into_iter()
        .cycle()
        .take(10)
    {
        unsteady.observe(&work(1 << 20), CPU, &took(ns));
    }
    assert!(confidence(&unsteady, 1 << 20) < last);
}

#[test]
fn many_threads_may_decide_and_learn_at_once() {
    let router = router();
    std::thread::scope(|scope| {
        for thread in 0..8_u64 {
            let router = &router;
            scope.spawn(move || {
                for step in 0..2_000_u64 {
                    let d = work(1 << (10 + (step + thread) % 12));
                    let decision = router.decide(&d, &|_| true, None).unwrap();
                    router.learn(&d, &decision, &took(100 + d.work));
                }
            });
        }
    });
    assert_eq!(router.decision_counts().decisions, 16_000);
    let found = predicted(&router, 1 << 15).unwrap();
    assert!(
        (found / (100.0 + f64::from(1 << 15)) - 1.0).abs() < 0.05,
        "{found}"
    );
}

/// A large map streams from host to host with its kernels hidden by the transfers. Its cost on data
/// already on the device is learned too, and agrees with runs on such data.
#[test]
fn work_measured_with_overlap_is_predicted_without_overlap() {
    let router = Router::new(&[CPU, GPU], RouteSettings::default());
    let kernel_ns = |work: u64| work / 1_000;
    let resident = |work: u64| describe(&XOR, work, work, Residency::Both(GPU));
    for work in [1_000, 16_000, 256_000].repeat(6) {
        let timing = Timing::of(Nanos(15_000 + kernel_ns(work))).on_device(Nanos(kernel_ns(work)));
        router.observe(&resident(work), GPU, &timing);
    }
    let large = 16_000_000;
    let streamed = describe(&XOR, large, large, Residency::Host);
    let moved = TransferTotals {
        up: streamed.missing(GPU),
        down: streamed.returned(GPU),
        up_time: Nanos(800_000),
        down_time: Nanos(400_000),
    };
    let timing = Timing::of(Nanos(1_205_000))
        .on_device(Nanos(kernel_ns(large)))
        .moving(moved);
    for _ in 0..6 {
        router.observe(&streamed, GPU, &timing);
    }
    let cost_of = |d: &Description| router.candidate(d, GPU).cost.unwrap();
    let there = cost_of(&resident(large)).total_ns();
    assert!((28_000.0..36_000.0).contains(&there), "{there}");
    let whole = cost_of(&streamed).total_ns();
    assert!((1_150_000.0..1_300_000.0).contains(&whole), "{whole}");
}
