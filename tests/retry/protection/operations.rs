//! Protected operations: futures that are dropped, errors by identity, signals. Scenes cannot say these.

use std::future::pending;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use rejitter::testing::VirtualTime;
use rejitter::{
    AttemptError, BreakerState, CooldownOptions, Protection, RetryPolicy, Signal, StopReason,
    TimeoutError, Verdict, retry, retry_with, retry_with_attempt,
};
use serde_json::Value;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::{
    Failed, MS, NERVOUS, begun, breaker, done, down, drop_probe, hangs, held, on, open_once, poll,
    protected, steady, tokens, tokens_of,
};
use crate::common::clockless::Clockless;

#[test]
fn a_refused_first_attempt_calls_nothing_in_any_form() {
    let (time, api) = on(|p| p.breaker(NERVOUS));
    api.open_for(250 * MS);
    fn never() -> Result<(), Failed> {
        panic!("the callback must not be called")
    }
    let failed = protected!(retry(steady(3), || async { never() }), api, time).unwrap_err();
    let call = retry_with((), steady(3), async |(), _| (never(), ()));
    let with_state = protected!(call, api, time).unwrap_err();
    assert_eq!(failed, with_state);
    #[cfg(not(target_family = "wasm"))]
    {
        let call = rejitter::retry_blocking(steady(3), never);
        let blocking = call.protection(&api).sleeper(&time).call().unwrap_err();
        assert_eq!(failed, blocking);
    }
    let AttemptError::Rejected(rejected) = &failed.error else {
        panic!("{failed}");
    };
    let rejected = rejected.clone();
    assert_eq!(
        (rejected.by, rejected.retry_after),
        (StopReason::Breaker, 250 * MS)
    );
    assert_eq!(
        rejected.to_string(),
        "rejected by breaker for 0.2 s: the circuit is open"
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
    let (time, api) = on(|p| p.breaker(NERVOUS));
    open_once(&api, &time);
    let call = || retry(steady(1), hangs).protection(&api).sleeper(&time);
    let probe = begun(call());
    let Poll::Ready(Err(second)) = poll(pin!(call())) else {
        panic!("two probes at a time");
    };
    assert_eq!(second.rejected_by(), Some(StopReason::Breaker));

    drop(probe);
    let next = begun(call());
    assert_eq!(breaker(&api).state, BreakerState::HalfOpen);
    assert_eq!(breaker(&api).rejected, 1);

    // Callers that drop every probe, as with a timeout around the operation, do not keep it half-open for ever.
    time.advance(10_000 * MS);
    drop(next);
    let last = begun(call());
    assert_eq!(breaker(&api).state, BreakerState::HalfOpen);
    drop(last);
    assert_eq!(breaker(&api).state, BreakerState::Closed);
}

#[test]
fn a_dropped_wait_gives_its_token_back() {
    let (time, api) = on(|p| p.budget(tokens(1.0)));
    let call = begun(retry(steady(2), down).protection(&api).sleeper(&time));
    assert_eq!(tokens_of(&api), 0.0);
    drop(call);
    assert_eq!(tokens_of(&api), 1.0);

    // A retry that has started has used it.
    let call = retry_with_attempt(steady(2), async |attempt| match attempt.attempt {
        1 => Err::<(), _>("down"),
        _ => pending().await,
    });
    let mut call = begun(call.protection(&api).sleeper(&time));
    time.advance(100 * MS);
    assert!(poll(call.as_mut()).is_pending());
    drop(call);
    assert_eq!(tokens_of(&api), 0.0);
}

#[test]
fn a_token_goes_back_if_the_deadline_passes_in_the_wait() {
    let (time, api) = on(|p| p.budget(tokens(1.0)));
    let call = retry(steady(2), down).total_timeout(150 * MS);
    let mut call = begun(call.protection(&api).sleeper(&time));
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
    let (time, api) = on(|p| p.cooldown(CooldownOptions::default()));
    let busy = retry(steady(1), down).when(|_| Verdict::RetryAtLeast(1_000 * MS));
    assert!(protected!(busy, api, time).is_err());
    drop_probe(&api, &time);
    let call = || {
        let mut call = Box::pin(retry(steady(1), done).protection(&api).sleeper(&time));
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
    let (time, api) = on(|p| p.cooldown(CooldownOptions::default()));
    let busy = retry(steady(1), down).when(|_| Verdict::RetryAtLeast(100 * MS));
    assert!(protected!(busy, api, time).is_err());
    drop_probe(&api, &time);
    let call = retry(steady(1), done).total_timeout(1_000 * MS);
    let mut call = begun(call.protection(&api).sleeper(&time));
    time.advance(2_000 * MS);
    let Poll::Ready(Err(failed)) = poll(call.as_mut()) else {
        panic!("it must not start after the deadline");
    };
    assert_eq!(failed.rejected_by(), Some(StopReason::Cooldown));
    assert_eq!(failed.report.elapsed, 2_000 * MS);
    assert_eq!(held(&api), 0);
}

#[test]
fn the_signal_overrides_the_verdict_and_a_hint_holds_others_only_if_it_says_busy() {
    let end = |signal: Option<Signal>, verdict: Verdict| {
        let (time, api) = on(|p| p.breaker(NERVOUS).cooldown(CooldownOptions::default()));
        let call = retry(steady(1), down)
            .when(move |_| verdict)
            .hint(|_| Some(300 * MS))
            .signal(move |_| signal);
        assert!(protected!(call, api, time).is_err());
        let (numbers, cooldown) = (breaker(&api), api.status().cooldown.unwrap());
        let failed = numbers.failures > 0.0 || numbers.opens > 0;
        (failed, numbers.calls, cooldown.remaining)
    };
    let (zero, again) = (Duration::ZERO, Verdict::Retry);
    assert_eq!(end(None, again), (true, 1.0, zero));
    assert_eq!(end(None, Verdict::RetryExactly(zero)), (true, 1.0, zero));
    assert_eq!(end(None, Verdict::Stop), (false, 0.0, zero));
    let later = Verdict::RetryAtLeast(200 * MS);
    assert_eq!(end(None, later), (false, 0.0, 200 * MS));
    assert_eq!(end(Some(Signal::Success), again), (false, 1.0, zero));
    assert_eq!(end(Some(Signal::Nothing), again), (false, 0.0, zero));
    assert_eq!(end(Some(Signal::Failure), Verdict::Stop), (true, 1.0, zero));
    let busy = Some(Signal::Busy(400 * MS));
    assert_eq!(end(busy, Verdict::Stop), (false, 0.0, 400 * MS));
    // A status without a wait of its own: the hint says how long.
    let limited = Some(Signal::of_status(429));
    assert_eq!(end(limited, again), (false, 0.0, 300 * MS));
    // No hint is followed further than the policy follows it.
    let busy = Some(Signal::Busy(100_000 * MS));
    assert_eq!(end(busy, Verdict::Stop), (false, 0.0, 60_000 * MS));
}

#[test]
fn a_failing_probe_opens_for_as_long_as_the_server_asked_up_to_the_longest() {
    let (time, api) = on(|p| p.breaker(NERVOUS));
    open_once(&api, &time);
    let probe = retry(steady(1), down).hint(|_| Some(30_000 * MS));
    assert!(protected!(probe, api, time).is_err());
    let numbers = breaker(&api);
    assert_eq!((numbers.opens, numbers.retry_after), (2, 4_000 * MS));
}

#[test]
fn a_timeout_is_a_failure_also_if_it_is_not_retried() {
    let (time, api) = on(|p| p.breaker(NERVOUS));
    let call = retry(steady(3), hangs).attempt_timeout(50 * MS);
    let failed = protected!(call.retry_timeouts(false), api, time).unwrap_err();
    assert_eq!(failed.reason, StopReason::NotRetryable);
    let timeout = AttemptError::Timeout(TimeoutError::Attempt { after: 50 * MS });
    assert_eq!(failed.error, timeout);
    assert_eq!(breaker(&api).opens, 1);
}

#[test]
fn the_setters_may_come_in_any_order() {
    let (before, (time, api)) = (Protection::new(), on(|p| p.budget(tokens(1.0))));
    let call = retry(steady(3), down)
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

#[test]
fn without_a_clock_the_budget_alone_acts() {
    let time = VirtualTime::new();
    let api = Protection::new()
        .budget(tokens(1.0))
        .breaker(NERVOUS)
        .cooldown(CooldownOptions::default());
    let call = || {
        let call = retry(steady(3), down).when(|_| Verdict::RetryAtLeast(1_000 * MS));
        let call = call.protection(&api).sleeper(Clockless(&time));
        time.block_on(call).unwrap_err()
    };
    assert_eq!((call().report.attempts, call().report.attempts), (2, 1));
    assert_eq!(breaker(&api).calls, 0.0);
}

#[test]
fn an_empty_protection_changes_nothing() {
    let (time, api) = (VirtualTime::new(), Protection::default());
    let call = || retry(RetryPolicy::default(), down).seed(7);
    let protected = protected!(call(), api, time);
    let bare = time.block_on(call().report().sleeper(&time));
    assert_eq!(protected, bare);
    let status = api.status();
    assert!(status.budget.is_none() && status.breaker.is_none() && status.cooldown.is_none());
    assert!(format!("{api:?}").starts_with("Protection { key: None"));
}

#[test]
fn statuses_mean_what_the_table_says() {
    let rows = include_str!("../../vectors/statuses.json");
    let rows: Vec<Value> = serde_json::from_str(rows).expect("JSON");
    let mut next = 100;
    for row in rows {
        let [from, to] = ["from", "to"].map(|name| row[name].as_u64().unwrap());
        assert_eq!(from, next);
        let meant = match row["verdict"].as_str() {
            Some("success") => Signal::Declined,
            Some("failure") => Signal::Failure,
            Some("nothing") => Signal::Busy(Duration::ZERO),
            _ => panic!("{row}"),
        };
        for status in from..=to {
            let status = u16::try_from(status).unwrap();
            assert_eq!(Signal::of_status(status), meant, "{status}");
        }
        next = to + 1;
    }
    assert_eq!(next, 600);
}
