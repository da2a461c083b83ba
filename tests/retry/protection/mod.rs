//! Protection on virtual time, and what its tests share.

use rejitter::testing::VirtualTime;
use rejitter::{BreakerState, BudgetOptions, Protection, retry};

use super::{Failed, MS, NS, steady};
use crate::common::attempts::{begun, done, down, hangs, poll};
use crate::common::protected::{NERVOUS, breaker, on, protected, tokens_of};

mod events;
mod hedge;
mod hedge_worlds;
mod hedging;
mod keys;
mod limiter;
mod operations;
mod scenes;

/// A budget of `capacity` tokens that successes do not fill.
fn tokens(capacity: f64) -> BudgetOptions {
    BudgetOptions {
        capacity: Some(capacity),
        per_success: Some(0.0),
        ..BudgetOptions::default()
    }
}

fn held(api: &Protection) -> u64 {
    api.status().cooldown.expect("a cooldown").held
}

/// Makes the circuit half-open's turn: a failure, then the time that the opening lasts at most.
fn open_once(api: &Protection, time: &VirtualTime) {
    assert!(protected!(retry(steady(1), down), *api, *time).is_err());
    assert_eq!(breaker(api).state, BreakerState::Open);
    time.advance(1_000 * MS);
}

/// Uses up the probe of a hold, which ends without saying anything: the attempts that follow are held.
fn drop_probe(api: &Protection, time: &VirtualTime) {
    drop(begun(retry(steady(1), hangs).protection(api).sleeper(time)));
}
