//! The blocking form.

use std::cell::Cell;
use std::time::{Duration, Instant};

use rejitter::testing::VirtualTime;
use rejitter::{BlockingSleeper, Jitter, RetryPolicy, Sleeper, StopReason, retry_blocking};

use crate::common::clockless::Clockless;

const MS: Duration = Duration::from_millis(1);

fn steady(base_ms: u32) -> RetryPolicy {
    RetryPolicy::fixed(base_ms * MS).with_jitter(Jitter::None)
}

/// A sleeper whose waits end later than requested.
struct Late(VirtualTime);

impl BlockingSleeper for Late {
    fn sleep(&self, duration: Duration) {
        self.0.advance(duration + 50 * MS);
    }

    fn now(&self) -> Option<Duration> {
        Some(self.0.now())
    }
}

#[test]
fn no_attempt_begins_at_or_after_the_deadline() {
    for (total, attempts) in [(150, 1), (151, 2)] {
        let failed = retry_blocking(steady(100), || Err::<(), _>("own"))
            .total_timeout(total * MS)
            .report()
            .sleeper(Late(VirtualTime::new()))
            .call()
            .unwrap_err();
        assert_eq!(failed.reason, StopReason::Deadline);
        assert_eq!(failed.report.attempts, attempts);
    }
}

#[test]
fn without_a_clock_the_waits_are_the_time() {
    let time = VirtualTime::new();
    let failed = retry_blocking(steady(10_000), || Err::<(), _>("own"))
        .total_timeout(25_000 * MS)
        .report()
        .sleeper(Clockless(&time))
        .call()
        .unwrap_err();
    assert_eq!(failed.reason, StopReason::Deadline);
    assert_eq!(time.now(), 20_000 * MS);
    assert_eq!(failed.report.elapsed, 20_000 * MS);
}

#[test]
fn threads_sleep_as_long_as_decided() {
    let started = Instant::now();
    let calls = Cell::new(0);
    let failed = retry_blocking(steady(15), || {
        calls.set(calls.get() + 1);
        Err::<(), _>(())
    })
    .when(|()| calls.get() < 4)
    .report()
    .call()
    .unwrap_err();
    assert!(started.elapsed() >= 45 * MS);
    assert!(failed.report.elapsed >= 45 * MS);
    assert!(failed.report.elapsed <= started.elapsed());
}

#[test]
fn a_function_is_a_sleeper() {
    let waits = Cell::new(0);
    let failed = retry_blocking(steady(60_000), || Err::<(), _>(()))
        .report()
        .sleep(|wait: Duration| {
            assert_eq!(wait, 60_000 * MS);
            waits.set(waits.get() + 1);
        })
        .call();
    assert_eq!(failed.unwrap_err().reason, StopReason::Exhausted);
    assert_eq!(waits.get(), 5);
}

/// A clock that goes three times as fast as the waits.
struct Fast(VirtualTime);

impl BlockingSleeper for Fast {
    fn sleep(&self, duration: Duration) {
        BlockingSleeper::sleep(&self.0, duration);
    }

    fn now(&self) -> Option<Duration> {
        Some(self.0.now() * 3)
    }
}

#[test]
fn a_borrowed_or_shared_sleeper_has_its_own_clock() {
    fn attempts(sleeper: impl BlockingSleeper) -> u64 {
        let failing = retry_blocking(steady(100), || Err::<(), _>("own")).report();
        let failed = failing.total_timeout(500 * MS).sleeper(sleeper).call();
        failed.unwrap_err().report.attempts
    }
    let fast = || Fast(VirtualTime::new());
    let lent = fast();
    // The second wait ends at 600 ms of its clock, but was to end at 400.
    assert_eq!(attempts(fast()), 2);
    assert_eq!(attempts(&lent), 2);
    assert_eq!(lent.0.now(), 200 * MS);
    assert_eq!(attempts(std::sync::Arc::new(fast())), 2);
}

#[test]
fn the_clock_of_a_function_is_the_system_s() {
    let timers = rejitter::sleep_fn(std::thread::sleep);
    let now = || BlockingSleeper::now(&timers).unwrap();
    let (system, start) = (Instant::now(), now());
    BlockingSleeper::sleep(&timers, 5 * MS);
    let passed = now() - start;
    assert!((5 * MS..=system.elapsed()).contains(&passed), "{passed:?}");
    let timers = rejitter::sleep_fn(|_| std::future::ready(()));
    assert!(Sleeper::now(&timers).is_some_and(|time| time >= start));
}
