//! The outputs of an operation's forms, and their demands on sleepers and hooks.

use std::cell::{Cell, RefCell};
use std::error::Error;
use std::fmt;
use std::future::{pending, ready};
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use rejitter::testing::{VirtualSleep, VirtualTime};
use rejitter::{
    AttemptError, BudgetOptions, HedgeOptions, Jitter, Protection, RetryPolicy, Sleeper,
    StopReason, TimeoutError, UNLIMITED, Verdict, retry, retry_with, retry_with_attempt, sleep_fn,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::{Failed, MS, NS, steady};
use crate::common::attempts::{done, down, hangs};
use crate::common::clockless::Clockless;
use crate::common::{random::Random, some};

#[test]
fn at_the_deadline_every_attempt_is_dropped() {
    let time = VirtualTime::new();
    let operation = retry_with_attempt(steady(UNLIMITED), |attempt| async move {
        if attempt.attempt < 3 {
            return Err(attempt.attempt);
        }
        pending::<Result<(), u64>>().await
    });
    let outcome = time.block_on(operation.total_timeout(450 * MS).sleeper(&time));
    let own = outcome.unwrap_err().into_inner();
    assert_eq!((own, time.now()), (Ok(2), 450 * MS));

    // The first one, too.
    let time = VirtualTime::new();
    let operation = retry(steady(UNLIMITED), hangs).total_timeout(450 * MS);
    let failed = time.block_on(operation.sleeper(&time)).unwrap_err();
    let timeout = TimeoutError::Deadline { after: 450 * MS };
    assert_eq!(failed.error, AttemptError::Timeout(timeout));
    let timeout = AttemptError::Timeout(timeout);
    assert_eq!(failed.into_inner(), Err(timeout));
}

/// Attempts of 6 s, waits of 1 s, and 10 s for the start of attempts.
#[test]
fn no_attempt_starts_after_the_time_to_retry_and_none_is_cut() {
    let policy = RetryPolicy::fixed(1_000 * MS).with_jitter(Jitter::None);
    let (time, starts) = (VirtualTime::new(), RefCell::new(Vec::new()));
    let upload = |ends: &'static [Result<u8, &'static str>]| {
        let (time, starts) = (&time, &starts);
        move || {
            starts.borrow_mut().push(time.now());
            let end = ends[starts.borrow().len() - 1];
            async move {
                Sleeper::sleep(time, 6_000 * MS).await;
                end
            }
        }
    };
    let run = |ends| {
        retry(policy, upload(ends))
            .retry_for(10_000 * MS)
            .sleeper(&time)
    };
    // The error is the callback's own.
    let failed: Result<u8, &str> = time.block_on(run(&[Err("one"), Err("two")]));
    assert_eq!((failed, time.now()), (Err("two"), 13_000 * MS));
    assert_eq!(starts.take(), [Duration::ZERO, 7_000 * MS]);
    let start = time.now();
    assert_eq!(time.block_on(run(&[Err("one"), Ok(2)])), Ok(2));
    assert_eq!(time.now() - start, 13_000 * MS);

    // A wait that would end then is not started.
    starts.take();
    let start = time.now();
    let ends = run(&[Err("one")]).retry_for(7_000 * MS).report();
    let failed = time.block_on(ends).unwrap_err();
    assert_eq!(failed.reason, StopReason::Deadline);
    assert_eq!(failed.into_inner(), Ok("one"));
    assert_eq!(time.now() - start, 6_000 * MS);

    // It replaces a total timeout, but not the form of its failure, and is replaced by one.
    starts.take();
    let first = run(&[Err("one"), Err("two")]).total_timeout(MS);
    let failed = time.block_on(first.retry_for(10_000 * MS)).unwrap_err();
    assert_eq!(
        (failed.reason, starts.take().len()),
        (StopReason::Deadline, 2)
    );
    let cut = run(&[Err("one")]).total_timeout(5_000 * MS);
    let failed = time.block_on(cut).unwrap_err();
    assert_eq!(
        (failed.reason, failed.report.elapsed),
        (StopReason::Timeout, 5_000 * MS)
    );
}

#[test]
fn without_a_clock_the_waits_are_the_time() {
    let time = VirtualTime::new();
    let failed = time.block_on(
        retry(steady(UNLIMITED), down)
            .total_timeout(350 * MS)
            .report()
            .sleeper(Clockless(&time)),
    );
    let failed = failed.unwrap_err();
    assert_eq!(failed.reason, StopReason::Deadline);
    assert_eq!(
        (failed.report.attempts, failed.report.elapsed),
        (4, 300 * MS)
    );
    assert_eq!(time.now(), 300 * MS);
    // The limits of the attempts are armed, too.
    let cut = retry(steady(2), hangs).total_timeout(350 * MS);
    let failed = time.block_on(cut.sleeper(Clockless(&time))).unwrap_err();
    assert_eq!(
        (failed.reason, failed.report.elapsed),
        (StopReason::Timeout, 350 * MS)
    );
    // An attempt that was dropped took its time.
    let cut = retry(steady(2), hangs).attempt_timeout(30 * MS);
    let failed = time.block_on(cut.sleeper(Clockless(&time))).unwrap_err();
    assert_eq!(failed.report.elapsed, 160 * MS);
}

/// A sleeper that counts how often its clock is read.
struct Counted {
    time: VirtualTime,
    reads: Cell<u32>,
}

impl Sleeper for Counted {
    type Sleep = <VirtualTime as Sleeper>::Sleep;

    fn sleep(&self, duration: Duration) -> Self::Sleep {
        Sleeper::sleep(&self.time, duration)
    }

    fn now(&self) -> Option<Duration> {
        self.reads.set(self.reads.get() + 1);
        Sleeper::now(&self.time)
    }
}

#[test]
fn a_report_leaves_alone_what_the_limit_before_it_does() {
    let time = VirtualTime::new();
    let slow = || async {
        Sleeper::sleep(&time, 500 * MS).await;
        Err::<(), _>("slow")
    };
    let call = retry(steady(9), slow).retry_for(100 * MS).report();
    let failed = time.block_on(call.sleeper(&time)).unwrap_err();
    assert_eq!(
        (failed.own_error(), failed.reason, failed.report.elapsed),
        (Some(&"slow"), StopReason::Deadline, 500 * MS)
    );
}

#[test]
fn the_clock_is_read_only_if_something_needs_the_time() {
    let sleeper = Counted {
        time: VirtualTime::new(),
        reads: Cell::new(0),
    };
    let time = sleeper.time.clone();
    let plain = retry(steady(3), down).when(|_| true).hint(|_| None);
    assert!(time.block_on(plain.sleeper(&sleeper)).is_err());
    assert_eq!(sleeper.reads.take(), 0);

    let notified = retry(steady(3), down).notify(|_| ());
    assert!(time.block_on(notified.sleeper(&sleeper)).is_err());
    assert!(sleeper.reads.take() > 0);

    let limited = retry(steady(3), done).total_timeout(MS);
    assert!(time.block_on(limited.sleeper(&sleeper)).is_ok());
    assert_eq!(sleeper.reads.take(), 1);

    // How long a first attempt takes decides nothing, and the others are measured only where it may.
    let mut calls = 0;
    let call = || {
        calls += 1;
        ready(if calls == 2 { Ok(()) } else { Err(()) })
    };
    let may_begin_again = retry(steady(3), call).when(|()| Verdict::Retry);
    assert!(time.block_on(may_begin_again.sleeper(&sleeper)).is_ok());
    assert_eq!(sleeper.reads.take(), 1);
}

#[test]
fn a_sleeper_may_be_lent_shared_or_a_function() {
    let time = VirtualTime::new();
    let shared: Arc<dyn Sleeper<Sleep = <VirtualTime as Sleeper>::Sleep>> = Arc::new(time.clone());
    let of_handle = Handle(time.clone());
    // Timers of runtimes yield what they like.
    let sleep = async |duration| {
        Sleeper::sleep(&time, duration).await;
        "over"
    };
    for outcome in [
        time.block_on(retry(steady(2), down).sleeper(&time)),
        time.block_on(retry(steady(2), down).sleeper(shared.clone())),
        time.block_on(retry(steady(2), down).sleeper(&*shared)),
        time.block_on(retry(steady(2), down).sleeper(&of_handle)),
        time.block_on(retry(steady(2), down).sleep(sleep)),
        time.block_on(retry(steady(2), down).sleeper(&sleep_fn(sleep))),
    ] {
        assert_eq!(outcome, Err("down"));
    }
    assert_eq!(time.now(), 600 * MS);
}

/// A type around a runtime's handle, with a sleep of its own.
struct Handle(VirtualTime);

impl Deref for Handle {
    type Target = VirtualTime;

    fn deref(&self) -> &VirtualTime {
        &self.0
    }
}

impl Sleeper for Handle {
    type Sleep = VirtualSleep;

    fn sleep(&self, duration: Duration) -> VirtualSleep {
        Sleeper::sleep(&**self, duration)
    }
}

#[test]
fn the_condition_knows_the_attempt() {
    let (time, mut seen) = (VirtualTime::new(), Vec::new());
    let outcome = time.block_on(
        retry_with_attempt(steady(3), |attempt| {
            assert_eq!(attempt.attempts_left, 3 - attempt.attempt);
            ready(Err::<(), _>(()))
        })
        .when_attempt(|(), attempt| {
            seen.push((attempt.attempt, attempt.attempts_left, attempt.elapsed));
            true
        })
        .sleeper(&time),
    );
    assert!(outcome.is_err());
    assert_eq!(
        seen,
        [(1, 2, Duration::ZERO), (2, 1, 100 * MS), (3, 0, 200 * MS)]
    );
    let endless = retry_with_attempt(steady(UNLIMITED), |attempt| {
        ready(Ok::<_, ()>(attempt.attempts_left))
    });
    assert_eq!(time.block_on(endless.sleeper(&time)), Ok(UNLIMITED));
}

#[test]
fn at_least_this_long_is_a_hint_and_the_longer_of_two_counts() {
    let run = |at_least: Duration, hint: Option<Duration>| {
        let time = VirtualTime::new();
        let operation = retry(steady(2), down)
            .when(|_| Verdict::RetryAtLeast(at_least))
            .hint(|_| hint)
            .seed(3)
            .report();
        let failed = time.block_on(operation.sleeper(&time)).unwrap_err();
        (failed.report.hint, failed.report.records[0].delay)
    };
    let hinted = |at_least| run(Duration::ZERO, Some(at_least)).1;
    let second = 1_000 * MS;
    assert_eq!(run(second, None), (Some(second), hinted(second)));
    assert_eq!(run(NS, Some(second)), (Some(second), hinted(second)));
    assert_eq!(run(second, Some(NS)), (Some(second), hinted(second)));
    assert!(hinted(second) > Some(second));
    // Zero requests nothing.
    assert_eq!(run(Duration::ZERO, None).1, Some(100 * MS));
}

#[test]
fn a_hook_replaces_the_one_of_its_name_and_no_other() {
    let (time, log) = (VirtualTime::new(), RefCell::new(Vec::new()));
    let note = |name: &'static str| log.borrow_mut().push(name);
    let outcome = time.block_on(
        retry(steady(2), down)
            .notify(|_| note("first notify"))
            .when(|_| {
                note("when");
                true
            })
            .notify(|_| note("notify"))
            .hint(|_| {
                note("hint");
                None
            })
            .sleeper(&time),
    );
    assert!(outcome.is_err());
    let attempt = ["when", "hint", "notify"];
    assert_eq!(*log.borrow(), [attempt, attempt].concat());
}

#[test]
fn only_the_errors_asked_for_are_kept() {
    let failed = |keep: usize| {
        let time = VirtualTime::new();
        let operation =
            retry_with_attempt(steady(20), |attempt| ready(Err::<(), _>(attempt.attempt)));
        let operation = operation.report().keep_errors(keep);
        time.block_on(operation.sleeper(&time)).unwrap_err()
    };
    let kept = |keep| {
        let failed = failed(keep);
        let errors = failed.errors().filter_map(AttemptError::error);
        errors.copied().collect::<Vec<_>>()
    };
    assert_eq!(kept(0), [20]);
    assert_eq!(kept(1), [20]);
    assert_eq!(kept(3), [18, 19, 20]);
    assert_eq!(kept(99), [1, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
    assert_eq!(failed(1).report.records.len(), 10);
}

/// An error with a source.
#[derive(Debug, PartialEq, Eq)]
struct Outer(Failed);

impl fmt::Display for Outer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "outer {}", self.0.0)
    }
}

impl Error for Outer {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

#[test]
fn the_latest_error_of_the_callback_comes_out_whatever_follows_it() {
    let (mut buried, mut timed_out) = (0, 0);
    for case in 0..u64::from(some(600)) {
        let (time, random) = (VirtualTime::new(), Random::new(case));
        let latest = Cell::new(None);
        // All other attempts hang.
        let fails = [0.03, 0.1, 0.5][(case % 3) as usize];
        let operation = retry_with_attempt(steady(u64::from(random.below(60)) + 1), |attempt| {
            let fails = random.chance(fails);
            if fails {
                latest.set(Some(attempt.attempt));
            }
            async move {
                if fails {
                    return Err::<(), _>(Outer(Failed(attempt.attempt)));
                }
                pending().await
            }
        });
        let operation = operation
            .attempt_timeout(20 * MS)
            .keep_errors(random.below(4) as usize)
            .sleeper(&time);
        let api = Protection::new();
        let failed = match random.below(4) {
            0 => time.block_on(operation),
            1 => time.block_on(operation.total_timeout(MS * random.below(6_000))),
            2 => {
                let api = api.budget(BudgetOptions::default());
                time.block_on(operation.protection(&api))
            }
            _ => {
                let api = api.hedge(HedgeOptions {
                    delay_ms: Some(10.0),
                    max_ratio: Some(1.0),
                    ..HedgeOptions::DEFAULT
                });
                time.block_on(operation.protection(&api).hedge())
            }
        };
        let failed = failed.unwrap_err();
        let text = failed.to_string();
        let Some(number) = latest.get() else {
            timed_out += 1;
            assert!(failed.own_error().is_none() && failed.source().is_none());
            assert!(failed.into_inner().is_err(), "{text}");
            continue;
        };
        buried += u32::from(number > 1 && number + 9 < failed.report.attempts);
        let own = || Outer(Failed(number));
        assert_eq!(failed.own_error(), Some(&own()), "{text}");
        assert_eq!(failed.source().unwrap().to_string(), own().0.to_string());
        assert!(text.contains(&own().to_string()), "{text}");
        assert_eq!(
            failed.report.records.len() as u64,
            failed.report.attempts.min(10)
        );
        assert_eq!(failed.into_inner(), Ok(own()));
    }
    assert!(
        cfg!(miri) || (buried > 30 && timed_out > 30),
        "{buried} {timed_out}"
    );
}

#[test]
fn an_owned_state_comes_back_unless_the_deadline_drops_its_attempt() {
    let time = VirtualTime::new();
    let end = |last: u64, hangs: bool| {
        let operation = retry_with(Vec::new(), steady(3), async |mut state, attempt| {
            state.push(attempt.attempt);
            if hangs && attempt.attempt == 2 {
                pending::<()>().await;
            }
            let busy = attempt.attempt < last;
            (if busy { Err("busy") } else { Ok(()) }, state)
        });
        let operation = operation.total_timeout(MS * 1_000).sleeper(&time);
        let (result, state) = time.block_on(operation.with_state());
        (result.is_ok(), state)
    };
    assert_eq!(end(2, false), (true, Some(vec![1, 2])));
    assert_eq!(end(9, false), (false, Some(vec![1, 2, 3])));
    assert_eq!(end(9, true), (false, None));
}

#[test]
fn a_success_is_told_with_its_attempts_and_its_time() {
    let time = VirtualTime::new();
    let mut told = Vec::new();
    let call = |told: &mut Vec<(u64, Duration)>, last: u64| {
        let call = retry_with_attempt(steady(4), |attempt| {
            let (busy, number) = (time.sleep(7 * MS), attempt.attempt);
            async move {
                busy.await;
                if number < last { Err("busy") } else { Ok(()) }
            }
        });
        let call = call
            .notify(|_| ())
            .notify_success(|attempts, elapsed| told.push((attempts, elapsed)));
        time.block_on(call.sleeper(&time)).is_ok()
    };
    assert!(call(&mut told, 1) && call(&mut told, 3) && !call(&mut told, 9));
    assert_eq!(told, [(1, 7 * MS), (3, 221 * MS)]);
}

#[test]
fn an_error_is_printed_before_how_it_came_about() {
    let time = VirtualTime::new();
    let run = |retryable: bool| {
        let operation = retry(RetryPolicy::no_retries(), down).when(move |_| retryable);
        let failed = time.block_on(operation.report().sleeper(&time));
        failed.unwrap_err().to_string()
    };
    assert_eq!(run(true), "down (after 1 attempt: exhausted)");
    assert_eq!(run(false), "down (after 1 attempt: not retryable)");
}
