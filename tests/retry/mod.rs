//! The Rust API on virtual time: the same tests natively and in wasm.

use std::cell::Cell;
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use rejitter::decide::{MAX_MS, duration_from_ms};
use rejitter::reconnect::keep_connected;
use rejitter::testing::{VirtualSleep, VirtualTime};
use rejitter::{
    AttemptError, Backoff, CooldownOptions, HedgeOptions, Jitter, Protection, RetryError,
    RetryOptions, RetryPolicy, Signal, Sleeper, StopReason, TimeoutError, UNLIMITED, Verdict,
    presets, retry, retry_with_attempt,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::common::attempts::{begun, done, down, poll};

mod forms;
mod operations;
mod progress;
mod protection;
mod reconnect;

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

/// Waits of exactly 100 ms.
fn steady(max_attempts: u64) -> RetryPolicy {
    RetryPolicy::fixed(100 * MS)
        .with_jitter(Jitter::None)
        .with_max_attempts(max_attempts)
}

/// The delays in a report, and the reason.
fn story<E>(failed: &RetryError<E>) -> (Vec<Duration>, StopReason) {
    let records = &failed.report.records;
    let delays = records.iter().filter_map(|record| record.delay).collect();
    (delays, failed.reason)
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
fn a_wait_that_ends_at_the_deadline_only_when_rounded_up_is_not_begun() {
    let almost = RetryPolicy::from_options(RetryOptions {
        backoff: Backoff::Fixed,
        jitter: Jitter::None,
        base_ms: Some(99.999_999_9),
        ..RetryOptions::default()
    })
    .unwrap();
    let time = VirtualTime::new();
    let call = retry(almost, down).total_timeout(100 * MS).report();
    let failed = time.block_on(call.sleeper(&time)).unwrap_err();
    assert_eq!(story(&failed), (vec![], StopReason::Deadline));
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

/// Knows the longest time that it was asked for.
struct Longest(VirtualTime, Cell<Duration>);

impl Sleeper for Longest {
    type Sleep = VirtualSleep;

    fn sleep(&self, duration: Duration) -> VirtualSleep {
        self.1.set(self.1.get().max(duration));
        self.0.sleep(duration)
    }

    fn now(&self) -> Option<Duration> {
        Some(self.0.now())
    }
}

#[test]
fn no_setting_asks_a_sleeper_for_more_than_the_longest_wait() {
    let longest = duration_from_ms(MAX_MS);
    let policies = [
        steady(3),
        RetryPolicy::custom().with_cap(Duration::MAX),
        RetryPolicy::exponential()
            .with_base(longest)
            .with_jitter(Jitter::Additive { ratio: 1.0 }),
        presets::GRPC.with_base(longest),
        presets::P_RETRY_RANDOMIZED.with_base(longest),
    ];
    let verdicts = [
        Verdict::Retry,
        Verdict::RetryExactly(Duration::MAX),
        Verdict::RetryAtLeast(Duration::MAX),
    ];
    let mut most = Duration::ZERO;
    for (policy, verdict) in policies
        .into_iter()
        .flat_map(|policy| verdicts.map(|verdict| (policy, verdict)))
    {
        let sleeper = Longest(VirtualTime::new(), Cell::new(Duration::ZERO));
        sleeper.0.advance(MS);
        let time = sleeper.0.clone();
        let api = Protection::new()
            .hedge(HedgeOptions::DEFAULT.with_delay(longest))
            .cooldown(CooldownOptions::DEFAULT.with_max_hold(longest))
            .clock(move || time.now());
        let policy = policy
            .with_max_attempts(3)
            .with_max_retry_after(Duration::MAX);
        let operation = retry(policy, down)
            .when(|_| verdict)
            .curve(|_| Duration::MAX)
            .attempt_timeout(Duration::MAX)
            .protection(&api)
            .signal(|_| Some(Signal::Busy(Duration::MAX)))
            .hedge()
            .seed(7)
            .sleeper(&sleeper);
        let _ = sleeper.0.block_on(operation);
        most = most.max(sleeper.1.get());
    }
    assert_eq!(most, longest);
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
fn an_attempt_that_is_ready_wins_over_a_hedge_that_fell_due_while_the_process_was_stopped() {
    let time = VirtualTime::new();
    let answers = || async {
        time.sleep(30 * MS).await;
        Ok::<_, Failed>(7)
    };
    let api = Protection::new().hedge(HedgeOptions::DEFAULT.with_delay(10 * MS));
    let call = retry(steady(3), answers).attempt_timeout(20 * MS);
    let mut call = begun(call.protection(&api).hedge().sleeper(&time));
    time.advance(60_000 * MS);
    assert_eq!(poll(call.as_mut()), Poll::Ready(Ok(7)));
    assert_eq!(api.status().hedge.unwrap().hedges, 0);
    assert_eq!(time.waits(), 0);
}

#[test]
fn a_connection_that_opened_or_answered_while_the_process_was_stopped_lives() {
    let (time, opened) = (VirtualTime::new(), Cell::new(0));
    let kept = keep_connected(RetryPolicy::reconnecting(), |connection| {
        let (time, opened) = (&time, &opened);
        async move {
            time.sleep(30 * MS).await;
            connection.opened();
            opened.set(opened.get() + 1);
            connection.ping_due().await;
            time.sleep(30 * MS).await;
            connection.alive();
            std::future::pending::<Result<(), Failed>>().await
        }
    });
    let kept = kept
        .when(|end| -> bool { unreachable!("{end:?}") })
        .connect_timeout(20 * MS)
        .silence(40 * MS)
        .sleeper(&time);
    let mut kept = begun(kept.run());
    // A limit of 20 ms, and then half of the silence for the answer to a ping: each has passed long ago.
    for _ in 0..2 {
        time.advance(60_000 * MS);
        assert!(poll(kept.as_mut()).is_pending());
        assert_eq!(opened.get(), 1);
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
fn dropping_the_future_cancels_everything() {
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
                assert!(poll(future.as_mut()).is_pending());
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
    let policy = RetryPolicy::fixed(Duration::ZERO).with_max_attempts(10);
    let future = retry(policy, || {
        attempts.set(attempts.get() + 1);
        down()
    })
    .sleeper(time.clone());
    assert_eq!(attempts.get(), 0);
    let mut future = pin!(future);
    for attempt in 1..=10 {
        let polled = poll(future.as_mut());
        assert_eq!(attempts.get(), attempt);
        assert_eq!(polled.is_ready(), attempt == 10);
    }
}

#[test]
fn operations_without_a_seed_draw_for_themselves() {
    let waits = || {
        let time = VirtualTime::new();
        let operation = retry(RetryPolicy::default(), down).report();
        story(&time.block_on(operation.sleeper(&time)).unwrap_err()).0
    };
    let (a, b) = (waits(), waits());
    assert_eq!((a.len(), b.len()), (5, 5));
    assert_ne!(a, b);
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
    let mut moved = Box::new(unpin(begun(future.sleeper(&time))));
    time.advance(MS);
    assert_eq!(poll(pin!(&mut *moved)), Poll::Ready(Ok(1)));

    let ready = unpin(retry(steady(2), done).sleeper(&time));
    assert_eq!(time.block_on(ready), Ok(()));
}
