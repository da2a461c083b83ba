//! The machines of protection. The scenes and the numbers of AWS are exact. Times are ms of a clock that the tests
//! move.
//!
//! The package's tests compare the same machines, as JavaScript, with machines that remember everything; `lives` holds
//! the two to each other.

mod breaker;
mod budget;
mod cooldown;
mod healthy;
mod latency;
mod limiter;
#[cfg(not(miri))] // digests
mod lives;
