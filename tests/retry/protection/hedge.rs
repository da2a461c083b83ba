//! Hedged operations: futures that are dropped, hooks, errors by identity, records, sizes.

use std::cell::{Cell, RefCell};
use std::future::{pending, ready};
use std::time::Duration;

use rejitter::testing::VirtualTime;
use rejitter::{
    AttemptError, BudgetOptions, HedgeOptions, HedgeStatus, Jitter, Protection, ProtectionChange,
    RetryPolicy, Signal, Sleeper, StopReason, Verdict, retry,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::hedging::{AFTER_50_MS, Ends, Script, hedges, on};
use super::{
    MS, NERVOUS, NS, begun, breaker, hangs, open_once, poll, protected, steady, tokens, tokens_of,
};
use crate::common::clockless::Clockless;
use crate::common::protected::ONE_AT_A_TIME;

/// The outcome of an operation with hedges.
macro_rules! hedged {
    ($call:expr, $api:expr, $time:expr) => {
        $time.block_on($call.protection(&$api).hedge().sleeper(&$time))
    };
}

/// Numbers of hedges that were started, won and rejected.
fn counts(api: &Protection) -> (u64, u64, u64) {
    let HedgeStatus {
        hedges,
        won,
        rejected,
        ..
    } = hedges(api);
    (hedges, won, rejected)
}

/// Miri sees it if anything but a pin reaches, between two polls, a future that refers to itself.
#[test]
fn running_attempts_are_reached_through_their_pins_alone() {
    let (time, api) = on(|p| p);
    let ends = Cell::new(0);
    let attempt = || async {
        let mut turns = 0;
        let turn = &mut turns;
        while *turn < 4 {
            *turn += 1;
            time.sleep(30 * MS).await;
        }
        ends.set(ends.get() + 1);
        if ends.get() % 3 == 0 {
            Ok(turns)
        } else {
            Err("busy")
        }
    };
    let call = || {
        let call = retry(steady(4), attempt).total_timeout(5_000 * MS);
        call.attempt_timeout(400 * MS)
    };
    assert_eq!(time.block_on(call().sleeper(&time)), Ok(4));
    assert_eq!(hedged!(call(), api, time), Ok(4));
    assert!(counts(&api).0 > 0);
}

#[test]
fn the_loser_is_dropped_before_the_output_is_returned() {
    for (second, won) in [(20, 1), (900, 0)] {
        let (time, api) = on(|p| p);
        let script = Script::<Ends>::new(&time, &[(400, Ok("first")), (second, Ok("second"))]);
        let call = retry(steady(4), || script.attempt())
            .total_timeout(5_000 * MS)
            .attempt_timeout(4_000 * MS)
            .protection(&api)
            .hedge()
            .sleeper(&time);
        let mut call = Box::pin(call);
        let output = time.block_on(std::future::poll_fn(|cx| {
            let output = call.as_mut().poll(cx);
            assert!(script.alive.get() <= 2);
            output
        }));
        assert_eq!(output, Ok(["first", "second"][won]));
        // The operation itself still lives.
        assert_eq!((script.alive.get(), time.waits()), (0, 0));
        assert_eq!(script.calls(), [0, 50]);
        assert_eq!(counts(&api), (1, won as u64, 0));
        drop(call);
    }
}

#[test]
fn if_both_are_ready_at_once_the_attempt_wins() {
    let (time, api) = on(|p| p);
    let script = Script::<Ends>::new(&time, &[(70, Ok("first")), (20, Ok("second"))]);
    let call = retry(steady(4), || script.attempt());
    assert_eq!(hedged!(call, api, time), Ok("first"));
    // An attempt that ends when its hedge is due has none.
    let script = Script::<Ends>::new(&time, &[(50, Ok("in time"))]);
    let call = retry(steady(4), || script.attempt());
    assert_eq!(hedged!(call, api, time), Ok("in time"));
    assert_eq!(counts(&api), (1, 0, 0));
}

#[test]
fn hooks_see_each_failure_once_and_are_notified_once_per_round() {
    let (time, api) = on(|p| p);
    let ends: [(u32, Ends); 5] = [
        (80, Err("one")),
        (10, Err("two")),
        (60, Err("three")),
        (40, Err("four")),
        (10, Err("five")),
    ];
    let script = Script::new(&time, &ends);
    let (mut asked, mut told) = (Vec::new(), Vec::new());
    let call = retry(steady(5), || script.attempt())
        .when_attempt(|error, attempt| {
            asked.push((*error, attempt.attempt, attempt.attempts_left));
            true
        })
        .notify(|event| {
            let error = event.error.error().copied();
            told.push((
                event.attempt,
                event.hedge,
                error,
                event.elapsed,
                event.delay,
            ));
        })
        .protection(&api)
        .keep_errors(10)
        .hedge()
        .sleeper(&time);
    let failed = time.block_on(call).unwrap_err();
    assert_eq!(
        asked,
        [
            ("two", 2, 3),
            ("one", 1, 4),
            ("three", 3, 2),
            ("four", 4, 1),
            ("five", 5, 0)
        ]
    );
    let wait = Some(100 * MS);
    assert_eq!(
        told,
        [
            (1, false, Some("one"), 80 * MS, wait),
            (4, true, Some("four"), 270 * MS, wait),
            (5, false, Some("five"), 380 * MS, None),
        ]
    );
    assert_eq!(
        (failed.reason, failed.report.attempts),
        (StopReason::Exhausted, 5)
    );
    let records = failed.report.records.iter();
    let kept: Vec<_> = records
        .map(|record| {
            (
                record.attempt,
                record.error.clone().and_then(AttemptError::into_error),
            )
        })
        .collect();
    let errors = [Some("one"), Some("two"), Some("three"), Some("four"), None];
    assert_eq!(kept, (1..).zip(errors).collect::<Vec<_>>());
    assert_eq!(failed.own_error(), Some(&"five"));
}

#[test]
fn waits_are_those_of_the_policy_for_the_rounds() {
    const POLICY: RetryPolicy = RetryPolicy::exponential()
        .with_jitter(Jitter::Decorrelated)
        .with_max_attempts(6);
    let (time, api) = on(|p| p);
    let script = Script::<Ends>::new(&time, &[(70, Err("down")); 6]);
    let mut waits = Vec::new();
    let call = retry(POLICY, || script.attempt())
        .seed(7)
        .notify(|event| waits.extend(event.delay))
        .protection(&api);
    let failed = time.block_on(call.hedge().sleeper(&time)).unwrap_err();
    assert_eq!(failed.report.attempts, 6);
    assert_eq!(counts(&api), (3, 0, 0));
    assert_eq!(waits, POLICY.delays(7).take(2).collect::<Vec<_>>());

    let ks = RefCell::new(Vec::new());
    let script = Script::<Ends>::new(&time, &[(70, Err("down")); 6]);
    let policy = RetryPolicy::custom()
        .with_jitter(Jitter::None)
        .with_max_attempts(6);
    let call = retry(policy, || script.attempt()).curve(|k| {
        ks.borrow_mut().push(k);
        100 * MS
    });
    assert!(hedged!(call, api, time).is_err());
    assert_eq!(*ks.borrow(), [1, 2]);
}

#[test]
fn the_demand_of_the_last_failure_counts() {
    for (first, second, calls) in [(80, 10, [0, 50, 87]), (60, 40, [0, 50, 99])] {
        let (time, api) = on(|p| p);
        let ends = [(first, Err(7)), (second, Err(9)), (0, Ok(()))];
        let script = Script::<Result<(), u64>>::new(&time, &ends);
        let call = retry(steady(3), || script.attempt())
            .when(|ms| Verdict::RetryExactly(Duration::from_millis(*ms)));
        assert_eq!(hedged!(call, api, time), Ok(()));
        assert_eq!(script.calls(), calls);
    }
}

#[test]
fn the_hint_in_the_report_is_the_largest_of_the_round() {
    let (time, api) = on(|p| p);
    let script = Script::<Result<(), u64>>::new(&time, &[(80, Err(200)), (10, Err(300))]);
    let call = retry(steady(2), || script.attempt()).hint(|ms| Some(Duration::from_millis(*ms)));
    let failed = hedged!(call, api, time).unwrap_err();
    assert_eq!(
        (failed.own_error(), failed.report.hint),
        (Some(&200), Some(300 * MS))
    );
}

#[test]
fn records_of_many_rounds_are_in_order_the_first_and_the_last_nine() {
    let (time, api) = on(|p| {
        p.hedge(HedgeOptions {
            max_ratio: Some(1.0),
            ..AFTER_50_MS
        })
    });
    let numbers = Cell::new(0);
    // In each round the hedge fails first.
    let call = retry(steady(13), || {
        numbers.set(numbers.get() + 1);
        let number = numbers.get();
        let wait = Sleeper::sleep(&time, MS * if number % 2 == 1 { 60 } else { 5 });
        async move {
            wait.await;
            Err::<(), u64>(number)
        }
    });
    let call = call.protection(&api).keep_errors(20).hedge().sleeper(&time);
    let failed = time.block_on(call).unwrap_err();
    let records = &failed.report.records;
    let kept: Vec<_> = records.iter().map(|record| record.attempt).collect();
    assert_eq!(kept, [1, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
    assert_eq!((failed.report.attempts, failed.report.dropped), (13, 3));
    assert!(
        records
            .iter()
            .all(|record| record.hedge == (record.attempt % 2 == 0))
    );
    let errors: Vec<_> = failed
        .errors()
        .filter_map(AttemptError::error)
        .copied()
        .collect();
    assert_eq!(errors, kept);
}

#[test]
fn a_dropped_operation_drops_both_futures_and_gives_back_what_is_not_used() {
    let budget = BudgetOptions {
        capacity: Some(5.0),
        ..BudgetOptions::default()
    };
    let (time, api) = on(|p| p.budget(budget));
    let script = Script::<Ends>::new(&time, &[(900, Ok("first")), (900, Ok("second"))]);
    let call = retry(steady(4), || script.attempt()).total_timeout(5_000 * MS);
    let mut call = begun(call.protection(&api).hedge().sleeper(&time));
    time.advance(50 * MS);
    assert!(poll(call.as_mut()).is_pending());
    assert_eq!((script.alive.get(), tokens_of(&api)), (2, 4.0));
    drop(call);
    // A hedge that has started has used its tokens.
    assert_eq!(
        (script.alive.get(), time.waits(), tokens_of(&api)),
        (0, 0, 4.0)
    );
    assert_eq!(counts(&api), (1, 0, 0));

    // In the wait after a round, the token of the retry goes back.
    let script = Script::<Ends>::new(&time, &[(60, Err("one")), (20, Err("two"))]);
    let call = retry(steady(4), || script.attempt());
    let mut call = Box::pin(call.protection(&api).hedge().sleeper(&time));
    for step in [50, 10, 10] {
        assert!(poll(call.as_mut()).is_pending());
        time.advance(step * MS);
    }
    assert!(poll(call.as_mut()).is_pending());
    assert_eq!(tokens_of(&api), 2.0);
    drop(call);
    assert_eq!((tokens_of(&api), time.waits()), (3.0, 0));
}

#[test]
fn a_dropped_probe_whose_hedge_is_still_to_come_frees_its_place() {
    let (time, api) = on(|p| p.breaker(NERVOUS));
    open_once(&api, &time);
    let probe = || {
        let call = retry(steady(3), hangs).protection(&api);
        begun(call.hedge().sleeper(&time))
    };
    let mut first = probe();
    // Half-open: the hedge is due, and rejected.
    time.advance(50 * MS);
    assert!(poll(first.as_mut()).is_pending());
    assert_eq!(counts(&api), (0, 0, 1));
    drop(first);
    let _second = probe();
    assert_eq!((breaker(&api).rejected, time.waits()), (0, 1));
}

#[test]
fn operations_hedge_only_if_they_ask_for_it() {
    let (time, api) = on(|p| p);
    let slow = || Script::<Ends>::new(&time, &[(200, Ok("slow"))]);
    let script = slow();
    let call = retry(steady(4), || script.attempt());
    assert_eq!(protected!(call, api, time), Ok("slow"));
    // Another protection replaces the first one, with its hedge.
    let script = slow();
    let call = retry(steady(4), || script.attempt())
        .protection(&api)
        .hedge();
    assert_eq!(protected!(call, api, time), Ok("slow"));
    assert_eq!(counts(&api), (0, 0, 0));
    // Its weight is asked for as that of any attempt.
    let (time, api) = on(|p| p.limiter(ONE_AT_A_TIME));
    let script = Script::<Ends>::new(&time, &[(200, Ok("slow"))]);
    let asked = RefCell::new(Vec::new());
    let call = retry(steady(4), || script.attempt()).weight(|attempt| {
        asked.borrow_mut().push(attempt);
        1.0
    });
    assert_eq!(hedged!(call, api, time), Ok("slow"));
    assert_eq!(asked.into_inner(), [1, 2]);
}

#[test]
fn without_a_clock_no_hedge_starts() {
    let (time, api) = on(|p| p);
    let script = Script::<Ends>::new(&time, &[(200, Ok("slow"))]);
    let call = retry(steady(4), || script.attempt())
        .protection(&api)
        .hedge();
    assert_eq!(time.block_on(call.sleeper(Clockless(&time))), Ok("slow"));
    assert_eq!(counts(&api), (0, 0, 0));
    // An attempt that was dropped took its time.
    let call = retry(steady(2), hangs).attempt_timeout(30 * MS);
    let call = call.protection(&api).hedge().sleeper(Clockless(&time));
    let failed = time.block_on(call).unwrap_err();
    assert_eq!(failed.report.elapsed, 160 * MS);
}

#[test]
fn a_budget_reports_the_hedge_that_empties_it() {
    let seen = std::sync::Arc::new(std::sync::Mutex::new(0));
    let events = seen.clone();
    let (time, api) = on(|p| {
        p.budget(tokens(1.0)).on_event(move |event| {
            assert!(
                matches!(event.change, ProtectionChange::BudgetEmpty(_)),
                "{event:?}"
            );
            *events.lock().unwrap() += 1;
        })
    });
    for started in [1, 1, 1] {
        let script = Script::<Ends>::new(&time, &[(90, Ok("first")), (90, Ok("second"))]);
        let call = retry(steady(2), || script.attempt());
        assert!(hedged!(call, api, time).is_ok());
        assert_eq!(hedges(&api).hedges, started);
    }
    assert_eq!((counts(&api), *seen.lock().unwrap()), ((1, 0, 2), 1));
    assert_eq!(api.status().budget.unwrap().rejected, 2);
}

/// Only operations that hedge have room for two futures.
#[test]
fn an_operation_that_does_not_hedge_is_no_larger() {
    fn size<T>(_: &T) -> usize {
        std::mem::size_of::<T>()
    }
    macro_rules! sizes {
        ($future:expr) => {{
            let (time, api) = (VirtualTime::new(), Protection::new().hedge(AFTER_50_MS));
            let call = || retry(steady(3), || $future);
            let protected = || call().protection(&api);
            let (plain, hedged) = (call().sleeper(&time), protected().hedge().sleeper(&time));
            [
                size(&plain),
                size(&protected().sleeper(&time)),
                size(&hedged),
            ]
        }};
    }
    let large = [0_u64; 128];
    let small = sizes!(ready(Ok::<u8, u8>(1)));
    let large = sizes!(async move {
        pending::<()>().await;
        Ok::<u64, u8>(large[0])
    });
    let grows = |i: usize| large[i] - small[i];
    assert!((1_000..1_100).contains(&grows(0)), "{small:?} {large:?}");
    assert!((1_000..1_100).contains(&grows(1)), "{small:?} {large:?}");
    assert!((2_000..2_200).contains(&grows(2)), "{small:?} {large:?}");
}

/// A protection whose hedges start after the 99th percentile of first attempts.
fn learning() -> (VirtualTime, Protection) {
    on(|p| {
        p.hedge(HedgeOptions {
            quantile: Some(0.99),
            ..HedgeOptions::default()
        })
    })
}

/// With the winners alone, hedges would make the delay ever shorter.
#[test]
fn superseded_and_timed_out_first_attempts_are_samples_and_second_ones_are_none() {
    let (slow, again) = ((900, Ok("slow")), (1, Err("again")));
    for (ends, delay) in [
        ([slow, (20, Ok("fast")), slow], 24 * MS),
        ([slow, (20, Err("no")), slow], 24 * MS),
        ([slow, slow, (2, Ok("usual"))], 44 * MS),
        ([again, slow, (20, Err("no"))], 2_250_000 * NS),
        ([again, slow, slow], 2_250_000 * NS),
    ] {
        let (time, api) = learning();
        let end = |ends: &[(u32, Ends)]| {
            let script = Script::new(&time, ends);
            let call = retry(steady(3), || script.attempt()).when(|error| *error == "again");
            let _ = hedged!(call.attempt_timeout(40 * MS), api, time);
        };
        for _ in 0..30 {
            end(&[(2, Ok("usual"))]);
        }
        assert_eq!(hedges(&api).delay, Some(2_250_000 * NS));
        end(&ends);
        assert_eq!(hedges(&api).hedges, 1);
        // Half of the samples are forgotten, and the quantile is computed again.
        time.advance(30_000 * MS);
        assert_eq!(hedges(&api).delay, Some(delay), "{ends:?}");
    }
}

#[test]
fn the_delay_of_hedges_is_learned_from_attempts_that_follow_answers_too() {
    for (signal, delay) in [
        (Signal::Success, Some(32 * MS)),
        (Signal::Nothing, Some(32 * MS)),
        (Signal::Declined, Some(2_250_000 * NS)),
        (Signal::Failure, None),
    ] {
        let (time, api) = learning();
        for _ in 0..20 {
            let script = Script::new(&time, &[(2, Err("again")), (30, Ok(()))]);
            let call = retry(steady(2), || script.attempt()).signal(|_| Some(signal));
            assert!(protected!(call, api, time).is_ok());
        }
        assert_eq!(hedges(&api).delay, delay, "{signal:?}");
    }
}
