//! The Rust API on virtual time: the same tests natively and in wasm.

use std::cell::{Cell, RefCell};
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use rejitter::testing::VirtualTime;
use rejitter::{
    AttemptError, Backoff, Jitter, MAX_MS, RetryError, RetryOptions, RetryPolicy, Seed, Sleeper,
    StopReason, TimeoutError, UNLIMITED, Verdict, duration_from_ms, retry, retry_with_attempt,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::common::{VECTORS, Vector, vectors};

mod forms;
mod model;
mod operations;
mod protection;

const MS: Duration = Duration::from_millis(1);
const NS: Duration = Duration::from_nanos(1);

/// An error that cannot be copied, so the caller must get the very same.
#[derive(Debug, PartialEq, Eq)]
struct Failed(u64);

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "attempt {} failed", self.0)
    }
}

impl Error for Failed {}

fn policy(options: RetryOptions) -> RetryPolicy {
    RetryPolicy::from_options(options).expect("valid options")
}

/// Waits of exactly 100 ms.
fn steady(max_attempts: u64) -> RetryPolicy {
    policy(RetryOptions {
        backoff: Backoff::Fixed,
        jitter: Jitter::None,
        base_ms: Some(100.0),
        max_attempts: Some(max_attempts),
        ..RetryOptions::default()
    })
}

/// The delays in a report, and the reason.
fn story<E>(failed: &RetryError<E>) -> (Vec<Duration>, StopReason) {
    let records = &failed.report.records;
    let delays = records.iter().filter_map(|record| record.delay).collect();
    (delays, failed.reason)
}

#[test]
fn the_waits_are_those_of_the_policy_bit_for_bit() {
    for Vector {
        name, policy, seed, ..
    } in vectors(VECTORS)
    {
        let most = 60;
        let attempts = policy.max_attempts().min(most);
        let time = VirtualTime::new();
        let mut waits = Vec::new();
        let failed = time.block_on(
            retry_with_attempt(
                policy,
                |attempt| async move { Err::<(), _>(attempt.attempt) },
            )
            .seed(seed)
            .when(|attempt| *attempt < most)
            .notify(|event| waits.extend(event.delay))
            .report()
            .sleeper(time.clone()),
        );
        let failed = failed.unwrap_err();
        let expected: Vec<Duration> = policy
            .delays(seed)
            .take(usize::try_from(most).unwrap() - 1)
            .collect();
        assert_eq!(waits, expected, "{name}");
        assert_eq!(failed.report.attempts, attempts, "{name}");
        assert_eq!(failed.report.elapsed, expected.iter().sum(), "{name}");
        assert_eq!(time.now(), expected.iter().sum(), "{name}");
    }
}

#[test]
fn a_success_ends_it() {
    let time = VirtualTime::new();
    let attempts = Cell::new(0);
    let value = time.block_on(
        retry(steady(5), || async {
            attempts.set(attempts.get() + 1);
            if attempts.get() == 3 {
                Ok("value")
            } else {
                Err(Failed(attempts.get()))
            }
        })
        .report()
        .sleeper(time.clone()),
    );
    assert_eq!(value.unwrap(), "value");
    assert_eq!(attempts.get(), 3);
    assert_eq!(time.now(), 200 * MS);
    assert_eq!(time.waits(), 0);
}

#[test]
fn an_attempt_knows_its_number_and_its_times() {
    let time = VirtualTime::new();
    let seen = RefCell::new(Vec::new());
    let _ = time.block_on(
        retry_with_attempt(steady(3), |attempt| {
            seen.borrow_mut().push(attempt);
            let busy = time.sleep(5 * MS);
            async move {
                busy.await;
                Err::<(), _>(())
            }
        })
        .total_timeout(1_000 * MS)
        .report()
        .sleeper(time.clone()),
    );
    let seen: Vec<_> = seen
        .take()
        .into_iter()
        .map(|attempt| {
            (
                attempt.attempt,
                attempt.elapsed,
                attempt.remaining,
                attempt.previous_delay,
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            (1, Duration::ZERO, Some(1_000 * MS), None),
            (2, 105 * MS, Some(895 * MS), Some(100 * MS)),
            (3, 210 * MS, Some(790 * MS), Some(100 * MS)),
        ]
    );
}

#[test]
fn the_last_error_comes_out_by_value_with_the_story_beside_it() {
    let time = VirtualTime::new();
    let started = Cell::new(0);
    let failed = time.block_on(
        retry(steady(3), || {
            started.set(started.get() + 1);
            let (number, busy) = (started.get(), time.sleep(7 * MS));
            async move {
                busy.await;
                Err::<(), _>(Failed(number))
            }
        })
        .report()
        .keep_errors(10)
        .sleeper(time.clone()),
    );
    let failed = failed.unwrap_err();
    assert_eq!(failed.error, AttemptError::Error(Failed(3)));
    assert_eq!(failed.reason, StopReason::Exhausted);
    assert_eq!(failed.own_error(), Some(&Failed(3)));
    assert_eq!(
        failed.to_string(),
        "attempt 3 failed (after 3 attempts: exhausted)"
    );
    // The text is there already, and printing the chain would print it twice.
    assert!(failed.source().is_none());
    let errors: Vec<_> = failed.errors().filter_map(AttemptError::error).collect();
    assert_eq!(errors, [&Failed(1), &Failed(2), &Failed(3)]);

    let report = &failed.report;
    assert_eq!((report.attempts, report.dropped, report.hint), (3, 0, None));
    assert_eq!(report.elapsed, 221 * MS);
    let records: Vec<_> = report
        .records
        .iter()
        .map(|record| (record.attempt, record.start, record.duration, record.delay))
        .collect();
    assert_eq!(
        records,
        [
            (1, Duration::ZERO, 7 * MS, Some(100 * MS)),
            (2, 107 * MS, 7 * MS, Some(100 * MS)),
            (3, 214 * MS, 7 * MS, None),
        ]
    );
    assert_eq!(failed.into_inner(), Ok(Failed(3)));
}

#[test]
fn forty_failures_by_a_factor_of_ten_neither_overflow_nor_pass_the_cap() {
    for cap_ms in [10_000.0, MAX_MS, f64::INFINITY] {
        let policy = policy(RetryOptions {
            factor: Some(10.0),
            cap_ms: Some(cap_ms),
            max_attempts: Some(40),
            ..RetryOptions::default()
        });
        let time = VirtualTime::new();
        let longest = Cell::new(Duration::ZERO);
        let failed = time.block_on(
            retry(policy, || async { Err::<(), _>(()) })
                .notify(|event| longest.set(longest.get().max(event.delay.unwrap_or_default())))
                .report()
                .sleeper(time.clone()),
        );
        let report = failed.unwrap_err().report;
        assert_eq!((report.attempts, report.dropped), (40, 30));
        let numbers: Vec<_> = report.records.iter().map(|record| record.attempt).collect();
        assert_eq!(numbers, [1, 32, 33, 34, 35, 36, 37, 38, 39, 40]);
        assert!(longest.get() <= duration_from_ms(cap_ms.min(MAX_MS)));
        assert!(longest.get() > Duration::from_secs(1));
    }
}

#[test]
fn no_wait_is_begun_that_would_end_at_the_deadline() {
    for (total, attempts, elapsed) in [
        (300 * MS - NS, 3, 200 * MS),
        (300 * MS, 3, 200 * MS),
        (300 * MS + NS, 4, 300 * MS),
        (NS, 1, Duration::ZERO),
        (Duration::ZERO, 1, Duration::ZERO),
    ] {
        let time = VirtualTime::new();
        let failed = time.block_on(
            retry(steady(UNLIMITED), || async { Err::<(), _>(Failed(0)) })
                .total_timeout(total)
                .report()
                .sleeper(time.clone()),
        );
        let failed = failed.unwrap_err();
        assert_eq!(failed.reason, StopReason::Deadline, "{total:?}");
        assert_eq!(failed.error, AttemptError::Error(Failed(0)), "{total:?}");
        assert_eq!(failed.report.attempts, attempts, "{total:?}");
        assert_eq!(time.now(), elapsed, "{total:?}");
        assert_eq!(failed.report.records.last().unwrap().delay, None);
    }
}

#[test]
fn a_wait_that_ends_at_the_deadline_only_when_rounded_up_is_not_begun() {
    let almost = policy(RetryOptions {
        backoff: Backoff::Fixed,
        jitter: Jitter::None,
        base_ms: Some(99.999_999_9),
        ..RetryOptions::default()
    });
    let time = VirtualTime::new();
    let failed = time.block_on(
        retry(almost, || async { Err::<(), _>(()) })
            .total_timeout(100 * MS)
            .report()
            .sleeper(time.clone()),
    );
    assert_eq!(story(&failed.unwrap_err()), (vec![], StopReason::Deadline));
    assert_eq!(time.now(), Duration::ZERO);
}

#[test]
fn nothing_remains_when_the_outcome_is_given() {
    for succeeds in [true, false] {
        let time = VirtualTime::new();
        let held = Rc::new(());
        let future = retry(steady(1), || {
            let held = held.clone();
            async move {
                let answer = if succeeds { Ok(()) } else { Err(()) };
                drop(held);
                answer
            }
        })
        .attempt_timeout(MS)
        .sleeper(time.clone());
        let mut future = pin!(future);
        assert_eq!(time.block_on(future.as_mut()).is_ok(), succeeds);
        assert_eq!((time.waits(), Rc::strong_count(&held)), (0, 1));
    }
}

#[test]
fn an_overflowing_deadline_means_no_limit() {
    let time = VirtualTime::new();
    time.advance(MS);
    let failed = time.block_on(
        retry(steady(3), || async { Err::<(), _>(()) })
            .total_timeout(Duration::MAX)
            .attempt_timeout(Duration::MAX)
            .report()
            .sleeper(time.clone()),
    );
    assert_eq!(failed.unwrap_err().reason, StopReason::Exhausted);
}

#[test]
fn an_attempt_that_outlives_its_timeout_is_dropped_and_retried() {
    struct Guard<'a>(&'a Cell<u32>);
    impl Drop for Guard<'_> {
        fn drop(&mut self) {
            self.0.set(self.0.get() + 1);
        }
    }
    let (time, dropped) = (VirtualTime::new(), Cell::new(0));
    let mut events = Vec::new();
    let failed = time.block_on(
        retry(steady(3), || async {
            let _guard = Guard(&dropped);
            std::future::pending::<Result<(), Failed>>().await
        })
        .when(|_| -> bool { unreachable!("a timeout is not an error of the operation's") })
        .notify(|event| events.push((event.attempt, event.elapsed, dropped.get(), event.delay)))
        .attempt_timeout(30 * MS)
        .report()
        .sleeper(time.clone()),
    );
    let failed = failed.unwrap_err();
    assert_eq!(
        failed.error,
        AttemptError::Timeout(TimeoutError::Attempt { after: 30 * MS })
    );
    assert_eq!(failed.reason, StopReason::Exhausted);
    assert_eq!(failed.own_error(), None);
    assert!(failed.source().is_none());
    assert_eq!(
        failed.to_string(),
        "the attempt timed out after 30ms (after 3 attempts: exhausted)"
    );
    assert_eq!(
        events,
        [
            (1, 30 * MS, 1, Some(100 * MS)),
            (2, 160 * MS, 2, Some(100 * MS)),
            (3, 290 * MS, 3, None),
        ]
    );
    assert_eq!(time.waits(), 0);
}

#[test]
fn timeouts_are_not_retried_when_the_caller_says_so() {
    let time = VirtualTime::new();
    let failed = time.block_on(
        retry(steady(3), std::future::pending::<Result<(), Failed>>)
            .attempt_timeout(30 * MS)
            .retry_timeouts(false)
            .report()
            .sleeper(time.clone()),
    );
    let failed = failed.unwrap_err();
    assert_eq!(failed.reason, StopReason::NotRetryable);
    assert_eq!(failed.report.attempts, 1);
}

#[test]
fn an_attempt_that_ends_with_its_timeout_has_ended_in_time() {
    let time = VirtualTime::new();
    let value = time.block_on(
        retry(steady(3), || async {
            time.sleep(30 * MS).await;
            Ok::<_, ()>(time.now())
        })
        .attempt_timeout(30 * MS)
        .total_timeout(30 * MS)
        .report()
        .sleeper(time.clone()),
    );
    assert_eq!(value, Ok(30 * MS));
}

#[test]
fn a_deadline_during_an_attempt_ends_it_with_the_earlier_failure_as_source() {
    // The attempt's own timeout comes with the deadline, or later, or is not set.
    for timeout in [Some(50 * MS), Some(60 * MS), None] {
        let time = VirtualTime::new();
        let operation = retry_with_attempt(steady(UNLIMITED), |attempt| {
            let busy = time.sleep(if attempt.attempt == 1 {
                Duration::ZERO
            } else {
                1_000 * MS
            });
            async move {
                busy.await;
                Err::<(), _>(Failed(attempt.attempt))
            }
        })
        .total_timeout(150 * MS)
        .report()
        .sleeper(time.clone());
        let failed = match timeout {
            Some(timeout) => time.block_on(operation.attempt_timeout(timeout)),
            None => time.block_on(operation),
        };
        let failed = failed.unwrap_err();
        assert_eq!(
            failed.error,
            AttemptError::Timeout(TimeoutError::Deadline { after: 150 * MS })
        );
        assert_eq!(failed.reason, StopReason::Timeout);
        assert_eq!(failed.report.attempts, 2);
        assert_eq!(failed.report.elapsed, 150 * MS);
        assert_eq!(
            failed.to_string(),
            "the operation timed out after 150ms (after 2 attempts: timeout; before: attempt 1 failed)"
        );
        assert_eq!(failed.into_inner(), Ok(Failed(1)));
    }
}

#[test]
fn with_no_time_at_all_the_first_attempt_has_one_poll() {
    let time = VirtualTime::new();
    let ready = time.block_on(
        retry(steady(3), || async { Ok::<_, ()>(1) })
            .total_timeout(Duration::ZERO)
            .attempt_timeout(Duration::ZERO)
            .report()
            .sleeper(time.clone()),
    );
    assert_eq!(ready, Ok(1));
    let failed = time.block_on(
        retry(steady(3), std::future::pending::<Result<(), ()>>)
            .total_timeout(Duration::ZERO)
            .report()
            .sleeper(time.clone()),
    );
    let failed = failed.unwrap_err();
    assert_eq!(
        (failed.reason, failed.report.attempts),
        (StopReason::Timeout, 1)
    );
}

/// A sleeper whose waits end later than requested, as on a busy machine.
#[derive(Clone)]
struct Late(VirtualTime);

impl Sleeper for Late {
    type Sleep = <VirtualTime as Sleeper>::Sleep;

    fn sleep(&self, duration: Duration) -> Self::Sleep {
        self.0.sleep(duration + 50 * MS)
    }

    fn now(&self) -> Option<Duration> {
        Some(self.0.now())
    }
}

#[test]
fn no_attempt_begins_at_or_after_the_deadline() {
    for (total, attempts) in [(140 * MS, 1), (150 * MS, 1), (151 * MS, 2)] {
        let time = VirtualTime::new();
        let failed = time.block_on(
            retry(steady(UNLIMITED), || async { Err::<(), _>(Failed(0)) })
                .total_timeout(total)
                .report()
                .sleeper(Late(time.clone())),
        );
        let failed = failed.unwrap_err();
        assert_eq!(failed.report.attempts, attempts, "{total:?}");
        assert_eq!(failed.reason, StopReason::Deadline);
        assert_eq!(failed.own_error(), Some(&Failed(0)));
        // The wait that ended late is in the record.
        let delay = failed.report.records[0].delay;
        assert_eq!(delay, Some(100 * MS));
    }
}

#[test]
fn the_condition_stops_or_names_the_wait() {
    let run = |verdict: fn(&u64) -> Verdict| {
        let time = VirtualTime::new();
        let failed = time.block_on(
            retry_with_attempt(
                steady(4),
                |attempt| async move { Err::<(), _>(attempt.attempt) },
            )
            .when(verdict)
            .report()
            .sleeper(time.clone()),
        );
        story(&failed.unwrap_err())
    };
    assert_eq!(run(|_| Verdict::Stop), (vec![], StopReason::NotRetryable));
    assert_eq!(
        run(|_| Verdict::Retry),
        (vec![100 * MS; 3], StopReason::Exhausted)
    );
    // Longer than the cap, shorter than any wait, and nothing, to the nanosecond.
    assert_eq!(
        run(|attempt| match attempt {
            1 => Verdict::RetryExactly(Duration::new(86_400, 1)),
            2 => Verdict::RetryExactly(NS),
            _ => Verdict::RetryExactly(Duration::ZERO),
        }),
        (
            vec![Duration::new(86_400, 1), NS, Duration::ZERO],
            StopReason::Exhausted
        )
    );
    // Asked about the last attempt, too.
    assert_eq!(
        run(|attempt| (*attempt < 4).into()),
        (vec![100 * MS; 3], StopReason::NotRetryable)
    );
}

#[test]
fn a_named_wait_must_end_before_the_deadline() {
    for (delay, reason) in [
        (40 * MS - NS, StopReason::Exhausted),
        (40 * MS, StopReason::Deadline),
        (Duration::MAX, StopReason::Deadline),
    ] {
        let time = VirtualTime::new();
        let failed = time.block_on(
            retry(steady(2), || async { Err::<(), _>(()) })
                .when(|()| Verdict::RetryExactly(delay))
                .total_timeout(40 * MS)
                .report()
                .sleeper(time.clone()),
        );
        assert_eq!(failed.unwrap_err().reason, reason, "{delay:?}");
    }
}

#[test]
fn a_hint_is_never_undercut_and_spread_upwards() {
    let policy = policy(RetryOptions {
        max_attempts: Some(2),
        ..RetryOptions::default()
    });
    for requested in [NS, MS, 250 * MS, 60_000 * MS, Duration::new(3, 141_592_653)] {
        let mut waits = Vec::new();
        for seed in 0..50 {
            let time = VirtualTime::new();
            let failed = time.block_on(
                retry(policy, || async { Err::<(), _>(requested) })
                    .hint(|requested| Some(*requested))
                    .seed(seed)
                    .report()
                    .sleeper(time.clone()),
            );
            let failed = failed.unwrap_err();
            assert_eq!(failed.report.hint, Some(requested));
            let wait = failed.report.records[0].delay.unwrap();
            assert!(wait >= requested, "{wait:?} of {requested:?}");
            assert!(wait <= requested + (requested / 2).max(100 * MS) + 2 * NS);
            waits.push(wait);
        }
        waits.sort();
        waits.dedup();
        assert!(
            waits.len() > 40,
            "{requested:?}: {} waits differ",
            waits.len()
        );
    }
}

#[test]
fn too_long_a_hint_ends_it_unless_the_policy_follows_that_far() {
    let run = |requested: Duration, options: RetryOptions| {
        let time = VirtualTime::new();
        let failed = time.block_on(
            retry(policy(options), || async { Err::<(), _>(()) })
                .hint(|()| Some(requested))
                .seed("hints")
                .report()
                .sleeper(time.clone()),
        );
        let failed = failed.unwrap_err();
        let longest = Duration::from_nanos(u64::MAX - 1);
        assert_eq!(failed.report.hint, Some(requested.min(longest)));
        (failed.reason, failed.report.attempts)
    };
    let two = RetryOptions {
        max_attempts: Some(2),
        ..RetryOptions::default()
    };
    let minute = Duration::from_secs(60);
    assert_eq!(run(minute, two), (StopReason::Exhausted, 2));
    assert_eq!(run(minute + NS, two), (StopReason::Hint, 1));
    assert_eq!(run(Duration::MAX, two), (StopReason::Hint, 1));
    let capped = RetryOptions {
        cap_long_retry_after: true,
        ..two
    };
    assert_eq!(run(Duration::MAX, capped), (StopReason::Exhausted, 2));
    // Zero is not a hint.
    assert_eq!(run(Duration::ZERO, two), (StopReason::Exhausted, 2));
}

#[test]
fn hints_and_named_waits_do_not_feed_the_decorrelated_wait() {
    let policy = policy(RetryOptions {
        jitter: Jitter::Decorrelated,
        cap_ms: Some(1e6),
        max_attempts: Some(4),
        ..RetryOptions::default()
    });
    let seed = Seed::new(11);
    let time = VirtualTime::new();
    let failed = time.block_on(
        retry_with_attempt(
            policy,
            |attempt| async move { Err::<(), _>(attempt.attempt) },
        )
        .hint(|attempt| (*attempt == 1).then_some(50_000 * MS))
        .when(|attempt| match attempt {
            2 => Verdict::RetryExactly(90_000 * MS),
            _ => Verdict::Retry,
        })
        .seed(seed)
        .report()
        .sleeper(time.clone()),
    );
    // The third wait is drawn as the first one would be: from base to 3·base.
    let expected = 100.0 + seed.draws(0, 3).r * 200.0;
    let (delays, _) = story(&failed.unwrap_err());
    assert_eq!(delays[2], duration_from_ms(expected));
}

#[test]
fn a_hint_of_an_earlier_failure_is_not_reported() {
    let time = VirtualTime::new();
    let failed = time.block_on(
        retry_with_attempt(
            steady(5),
            |attempt| async move { Err::<(), _>(attempt.attempt) },
        )
        .hint(|attempt| (*attempt == 1).then_some(MS))
        .when(|attempt| *attempt < 2)
        .report()
        .sleeper(time.clone()),
    );
    assert_eq!(failed.unwrap_err().report.hint, None);
}

#[test]
fn a_curve_of_ones_own_is_capped_and_jittered() {
    let policy = policy(RetryOptions {
        backoff: Backoff::Custom,
        jitter: Jitter::Equal,
        cap_ms: Some(500.0),
        max_attempts: Some(4),
        ..RetryOptions::default()
    });
    let (seed, time, mut numbers) = (Seed::new(3), VirtualTime::new(), Vec::new());
    let failed = time.block_on(
        retry(policy, || async { Err::<(), _>(()) })
            .curve(|k| {
                numbers.push(k);
                if k == 3 { Duration::MAX } else { 10 * MS }
            })
            .seed(seed)
            .report()
            .sleeper(time.clone()),
    );
    let (delays, _) = story(&failed.unwrap_err());
    let expected: Vec<_> = [(1, 10.0), (2, 10.0), (3, 500.0)]
        .map(|(k, c)| duration_from_ms(c / 2.0 + seed.draws(0, k).r * (c - c / 2.0)))
        .into();
    assert_eq!(delays, expected);
    assert_eq!(numbers, [1, 2, 3]);

    // Other backoffs have curves of their own.
    let failed = time.block_on(
        retry(steady(2), || async { Err::<(), _>(()) })
            .curve(|_| unreachable!("not called"))
            .report()
            .sleeper(time.clone()),
    );
    assert!(failed.is_err());
}

/// The server's hint and the curve's wait: the longer counts.
#[test]
fn a_hint_does_not_switch_the_curve_off() {
    let policy = policy(RetryOptions {
        backoff: Backoff::Custom,
        jitter: Jitter::None,
        max_attempts: Some(4),
        ..RetryOptions::default()
    });
    let time = VirtualTime::new();
    let failed = time.block_on(
        retry(policy, || async { Err::<(), _>(()) })
            .hint(|()| Some(NS))
            .curve(|k| Duration::from_secs(20 * k))
            .seed(3)
            .report()
            .sleeper(time.clone()),
    );
    let (delays, _) = story(&failed.unwrap_err());
    assert_eq!(delays, [20, 40, 60].map(Duration::from_secs));
}

#[test]
fn dropping_the_future_cancels_everything() {
    let mut context = Context::from_waker(Waker::noop());
    // Never polled; during an attempt; during a wait.
    for polls in 0..3 {
        let time = VirtualTime::new();
        let attempts = Cell::new(0);
        {
            let mut future = Box::pin(
                retry(steady(5), || async {
                    attempts.set(attempts.get() + 1);
                    time.sleep(10 * MS).await;
                    Err::<(), _>(())
                })
                .attempt_timeout(20 * MS)
                .total_timeout(1_000 * MS)
                .sleeper(time.clone()),
            );
            for _ in 0..polls {
                assert!(future.as_mut().poll(&mut context).is_pending());
                time.advance(10 * MS);
            }
            assert_eq!(time.waits(), [0, 2, 1][polls]);
        }
        assert_eq!(time.waits(), 0);
        assert_eq!(attempts.get(), polls.min(1));
    }
}

/// A wait ends when its time has come, even if it is not polled.
#[test]
fn virtual_time_goes_on_past_a_wait_that_is_not_polled() {
    let time = VirtualTime::new();
    let forgotten = time.sleep(100 * MS);
    let other = time.clone();
    time.block_on(async move {
        other.sleep(300 * MS).await;
    });
    assert_eq!(time.now(), 300 * MS);
    assert_eq!(time.waits(), 1);
    drop(forgotten);
    assert_eq!(time.waits(), 0);
}

#[test]
fn nothing_happens_before_it_is_polled_and_others_run_between_attempts() {
    let attempts = Cell::new(0);
    let time = VirtualTime::new();
    let policy = policy(RetryOptions {
        base_ms: Some(0.0),
        max_attempts: Some(10),
        ..RetryOptions::default()
    });
    let future = retry(policy, || {
        attempts.set(attempts.get() + 1);
        std::future::ready(Err::<(), _>(()))
    })
    .sleeper(time.clone());
    assert_eq!(attempts.get(), 0);
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    for attempt in 1..=10 {
        let polled = future.as_mut().poll(&mut context);
        assert_eq!(attempts.get(), attempt);
        assert_eq!(polled.is_ready(), attempt == 10);
    }
}

#[test]
fn operations_without_a_seed_draw_for_themselves() {
    let waits = || {
        let time = VirtualTime::new();
        let operation = retry(policy(RetryOptions::default()), || async {
            Err::<(), _>(())
        });
        let failed = time.block_on(operation.report().sleeper(time.clone()));
        story(&failed.unwrap_err()).0
    };
    let (a, b) = (waits(), waits());
    assert_eq!((a.len(), b.len()), (5, 5));
    assert_ne!(a, b);
}

#[test]
fn operations_may_be_nested_and_share_a_policy() {
    let time = VirtualTime::new();
    let inner_attempts = Cell::new(0);
    let failed = time.block_on(
        retry(steady(3), || async {
            retry(steady(2), || async {
                inner_attempts.set(inner_attempts.get() + 1);
                Err::<(), _>(Rc::new(Failed(inner_attempts.get())))
            })
            .report()
            .sleeper(time.clone())
            .await
        })
        .report()
        .sleeper(time.clone()),
    );
    let inner: RetryError<Rc<Failed>> = failed.unwrap_err().into_inner().unwrap();
    assert_eq!(*inner.into_inner().unwrap(), Failed(6));
    assert_eq!(time.now(), 3 * 100 * MS + 2 * 100 * MS);
}

#[test]
fn async_closures_and_functions_are_operations() {
    async fn answer() -> Result<u32, Failed> {
        Ok(42)
    }
    let time = VirtualTime::new();
    let value = time.block_on(retry(steady(2), answer).report().sleeper(time.clone()));
    assert_eq!(value.unwrap(), 42);
    let number = 43;
    let closure = async || Ok::<_, Failed>(number);
    let value = time.block_on(retry(steady(2), closure).report().sleeper(time.clone()));
    assert_eq!(value.unwrap(), 43);
}

#[test]
fn a_retry_is_printed_without_its_error() {
    struct Opaque;
    let time = VirtualTime::new();
    let operation = || retry_with_attempt(steady(3), |_| async { Err::<(), _>(Opaque) });
    let printed = format!("{:?}", operation());
    assert!(
        printed.starts_with("Retry { stage: Ready, policy: RetryPolicy"),
        "{printed}"
    );
    assert!(time.block_on(operation().sleeper(&time)).is_err());
    let failed = time
        .block_on(operation().report().sleeper(&time))
        .err()
        .unwrap();
    assert_eq!(failed.report.attempts, 3);
}

#[test]
fn the_future_can_be_moved_between_polls_if_it_is_boxed_or_its_parts_can() {
    fn unpin<F: Future + Unpin>(future: F) -> F {
        future
    }
    let time = VirtualTime::new();
    let future = retry(steady(2), || async {
        let local = Cell::new(1);
        let address = &local;
        time.sleep(MS).await;
        Ok::<_, ()>(address.get())
    });
    let mut future = unpin(Box::pin(future.sleeper(&time)));
    let mut context = Context::from_waker(Waker::noop());
    assert!(future.as_mut().poll(&mut context).is_pending());
    let mut moved = Box::new(future);
    time.advance(MS);
    assert_eq!(pin!(&mut *moved).poll(&mut context), Poll::Ready(Ok(1)));

    let ready = || std::future::ready(Ok::<_, ()>(1));
    assert_eq!(
        time.block_on(unpin(retry(steady(2), ready).sleeper(&time))),
        Ok(1)
    );
}

#[test]
fn random_operations_go_as_the_model_says() {
    let operations = if cfg!(target_arch = "wasm32") {
        2_000
    } else {
        50_000
    };
    let mut reasons = std::collections::HashMap::new();
    for number in 0..operations {
        let reason = model::compare(number);
        *reasons.entry(reason).or_insert(0) += 1;
    }
    // Every end was reached often enough to mean something.
    for reason in [
        None,
        Some(StopReason::Exhausted),
        Some(StopReason::Deadline),
        Some(StopReason::Hint),
        Some(StopReason::NotRetryable),
        Some(StopReason::Timeout),
    ] {
        let times = reasons.get(&reason).copied().unwrap_or(0);
        assert!(
            times > operations / 100,
            "{reason:?}: {times} of {operations}"
        );
    }
}
