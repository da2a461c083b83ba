//! Protection: what scenes cannot say. Futures that are dropped, errors by identity, keys, options, events.

use std::cell::{Cell, RefCell};
use std::future::{Future, pending, ready};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use rejitter::testing::VirtualTime;
use rejitter::{
    AttemptError, BreakerOptions, BreakerState, BreakerStatus, BudgetOptions, CooldownOptions,
    OptionErrors, Protection, ProtectionChange, RetryPolicy, Signal, Sleeper, StopReason,
    TimeoutError, UNLIMITED, Verdict, retry, retry_with,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::{Failed, MS, steady};

/// A protection on virtual time, with these parts.
fn on(time: &VirtualTime, parts: impl FnOnce(Protection) -> Protection) -> Protection {
    let clock = time.clone();
    parts(Protection::new()).clock(move || clock.now())
}

/// Opens at the first failure, for up to a second.
const NERVOUS: BreakerOptions = BreakerOptions {
    consecutive_failures: Some(1),
    open_ms: Some(1_000.0),
    ..BreakerOptions::DEFAULT
};

/// A budget of `capacity` tokens that successes do not fill.
fn tokens(capacity: f64) -> BudgetOptions {
    BudgetOptions {
        capacity: Some(capacity),
        per_success: Some(0.0),
        ..BudgetOptions::default()
    }
}

fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

fn breaker(api: &Protection) -> BreakerStatus {
    api.status().breaker.expect("a breaker")
}

fn tokens_of(api: &Protection) -> f64 {
    api.status().budget.expect("a budget").tokens
}

fn held(api: &Protection) -> u64 {
    api.status().cooldown.expect("a cooldown").held
}

/// Makes the circuit half-open's turn: a failure, then the time that the opening lasts at most.
fn open_once(api: &Protection, time: &VirtualTime) {
    let call = retry(steady(1), || ready(Err::<(), _>("down")));
    assert!(time.block_on(call.protection(api).sleeper(time)).is_err());
    assert_eq!(breaker(api).state, BreakerState::Open);
    time.advance(1_000 * MS);
}

/// Fast failures come before slow successes: in a young window, calls that still run count.
#[test]
fn a_healthy_service_under_load_is_never_refused() {
    let time = VirtualTime::new();
    let api = on(&time, |p| p.breaker(BreakerOptions::default()));
    let (now, later) = (&time, &api);
    let calls = (0..1_000_u32).map(|i| async move {
        Sleeper::sleep(now, Duration::from_micros(100) * i).await;
        let call = retry(steady(1), || async move {
            let fails = i % 50 == 0;
            Sleeper::sleep(now, if fails { MS } else { 100 * MS }).await;
            if fails { Err("a bug") } else { Ok(()) }
        });
        call.protection(later).sleeper(now).await
    });
    let all = futures_util::future::join_all(calls);
    let ends = time.block_on(async {
        let ends = all.await;
        Sleeper::sleep(&time, 200 * MS - time.now()).await;
        ends
    });
    let failed: Vec<_> = ends.into_iter().filter_map(Result::err).collect();
    assert!(failed.iter().all(|failed| failed.rejected_by().is_none()));
    assert_eq!(failed.len(), 20);
    let numbers = breaker(&api);
    assert_eq!(
        (numbers.state, numbers.opens, numbers.refused),
        (BreakerState::Closed, 0, 0)
    );
    assert_eq!((numbers.failures, numbers.calls), (20.0, 1_000.0));
}

#[test]
fn the_own_last_error_comes_out_by_identity() {
    let time = VirtualTime::new();
    let api = on(&time, |p| p.budget(tokens(1.0)));
    let attempts = Cell::new(0);
    let call = retry(steady(5), || {
        attempts.set(attempts.get() + 1);
        ready(Err::<(), _>(Box::new(Failed(attempts.get()))))
    });
    let failed = time
        .block_on(call.protection(&api).sleeper(&time))
        .unwrap_err();
    assert_eq!(
        (failed.reason, failed.rejected_by()),
        (StopReason::Budget, None)
    );
    assert_eq!(
        failed.to_string(),
        "attempt 2 failed (after 2 attempts: retry budget empty)"
    );
    assert_eq!(failed.report.records.len(), 2);
    assert_eq!(failed.into_inner(), Ok(Box::new(Failed(2))));
}

#[test]
fn a_refused_first_attempt_calls_nothing_in_any_form() {
    let time = VirtualTime::new();
    let api = on(&time, |p| p.breaker(NERVOUS));
    api.open_for(250 * MS);
    fn never() -> Result<(), Failed> {
        panic!("the callback must not be called")
    }
    let call = retry(steady(3), || async { never() });
    let failed = time
        .block_on(call.protection(&api).sleeper(&time))
        .unwrap_err();
    let mut state = ();
    let call = retry_with(&mut state, steady(3), async |(), _| never());
    let call = call.protection(&api).sleeper(&time).call();
    let with_state = time.block_on(call).unwrap_err();
    assert_eq!(failed, with_state);
    #[cfg(not(target_family = "wasm"))]
    {
        let call = rejitter::retry_blocking(steady(3), never);
        let blocking = call.protection(&api).sleeper(&time).call().unwrap_err();
        assert_eq!(failed, blocking);
    }
    let AttemptError::Rejected(rejected) = failed.error else {
        panic!("{failed}");
    };
    assert_eq!(
        (rejected.by, rejected.retry_after),
        (StopReason::Breaker, 250 * MS)
    );
    assert_eq!(
        rejected.to_string(),
        "rejected by breaker: the circuit is open"
    );
    assert_eq!(failed.report.retry_after, Some(250 * MS));
    assert_eq!(
        (failed.report.attempts, failed.report.records.len()),
        (0, 0)
    );
    assert_eq!(failed.own_error(), None);
    let other = failed.into_inner().unwrap_err();
    assert_eq!(other, AttemptError::Rejected(rejected));
}

#[test]
fn a_dropped_attempt_frees_the_place_of_a_probe() {
    let time = VirtualTime::new();
    let api = on(&time, |p| p.breaker(NERVOUS));
    open_once(&api, &time);
    let hangs = || {
        retry(steady(1), pending::<Result<(), Failed>>)
            .protection(&api)
            .sleeper(&time)
    };
    let mut probe = Box::pin(hangs());
    assert!(poll(probe.as_mut()).is_pending());
    let Poll::Ready(Err(second)) = poll(pin!(hangs())) else {
        panic!("two probes at a time");
    };
    assert_eq!(second.rejected_by(), Some(StopReason::Breaker));

    drop(probe);
    let mut next = Box::pin(hangs());
    assert!(poll(next.as_mut()).is_pending());
    assert_eq!(breaker(&api).state, BreakerState::HalfOpen);
    assert_eq!(breaker(&api).refused, 1);
}

#[test]
fn a_dropped_wait_gives_its_token_back() {
    let time = VirtualTime::new();
    let api = on(&time, |p| p.budget(tokens(1.0)));
    let mut call = Box::pin(
        retry(steady(2), || ready(Err::<(), _>("down")))
            .protection(&api)
            .sleeper(&time),
    );
    assert!(poll(call.as_mut()).is_pending());
    assert_eq!(tokens_of(&api), 0.0);
    drop(call);
    assert_eq!(tokens_of(&api), 1.0);

    // A retry that has started has used it.
    let attempts = Cell::new(0);
    let mut call = Box::pin(
        retry(steady(2), || {
            attempts.set(attempts.get() + 1);
            let first = attempts.get() == 1;
            async move {
                if first {
                    Err::<(), _>("down")
                } else {
                    pending().await
                }
            }
        })
        .protection(&api)
        .sleeper(&time),
    );
    assert!(poll(call.as_mut()).is_pending());
    time.advance(100 * MS);
    assert!(poll(call.as_mut()).is_pending());
    assert_eq!(attempts.get(), 2);
    drop(call);
    assert_eq!(tokens_of(&api), 0.0);
}

#[test]
fn a_token_goes_back_if_the_deadline_passes_in_the_wait() {
    let time = VirtualTime::new();
    let api = on(&time, |p| p.budget(tokens(1.0)));
    let mut call = Box::pin(
        retry(steady(2), || ready(Err::<(), _>("down")))
            .total_timeout(150 * MS)
            .protection(&api)
            .sleeper(&time),
    );
    assert!(poll(call.as_mut()).is_pending());
    time.advance(150 * MS); // the wait ended late
    let Poll::Ready(Err(failed)) = poll(call.as_mut()) else {
        panic!("it ends at the deadline");
    };
    // Not only when it is dropped.
    assert_eq!(
        (failed.reason, tokens_of(&api)),
        (StopReason::Deadline, 1.0)
    );
}

#[test]
fn a_dropped_hold_makes_room_and_a_thousand_are_held_at_most() {
    let time = VirtualTime::new();
    let api = on(&time, |p| p.cooldown(CooldownOptions::default()));
    let busy = retry(steady(1), || ready(Err::<(), _>("busy")))
        .when(|_| Verdict::RetryAtLeast(1_000 * MS));
    assert!(time.block_on(busy.protection(&api).sleeper(&time)).is_err());
    let call = || {
        let call = retry(steady(1), || ready(Ok::<_, Failed>(1)));
        let mut call = Box::pin(call.protection(&api).sleeper(&time));
        let state = poll(call.as_mut());
        (call, state)
    };
    let mut waiting: Vec<_> = (0..1_000).map(|_| call().0).collect();
    assert_eq!(held(&api), 1_000);
    let Poll::Ready(Err(failed)) = call().1 else {
        panic!("one too many");
    };
    assert_eq!(failed.rejected_by(), Some(StopReason::Cooldown));
    assert_eq!(failed.report.retry_after, Some(1_000 * MS));
    drop(waiting.pop());
    assert_eq!(held(&api), 999);
    assert!(call().1.is_pending());
    drop(waiting);
    assert_eq!((held(&api), time.waits()), (0, 0));
}

#[test]
fn a_hold_that_ends_after_the_deadline_ends_the_operation() {
    let time = VirtualTime::new();
    let api = on(&time, |p| p.cooldown(CooldownOptions::default()));
    let busy =
        retry(steady(1), || ready(Err::<(), _>("busy"))).when(|_| Verdict::RetryAtLeast(100 * MS));
    assert!(time.block_on(busy.protection(&api).sleeper(&time)).is_err());
    let call = retry(steady(1), || ready(Ok::<_, Failed>(1)))
        .total_timeout(1_000 * MS)
        .protection(&api)
        .sleeper(&time);
    let mut call = Box::pin(call);
    assert!(poll(call.as_mut()).is_pending());
    time.advance(2_000 * MS);
    let Poll::Ready(Err(failed)) = poll(call.as_mut()) else {
        panic!("it must not start after the deadline");
    };
    assert_eq!(failed.rejected_by(), Some(StopReason::Cooldown));
    assert_eq!(failed.report.elapsed, 2_000 * MS);
    assert_eq!(held(&api), 0);
}

#[test]
fn the_signal_overrides_the_verdict_and_a_hint_holds_nobody() {
    let end = |signal: Option<Signal>, verdict: Verdict| {
        let time = VirtualTime::new();
        let api = on(&time, |p| {
            p.breaker(NERVOUS).cooldown(CooldownOptions::default())
        });
        let call = retry(steady(1), || ready(Err::<(), _>("no")))
            .when(move |_| verdict)
            .hint(|_| Some(300 * MS))
            .signal(move |_| signal)
            .protection(&api)
            .sleeper(&time);
        assert!(time.block_on(call).is_err());
        let status = api.status();
        (
            status.breaker.unwrap().failures + status.breaker.unwrap().opens as f64 > 0.0,
            status.breaker.unwrap().calls,
            status.cooldown.unwrap().remaining,
        )
    };
    let zero = Duration::ZERO;
    assert_eq!(end(None, Verdict::Retry), (true, 1.0, zero));
    assert_eq!(end(None, Verdict::RetryExactly(zero)), (true, 1.0, zero));
    assert_eq!(end(None, Verdict::Stop), (false, 1.0, zero));
    assert_eq!(
        end(None, Verdict::RetryAtLeast(200 * MS)),
        (false, 1.0, 200 * MS)
    );
    assert_eq!(
        end(Some(Signal::Success), Verdict::Retry),
        (false, 1.0, zero)
    );
    assert_eq!(
        end(Some(Signal::Nothing), Verdict::Retry),
        (false, 1.0, zero)
    );
    assert_eq!(end(Some(Signal::Failure), Verdict::Stop), (true, 1.0, zero));
    let busy = Some(Signal::Busy(400 * MS));
    assert_eq!(end(busy, Verdict::Stop), (false, 1.0, 400 * MS));
    // No hint is followed further than the policy follows it.
    let busy = Some(Signal::Busy(100_000 * MS));
    assert_eq!(end(busy, Verdict::Stop), (false, 1.0, 60_000 * MS));
}

#[test]
fn a_failing_probe_opens_for_as_long_as_the_server_asked() {
    let time = VirtualTime::new();
    let api = on(&time, |p| p.breaker(NERVOUS));
    open_once(&api, &time);
    let probe = retry(steady(1), || ready(Err::<(), _>("down")))
        .hint(|_| Some(30_000 * MS))
        .protection(&api)
        .sleeper(&time);
    assert!(time.block_on(probe).is_err());
    let numbers = breaker(&api);
    assert_eq!((numbers.opens, numbers.retry_after), (2, 30_000 * MS));
}

#[test]
fn a_timeout_is_a_failure_also_if_it_is_not_retried() {
    let time = VirtualTime::new();
    let api = on(&time, |p| p.breaker(NERVOUS));
    let call = retry(steady(3), pending::<Result<(), Failed>>)
        .attempt_timeout(50 * MS)
        .retry_timeouts(false)
        .protection(&api)
        .sleeper(&time);
    let failed = time.block_on(call).unwrap_err();
    assert_eq!(failed.reason, StopReason::NotRetryable);
    let timeout = AttemptError::Timeout(TimeoutError::Attempt { after: 50 * MS });
    assert_eq!(failed.error, timeout);
    assert_eq!(breaker(&api).opens, 1);
}

#[test]
fn the_setters_may_come_in_any_order() {
    let time = VirtualTime::new();
    let (before, api) = (Protection::new(), on(&time, |p| p.budget(tokens(1.0))));
    let call = retry(steady(3), || ready(Err::<(), _>("down")))
        .protection(&before)
        .attempt_timeout(50 * MS)
        .protection(&api) // the last one holds
        .report()
        .keep_errors(2)
        .retry_timeouts(true)
        .sleeper(&time);
    let failed = time.block_on(call).unwrap_err();
    assert_eq!(
        (failed.reason, failed.errors().count()),
        (StopReason::Budget, 2)
    );
    assert_eq!(tokens_of(&api), 0.0);
}

/// A sleeper without a clock.
struct Clockless;

impl Sleeper for Clockless {
    type Sleep = std::future::Ready<()>;

    fn sleep(&self, _: Duration) -> Self::Sleep {
        ready(())
    }

    fn now(&self) -> Option<Duration> {
        None
    }
}

#[test]
fn without_a_clock_the_budget_alone_acts() {
    let time = VirtualTime::new();
    let api = Protection::new()
        .budget(tokens(1.0))
        .breaker(NERVOUS)
        .cooldown(CooldownOptions::default());
    let call = || {
        let call = retry(steady(3), || ready(Err::<(), _>("busy")))
            .when(|_| Verdict::RetryAtLeast(1_000 * MS));
        let call = call.protection(&api).sleeper(Clockless);
        time.block_on(call).unwrap_err()
    };
    assert_eq!((call().report.attempts, call().report.attempts), (2, 1));
    assert_eq!(breaker(&api).calls, 0.0);
}

#[test]
fn keys_have_numbers_of_their_own() {
    let time = VirtualTime::new();
    let servers = on(&time, |p| p.budget(tokens(1.0)).breaker(NERVOUS));
    let fails = |api: &Protection| {
        let call = retry(steady(1), || ready(Err::<(), _>("down")));
        time.block_on(call.protection(api).sleeper(&time))
            .unwrap_err()
            .reason
    };
    assert_eq!(fails(&servers.for_key("a")), StopReason::Exhausted);
    assert_eq!(fails(&servers.for_key("a")), StopReason::Breaker);
    assert_eq!(fails(&servers.for_key("b")), StopReason::Exhausted);
    assert_eq!(fails(&servers), StopReason::Exhausted);
    assert_eq!(servers.keys(), ["a", "b"]);
    assert_eq!(servers.for_key("a").keys(), Vec::<String>::new());
    // A builder's method makes another protection.
    let other = servers.clone().budget(tokens(2.0));
    assert_eq!((other.keys().len(), tokens_of(&servers.clone())), (0, 1.0));
    assert_eq!(breaker(&other).opens, 0);
}

#[test]
fn a_thousand_keys_are_kept_open_ones_first() {
    let time = VirtualTime::new();
    let servers = on(&time, |p| p.breaker(NERVOUS));
    let open = servers.for_key("open");
    open.open();
    let used = servers.for_key("used");
    let succeeds = |api: &Protection| {
        let call = retry(steady(1), || ready(Ok::<_, Failed>(1)));
        assert_eq!(time.block_on(call.protection(api).sleeper(&time)), Ok(1));
    };
    succeeds(&used);
    for i in 0..2_000 {
        let _ = servers.for_key(&i.to_string());
    }
    let keys = servers.keys();
    assert_eq!(keys.len(), 1_000);
    // Those are as good as new, these are not.
    assert_eq!(keys[..2], ["open", "used"]);
    assert_eq!(keys.last().map(String::as_str), Some("1999"));

    // With numbers in all of them, the one that was used least recently goes, unless it is open.
    for i in 0..2_000 {
        succeeds(&servers.for_key(&i.to_string()));
    }
    let keys = servers.keys();
    assert_eq!((keys.len(), keys[0].as_str()), (1_000, "open"));
    assert!(!keys.contains(&"used".to_owned()));
    // A caller with a forgotten one keeps sharing its numbers with callers that ask for the key.
    used.open();
    assert_eq!(breaker(&servers.for_key("used")).state, BreakerState::Open);
    succeeds(&servers);
}

#[test]
fn events_tell_what_changes() {
    let time = VirtualTime::new();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (events, status) = (seen.clone(), Arc::new(Mutex::new(None::<Protection>)));
    let used = status.clone();
    let api = on(&time, |p| {
        let parts = p
            .budget(tokens(1.0))
            .breaker(NERVOUS)
            .cooldown(CooldownOptions::default());
        parts.on_event(move |event| {
            // It may use the protection: nothing is locked.
            if let Some(api) = &*used.lock().unwrap() {
                let _ = api.status();
            }
            let text = match event.change {
                ProtectionChange::Opened(numbers) => format!("opened {}", numbers.opens),
                ProtectionChange::HalfOpen(_) => "half-open".into(),
                ProtectionChange::Closed(_) => "closed".into(),
                ProtectionChange::Refused { by, .. } => format!("rejected by {}", by.as_str()),
                ProtectionChange::Held(_) => "held".into(),
                ProtectionChange::BudgetEmpty(numbers) => format!("empty {}", numbers.refused),
                ProtectionChange::BudgetFull(numbers) => format!("full {}", numbers.tokens),
                other => panic!("{other:?}"),
            };
            events
                .lock()
                .unwrap()
                .push(format!("{} {text}", event.key.unwrap_or("-")));
        })
    });
    *status.lock().unwrap() = Some(api.clone());
    let run = |api: &Protection, outcomes: &[Result<(), Signal>]| {
        let left = RefCell::new(outcomes.iter());
        let call = retry(steady(2), || {
            ready(*left.borrow_mut().next().expect("an outcome"))
        });
        let call = call
            .signal(|signal| Some(*signal))
            .protection(api)
            .sleeper(&time);
        let _ = time.block_on(call);
        std::mem::take(&mut *seen.lock().unwrap())
    };
    let (no, down) = (Err(Signal::Nothing), Err(Signal::Failure));
    assert_eq!(run(&api, &[no, no]), Vec::<String>::new());
    assert_eq!(run(&api, &[no]), ["- empty 1", "- rejected by budget"]);
    assert_eq!(run(&api, &[no]), ["- rejected by budget"]);
    assert_eq!(run(&api, &[down]), ["- opened 1", "- rejected by breaker"]);
    assert_eq!(run(&api, &[]), ["- rejected by breaker"]);
    time.advance(1_000 * MS);
    assert_eq!(run(&api, &[Ok(())]), ["- half-open", "- closed"]);

    let key = api.for_key("eu");
    assert_eq!(
        run(&key, &[Err(Signal::Busy(50 * MS)), Ok(())]),
        Vec::<String>::new()
    );
    assert_eq!(run(&key, &[no, no]), Vec::<String>::new());
    assert_eq!(
        run(&key, &[Err(Signal::Busy(50 * MS))]),
        ["eu empty 1", "eu rejected by budget"]
    );
    assert_eq!(run(&key, &[Ok(())]), ["eu held"]);
    key.open();
    key.close();
    key.close();
    let by_hand = std::mem::take(&mut *seen.lock().unwrap());
    assert_eq!(by_hand, ["eu opened 0", "eu closed"]);

    // Tokens go back: full again.
    let refunds = on(&time, |p| {
        let events = seen.clone();
        let options = BudgetOptions {
            per_success: Some(1.0),
            ..tokens(1.0)
        };
        p.budget(options).on_event(move |event| {
            events.lock().unwrap().push(format!("{:?}", event.change));
        })
    });
    assert_eq!(run(&refunds, &[no, no]).len(), 0);
    assert_eq!(run(&refunds, &[no]).len(), 2);
    let full = run(&refunds, &[Ok(())]);
    assert!(
        full.len() == 1 && full[0].starts_with("BudgetFull"),
        "{full:?}"
    );
    *status.lock().unwrap() = None;
}

#[test]
fn invalid_options_are_all_named_with_their_rules() {
    let text = |checked: Result<(), OptionErrors>| checked.unwrap_err().to_string();
    let budget = BudgetOptions {
        capacity: Some(0.0),
        per_success: Some(0.000_5),
        cost: Some(f64::NAN),
        ..BudgetOptions::default()
    };
    assert_eq!(
        text(budget.check()),
        "capacity must be a positive number, at most 10^9, got 0; \
         per_success must be 0 or a number between 0.001 and 1,000, got 0.0005; \
         cost must be a number, at least 0.001 and at most capacity, got NaN"
    );
    let dear = BudgetOptions {
        capacity: Some(0.5),
        ..BudgetOptions::default()
    };
    assert_eq!(text(dear.check()), "cost must be at most capacity, got 1");
    let throttled = BudgetOptions {
        capacity: Some(4.0),
        cost: Some(2.0),
        ..BudgetOptions::AWS_SDK_2026
    };
    assert_eq!(
        text(throttled.check()),
        "throttled_cost must be at most capacity, got 5"
    );
    let breaker = BreakerOptions {
        failure_ratio: Some(1.5),
        minimum_calls: Some(0),
        window_ms: Some(99.0),
        consecutive_failures: Some(0),
        open_ms: Some(f64::INFINITY),
        close_after: Some(1_001),
        ..BreakerOptions::default()
    };
    assert_eq!(
        text(breaker.check()),
        "failure_ratio must be a positive number, at most 1, got 1.5; \
         minimum_calls must be a positive integer or Infinity, got 0; \
         window_ms must be a number of milliseconds between 100 and 3,600,000, got 99; \
         consecutive_failures must be a positive integer or Infinity, got 0; \
         open_ms must be a positive number of milliseconds, at most 2^53 - 1, got inf; \
         close_after must be an integer between 1 and 1,000, got 1001"
    );
    let cooldown = CooldownOptions {
        max_hold_ms: Some(-1.0),
        ..CooldownOptions::default()
    };
    assert_eq!(
        text(cooldown.check()),
        "max_hold_ms must be a non-negative number of milliseconds or Infinity, got -1"
    );
    for valid in [
        BreakerOptions {
            minimum_calls: Some(UNLIMITED),
            ..BreakerOptions::default()
        },
        BreakerOptions {
            failure_ratio: Some(1.0),
            close_after: Some(1),
            ..BreakerOptions::default()
        },
    ] {
        assert_eq!(valid.check(), Ok(()));
    }
    assert_eq!(BudgetOptions::AWS_SDK_2026.check(), Ok(()));
}

#[test]
fn an_empty_protection_changes_nothing() {
    let (time, api) = (VirtualTime::new(), Protection::default());
    let call = || retry(RetryPolicy::default(), || ready(Err::<(), _>("down"))).seed(7);
    let protected = time.block_on(call().protection(&api).sleeper(&time));
    let bare = time.block_on(call().report().sleeper(&time));
    assert_eq!(protected, bare);
    let status = api.status();
    assert!(status.budget.is_none() && status.breaker.is_none() && status.cooldown.is_none());
    assert!(format!("{api:?}").starts_with("Protection { key: None"));
}
