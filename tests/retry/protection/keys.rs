//! Keys: each has numbers, and a thousand are kept.

use std::time::Duration;

use rejitter::{BreakerState, Protection, StopReason, retry};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::hedging::{self, Ends, Script, hedges};
use super::{NERVOUS, breaker, done, down, on, protected, steady, tokens, tokens_of};

#[test]
fn keys_have_numbers_of_their_own() {
    let (time, servers) = on(|p| p.budget(tokens(1.0)).breaker(NERVOUS));
    let fails = |api: &Protection| {
        let ended = protected!(retry(steady(1), down), *api, time);
        ended.unwrap_err().reason
    };
    assert_eq!(fails(&servers.for_key("a")), StopReason::Exhausted);
    assert_eq!(fails(&servers.for_key("a")), StopReason::Breaker);
    assert_eq!(fails(&servers.for_key("b")), StopReason::Exhausted);
    assert_eq!(fails(&servers), StopReason::Exhausted);
    assert_eq!(servers.keys(), ["a", "b"]);
    let refused = protected!(retry(steady(1), done), servers.for_key("a"), time);
    let message = refused.unwrap_err().to_string();
    assert!(
        message.starts_with("rejected by breaker of a for "),
        "{message}"
    );
    // For no time it does not open.
    servers.for_key("c").open_for(Duration::ZERO);
    assert_eq!(breaker(&servers.for_key("c")).state, BreakerState::Closed);
    assert_eq!(servers.for_key("a").keys(), Vec::<String>::new());
    // A builder's method makes another protection.
    let other = servers.clone().budget(tokens(2.0));
    assert_eq!((other.keys().len(), tokens_of(&servers.clone())), (0, 1.0));
    assert_eq!(breaker(&other).opens, 0);
}

#[test]
fn a_thousand_keys_are_kept_open_ones_first() {
    // Each is looked for among all: most of it is the way to the first thousand.
    let many = if cfg!(miri) { 1_010 } else { 2_000 };
    let (time, servers) = on(|p| p.breaker(NERVOUS));
    let open = servers.for_key("open");
    open.open();
    let used = servers.for_key("used");
    let succeeds = |api: &Protection| {
        assert_eq!(protected!(retry(steady(1), done), *api, time), Ok(()));
    };
    succeeds(&used);
    for i in 0..many {
        // It is kept once it is used; to close what is closed changes no number.
        servers.for_key(&i.to_string()).close();
    }
    let keys = servers.keys();
    assert_eq!(keys.len(), 1_000);
    // Those are as good as new, these are not.
    assert_eq!(keys[..2], ["open", "used"]);
    assert_eq!(keys.last(), Some(&(many - 1).to_string()));

    // With numbers in all of them, the one that was used least recently goes, unless it is open.
    for i in 0..many {
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
fn keys_with_hedges_are_kept() {
    let (time, servers) = hedging::on(|p| p);
    let script = Script::<Ends>::new(&time, &[(90, Err("no")), (90, Err("no"))]);
    let call = retry(steady(2), || script.attempt()).protection(&servers.for_key("used"));
    assert!(time.block_on(call.hedge().sleeper(&time)).is_err());
    for i in 0..2_000 {
        let call = retry(steady(1), down).when(|_| false);
        assert!(protected!(call, servers.for_key(&i.to_string()), time).is_err());
    }
    assert_eq!(servers.keys()[0], "used");
    assert_eq!(hedges(&servers.for_key("used")).hedges, 1);
    assert_eq!(hedges(&servers).hedges, 0);
}
