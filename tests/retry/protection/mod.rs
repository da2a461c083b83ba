//! Protection on virtual time, and what its tests share.

use std::future::{pending, ready};
use std::pin::pin;

use rejitter::testing::VirtualTime;
use rejitter::{BreakerState, BudgetOptions, Protection, retry};

use super::{Failed, MS, NS, poll, steady};
use crate::common::protected::{NERVOUS, breaker, on, tokens_of};

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
    let call = retry(steady(1), || ready(Err::<(), _>("down")));
    assert!(time.block_on(call.protection(api).sleeper(time)).is_err());
    assert_eq!(breaker(api).state, BreakerState::Open);
    time.advance(1_000 * MS);
}

/// Uses up the probe of a hold, which ends without saying anything: the attempts that follow are held.
fn drop_probe(api: &Protection, time: &VirtualTime) {
    let probe = retry(steady(1), pending::<Result<(), Failed>>).protection(api);
    assert!(poll(pin!(probe.sleeper(time))).is_pending());
}
