//! Protections on virtual time.

use rejitter::testing::VirtualTime;
use rejitter::{BreakerOptions, BreakerStatus, LimiterOptions, Protection};

/// A clock, and a protection with these parts that reads it.
pub fn on(parts: impl FnOnce(Protection) -> Protection) -> (VirtualTime, Protection) {
    let time = VirtualTime::new();
    let clock = time.clone();
    let api = parts(Protection::new()).clock(move || clock.now());
    (time, api)
}

/// The outcome of a call with this protection, on this time.
macro_rules! protected {
    ($call:expr, $api:expr, $time:expr) => {
        $time.block_on($call.protection(&$api).sleeper(&$time))
    };
}
#[allow(unused_imports)]
pub(crate) use protected;

pub fn breaker(api: &Protection) -> BreakerStatus {
    api.status().breaker.expect("a breaker")
}

pub fn tokens_of(api: &Protection) -> f64 {
    api.status().budget.expect("a budget").tokens
}

/// Opens at the first failure, for up to a second.
pub const NERVOUS: BreakerOptions = BreakerOptions {
    consecutive_failures: Some(1),
    open_ms: Some(1_000.0),
    ..BreakerOptions::DEFAULT
};

pub const ONE_AT_A_TIME: LimiterOptions = LimiterOptions {
    concurrency: Some(1),
    ..LimiterOptions::DEFAULT
};
