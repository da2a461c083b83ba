//! Signals: what HTTP statuses mean, and what follows answers.

use std::future::ready;
use std::time::Duration;

use rejitter::{BreakerOptions, HedgeOptions, Signal, retry};
use serde_json::Value;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::hedging::{Script, hedges};
use super::{MS, breaker, hedging, on, steady, tokens, tokens_of};

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

/// Tokens left and calls of the breaker after an operation whose two attempts end so.
fn after(signal: Signal) -> (f64, f64) {
    let (time, api) = on(|p| p.budget(tokens(5.0)).breaker(BreakerOptions::default()));
    let call = retry(steady(2), || ready(Err::<(), _>(()))).signal(|()| Some(signal));
    assert!(time.block_on(call.protection(&api).sleeper(&time)).is_err());
    (tokens_of(&api), breaker(&api).calls)
}

#[test]
fn a_retry_takes_a_token_after_all_but_answers() {
    assert_eq!(after(Signal::Failure), (4.0, 1.0));
    assert_eq!(after(Signal::Declined), (4.0, 2.0));
    assert_eq!(after(Signal::Busy(Duration::ZERO)), (4.0, 0.0));
    assert_eq!(after(Signal::Success), (5.0, 2.0));
    assert_eq!(after(Signal::Nothing), (5.0, 0.0));
}

/// The budget's tokens and retries after a round that ends so, a wait, and a success; and the breaker's calls.
fn round(attempt: Signal, hedge: Signal) -> (f64, u64, f64) {
    let (time, api) = hedging::on(|p| p.budget(tokens(3.0)).breaker(BreakerOptions::default()));
    let ends = [(80, Err(attempt)), (50, Err(hedge)), (10, Ok(()))];
    let script = Script::new(&time, &ends);
    let call = retry(steady(4), || script.attempt()).signal(|signal| Some(*signal));
    let call = call.protection(&api).hedge().sleeper(&time);
    assert_eq!(time.block_on(call), Ok(()));
    assert_eq!(script.calls(), [0, 50, 200]);
    assert_eq!(hedges(&api).hedges, 1);
    let granted = api.status().budget.unwrap().granted;
    (tokens_of(&api), granted, breaker(&api).calls)
}

/// The hedge's own token never comes back.
#[test]
fn a_round_is_an_answer_only_if_all_its_ends_are() {
    assert_eq!(round(Signal::Success, Signal::Success), (2.0, 1, 3.0));
    assert_eq!(round(Signal::Success, Signal::Nothing), (2.0, 1, 2.0));
    for (attempt, hedge) in [
        (Signal::Success, Signal::Failure),
        (Signal::Declined, Signal::Success),
        (Signal::Success, Signal::Busy(Duration::ZERO)),
    ] {
        assert_eq!(round(attempt, hedge).1, 2, "{attempt:?}, {hedge:?}");
        // What the retry took comes back.
        assert_eq!(round(attempt, hedge).0, 2.0, "{attempt:?}, {hedge:?}");
    }
}

#[test]
fn a_deadline_during_an_attempt_that_follows_an_answer_says_nothing() {
    let (time, api) = on(|p| p.breaker(BreakerOptions::default()));
    let script = Script::new(&time, &[(10, Err("pending")), (500, Ok(()))]);
    let call = retry(steady(2), || script.attempt()).signal(|_| Some(Signal::Success));
    let call = call.total_timeout(200 * MS).protection(&api).sleeper(&time);
    assert!(time.block_on(call).is_err());
    assert_eq!((breaker(&api).failures, breaker(&api).calls), (0.0, 1.0));
}

/// The delay of hedges, learned from attempts that take 2 ms and end so, each followed by one that takes 30 ms.
fn learned(signal: Signal) -> (Option<Duration>, u64) {
    let options = HedgeOptions {
        quantile: Some(0.99),
        ..HedgeOptions::default()
    };
    let (time, api) = on(|p| p.hedge(options));
    for _ in 0..20 {
        let script = Script::new(&time, &[(2, Err("again")), (30, Ok(()))]);
        let call = retry(steady(2), || script.attempt()).signal(|_| Some(signal));
        assert!(time.block_on(call.protection(&api).sleeper(&time)).is_ok());
    }
    (hedges(&api).delay, hedges(&api).hedges)
}

#[test]
fn the_delay_of_hedges_is_learned_from_attempts_that_follow_answers_too() {
    assert_eq!(learned(Signal::Success).0, Some(32 * MS));
    assert_eq!(learned(Signal::Nothing).0, Some(32 * MS));
    assert_eq!(learned(Signal::Declined).0, Some(2_250 * MS / 1_000));
    assert_eq!(learned(Signal::Failure).0, None);
}
