//! Attempts that make progress: [`Verdict::RetryAnew`].

use std::cell::{Cell, RefCell};
use std::future::ready;
use std::time::Duration;

use rejitter::testing::VirtualTime;
use rejitter::{
    HedgeOptions, Jitter, Protection, RetryPolicy, Seed, Sleeper, StopReason, Verdict, retry,
    retry_with_attempt,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::{MS, steady, story};
use crate::common::clockless::Clockless;

/// Ceilings of 100 ms, 200 ms, …, without jitter.
const DOUBLING: RetryPolicy = RetryPolicy::exponential()
    .with_base(Duration::from_millis(100))
    .with_jitter(Jitter::None);

/// An attempt of this length, which fails and makes progress or not.
fn attempt(time: &VirtualTime, ms: u32, progress: bool) -> impl Future<Output = Result<(), bool>> {
    let busy = Sleeper::sleep(time, ms * MS);
    async move {
        busy.await;
        Err(progress)
    }
}

fn anew(progress: &bool) -> Verdict {
    if *progress {
        Verdict::RetryAnew
    } else {
        Verdict::Retry
    }
}

#[test]
fn attempts_go_on_being_numbered_and_those_left_are_of_the_row() {
    let time = VirtualTime::new();
    let (seen, asked, told) = (RefCell::default(), RefCell::default(), RefCell::default());
    let failed = retry_with_attempt(steady(3), |attempt| {
        let mut seen = seen.borrow_mut();
        Vec::push(&mut seen, (attempt.attempt, attempt.attempts_left));
        ready(Err::<(), bool>(attempt.attempt == 2))
    })
    .when_attempt(|progress, attempt| {
        Vec::push(
            &mut asked.borrow_mut(),
            (attempt.attempt, attempt.attempts_left),
        );
        anew(progress)
    })
    .notify(|event| Vec::push(&mut told.borrow_mut(), (event.attempt, event.progressed)))
    .report()
    .sleeper(&time);
    let failed = time.block_on(failed).unwrap_err();
    assert_eq!(*seen.borrow(), [(1, 2), (2, 1), (3, 1), (4, 0)]);
    assert_eq!(*asked.borrow(), *seen.borrow());
    assert_eq!(
        *told.borrow(),
        [(1, false), (2, true), (3, false), (4, false)]
    );
    assert_eq!(
        (failed.reason, failed.report.attempts),
        (StopReason::Exhausted, 4)
    );
    let records = failed.report.records.iter();
    let progressed: Vec<_> = records.map(|record| record.progressed).collect();
    assert_eq!(progressed, [false, true, false, false]);
}

#[test]
fn one_attempt_stays_one() {
    let time = VirtualTime::new();
    let call = retry(steady(1), || ready(Err::<(), _>(true))).when(anew);
    let failed = time.block_on(call.report().sleeper(&time)).unwrap_err();
    assert_eq!(
        (failed.reason, failed.report.attempts),
        (StopReason::Exhausted, 1)
    );
    assert!(failed.report.records[0].progressed);
}

#[test]
fn no_draw_is_used_twice() {
    let time = VirtualTime::new();
    let policy = RetryPolicy::default().with_max_attempts(2);
    let calls = Cell::new(0);
    // Each attempt takes longer than the last wait could have been: all waits are the first of a row.
    let call = retry(policy, || {
        calls.set(calls.get() + 1);
        attempt(&time, 100, calls.get() < 6)
    });
    let call = call.when(anew).seed(7).report().sleeper(&time);
    let (waits, reason) = story(&time.block_on(call).unwrap_err());
    let drawn = |k| Duration::from_secs_f64(Seed::new(7).draws(0, k).r / 10.0);
    assert_eq!((waits.len(), reason), (5, StopReason::Exhausted));
    for (k, wait) in (1..).zip(waits) {
        assert!(
            wait.abs_diff(drawn(k)) < Duration::from_micros(1),
            "{k}: {wait:?}"
        );
    }
}

#[test]
fn the_k_of_a_curve_is_that_of_the_wait_in_its_row() {
    // The attempts before the second success of each take 100 ms or none.
    for (ms, expected) in [(100, [1, 1, 2, 1, 2]), (0, [1, 2, 3, 4, 5])] {
        let (time, ks, calls) = (VirtualTime::new(), RefCell::default(), Cell::new(0));
        let policy = RetryPolicy::custom()
            .with_jitter(Jitter::None)
            .with_max_attempts(3);
        let call = retry(policy, || {
            calls.set(calls.get() + 1);
            attempt(&time, ms, [2, 4].contains(&calls.get()))
        });
        let call = call.when(anew).curve(|k| {
            Vec::push(&mut ks.borrow_mut(), k);
            100 * MS
        });
        assert!(time.block_on(call.sleeper(&time)).is_err());
        assert_eq!(*ks.borrow(), expected);
    }
}

#[test]
fn jitters_look_back_at_nothing_where_the_waits_begin_again() {
    let policy = |jitter| {
        RetryPolicy::exponential()
            .with_base(100 * MS)
            .with_jitter(jitter)
            .with_max_attempts(3)
    };
    for jitter in [
        Jitter::Decorrelated,
        Jitter::DecorrelatedBounded,
        Jitter::PollyV2,
    ] {
        let time = VirtualTime::new();
        let call = retry(policy(jitter), || attempt(&time, 60_000, true)).when(anew);
        let mut waits = Vec::new();
        let call = call
            .total_timeout(Duration::from_secs(600))
            .notify(|event| waits.extend(event.delay))
            .seed(3)
            .sleeper(&time);
        assert!(time.block_on(call).is_err());
        // A first wait is within 3 × base, and Polly's within 1.1 × base / 1.4 × 2.
        assert!(
            waits.len() > 8 && waits.iter().all(|wait| *wait <= 300 * MS),
            "{waits:?}"
        );
    }
}

#[test]
fn a_deadline_bounds_it() {
    let (time, calls) = (VirtualTime::new(), Cell::new(0));
    let call = retry(steady(3), || {
        calls.set(calls.get() + 1);
        attempt(&time, 20, true)
    });
    let call = call.when(anew).retry_for(1_000 * MS).sleeper(&time);
    assert_eq!(time.block_on(call), Err(true));
    assert_eq!((calls.get(), time.now()), (9, 980 * MS));
}

#[test]
fn without_a_clock_the_waits_go_on() {
    let time = VirtualTime::new();
    let call = retry(DOUBLING.with_max_attempts(3), || attempt(&time, 500, true)).when(anew);
    let mut waits = Vec::new();
    let call = call
        .retry_for(1_000 * MS)
        .notify(|event| waits.extend(event.delay))
        .sleeper(Clockless(&time));
    assert!(time.block_on(call).is_err());
    assert_eq!(waits, [100 * MS, 200 * MS, 400 * MS]);
}

#[test]
fn a_round_begins_anew_if_any_of_its_ends_made_progress() {
    for progress in [(true, false), (false, true), (true, true)] {
        let time = VirtualTime::new();
        let api = Protection::new().hedge(HedgeOptions::DEFAULT.with_delay(50 * MS));
        let calls = Cell::new(0);
        // Attempt 1 and its hedge 2 fail in one round, of which the limit of 3 counts one.
        let call = retry_with_attempt(DOUBLING.with_max_attempts(3), |begun| {
            calls.set(calls.get() + 1);
            match begun.attempt {
                1 => attempt(&time, 80, progress.0),
                2 => attempt(&time, 10, progress.1),
                _ => attempt(&time, 10, false),
            }
        });
        let mut waits = Vec::new();
        let call = call
            .when(anew)
            .notify(|event| waits.extend(event.delay))
            .protection(&api)
            .hedge()
            .sleeper(&time);
        let failed = time.block_on(call).unwrap_err();
        let records = failed.report.records.iter();
        let progressed: Vec<_> = records.map(|record| record.progressed).collect();
        assert_eq!(progressed, [progress.0, progress.1, false, false]);
        assert_eq!((failed.reason, calls.get()), (StopReason::Exhausted, 4));
        assert_eq!(waits, [100 * MS, 200 * MS]);
    }
}
