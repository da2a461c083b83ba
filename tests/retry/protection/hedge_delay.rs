//! The delay of hedges, which is learned from first attempts.

use std::future::pending;
use std::time::Duration;

use rejitter::testing::VirtualTime;
use rejitter::{HedgeOptions, Protection, Verdict, retry};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::hedging::{Ends, Script, hedges};
use super::{MS, NS, on, steady};

/// The delay of hedges after 19 first attempts of 2 ms and what `more` makes. `None` if it makes no sample.
fn learned(more: impl FnOnce(&Protection, &VirtualTime)) -> Option<Duration> {
    let options = HedgeOptions {
        quantile: Some(0.99),
        ..HedgeOptions::default()
    };
    let (time, api) = on(|p| p.hedge(options));
    for _ in 0..19 {
        let script = Script::<Ends>::new(&time, &[(2, Ok("usual"))]);
        let call = retry(steady(1), || script.attempt()).protection(&api);
        assert_eq!(time.block_on(call.sleeper(&time)), Ok("usual"));
    }
    more(&api, &time);
    hedges(&api).delay
}

#[test]
fn the_delay_is_learned_from_first_attempts_whose_time_says_something() {
    let run = |time: &VirtualTime, api: &Protection, ends: &[(u32, Ends)], verdict: Verdict| {
        let script = Script::new(time, ends);
        let call = retry(steady(2), || script.attempt())
            .attempt_timeout(40 * MS)
            .when(move |_| verdict);
        let _ = time.block_on(call.protection(api).hedge().sleeper(time));
    };
    let with = |ends: &[(u32, Ends)], verdict| learned(|api, time| run(time, api, ends, verdict));
    assert_eq!(with(&[(30, Ok("success"))], Verdict::Retry), Some(32 * MS));
    let timeouts = [(90, Ok("late")), (90, Ok("late"))];
    assert_eq!(with(&timeouts, Verdict::Retry), Some(44 * MS));
    // Neither a failure, nor a second attempt.
    let fast = [(1, Err("fast")), (30, Ok("retry"))];
    assert_eq!(with(&fast, Verdict::Retry), None);
    assert_eq!(with(&fast, Verdict::Stop), None);
    let deadline = learned(|api, time| {
        let call = retry(steady(1), pending::<Ends>).total_timeout(20 * MS);
        assert!(time.block_on(call.protection(api).sleeper(time)).is_err());
    });
    assert_eq!(deadline, None);
    // An answer that shows that the server works is a sample, whatever the caller makes of it.
    let answer = learned(|api, time| {
        let script = Script::<Ends>::new(time, &[(30, Err("not found"))]);
        let call = retry(steady(1), || script.attempt())
            .signal(|_| Some(rejitter::Signal::Success))
            .protection(api);
        assert!(time.block_on(call.sleeper(time)).is_err());
    });
    assert_eq!(answer, Some(32 * MS));
}

/// With the winners alone, hedges would make the delay ever shorter.
#[test]
fn superseded_first_attempts_are_samples() {
    for ends in [
        [(900, Ok("slow")), (20, Ok("fast"))],
        [(900, Ok("slow")), (20, Err("no"))],
    ] {
        let delay = learned(|api, time| {
            // The twentieth: hedges start after 2.25 ms from now on.
            let script = Script::<Ends>::new(time, &[(2, Ok("usual"))]);
            let call = retry(steady(2), || script.attempt()).protection(api);
            assert!(time.block_on(call.sleeper(time)).is_ok());
            assert_eq!(hedges(api).delay, Some(2_250_000 * NS));
            let script = Script::new(time, &ends);
            let call = retry(steady(2), || script.attempt()).when(|_| false);
            let _ = time.block_on(call.protection(api).hedge().sleeper(time));
            assert_eq!(hedges(api).hedges, 1);
            time.advance(15_000 * MS);
            // Half of the samples are forgotten, and the quantile is computed again.
            time.advance(15_000 * MS);
        });
        assert_eq!(delay, Some(24 * MS), "{ends:?}");
    }
}
