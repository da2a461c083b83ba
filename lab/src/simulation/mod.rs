//! The effect of retries on a server: simulations in virtual time, seeded and reproducible.
//!
//! Each model is a struct that is made from options (an error lists every invalid one with its rule) and
//! then advanced in slices with [`Simulation::step`], so that a worker can report progress between
//! slices and stop whenever it likes. Results are plain vectors of `f64` and `u32`.
//!
//! | model | question |
//! |---|---|
//! | [`Outage`] | what do many clients do to a server that recovers? |
//! | [`Contention`] | how much work do clients that compete for one row make? (AWS, 2015) |
//! | [`Load`] | does the load ever recover, with open or closed arrivals, and with which protection? |
//! | [`RateLimit`] | what do workers do to a server that limits its requests, and who tells whom? |
//! | [`Hedging`] | how much of the tail do second attempts cut, and for how much more load? |
//!
//! ```
//! use rejitter_lab::simulation::{Outage, OutageOptions, Simulation};
//! use rejitter::{RetryOptions, RetryPolicy, Seed, UNLIMITED};
//!
//! let policy = RetryPolicy::from_options(RetryOptions {
//!     max_attempts: Some(UNLIMITED),
//!     ..RetryOptions::default()
//! })?;
//! let mut herd = Outage::new(OutageOptions {
//!     capacity_per_s: 100.0,
//!     ..OutageOptions::new(policy, Seed::from("docs"))
//! })?;
//! while !herd.step(10_000).done {
//!     // Here a worker reports progress, and may stop.
//! }
//! // 1,000 clients, 30 s of outage: no strategy can serve them all before 40 s.
//! assert!(herd.time_to_serve_ms(1.0).is_some_and(|ms| ms >= 40_000.0));
//! # Ok::<(), rejitter::OptionErrors>(())
//! ```
//!
//! The waits are the policy's own: client `i` waits what operation `i` of a seeded policy waits.
//! Whatever else is random comes from the same seed, and every function of it is made of the four
//! operations and the square root, so that results are equal, bit for bit, natively and in
//! WebAssembly.

#![deny(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod agenda;
mod check;
mod clients;
mod contention;
mod elementary;
mod hedging;
mod load;
mod noise;
mod normal;
mod options;
mod outage;
mod protection;
mod queue;
mod rate_limit;
mod served;
pub(crate) mod set;
mod statistics;

pub(crate) use clients::listed;
pub use contention::{Contention, ContentionOptions, Strategy};
pub use hedging::{
    HedgeDelay, HedgeRule, Hedging, HedgingExact, HedgingOptions, HedgingTotals, ServerLoad,
    ServiceTimes,
};
pub use load::{Arrivals, Load, LoadBins, LoadOptions, LoadPhases, LoadTotals};
pub use noise::Noise;
pub use normal::Normal;
pub use outage::{Outage, OutageOptions};
pub use protection::{LoadBreaker, LoadBudget, LoadProtection};
pub use queue::EventQueue;
pub use rate_limit::{RateHints, RateLimit, RateLimitOptions, RateLimitTotals, RateLimiter};
pub use rejitter::internals::protection::{BreakerOptions, BudgetOptions};
pub use served::{Bins, Peak, Traces};
pub use statistics::{Summary, summary};

/// How far a simulation is.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// The events handled since the start.
    pub events: u64,
    /// The share of the work that is done, between 0 and 1: of the clients, runs, requests or of the
    /// simulated time, whatever the model counts.
    pub share: f64,
    /// Nothing is left to do.
    pub done: bool,
}

/// A model that is advanced in slices.
pub trait Simulation {
    /// Handles at most `max_events` events, fewer at the end.
    ///
    /// The results do not depend on how the events are sliced. Those of an unfinished simulation
    /// may be read: they are what has happened so far.
    fn step(&mut self, max_events: u64) -> Progress;

    /// Handles all the events that are left.
    fn finish(&mut self) -> Progress {
        loop {
            let progress = self.step(u64::MAX);
            if progress.done {
                return progress;
            }
        }
    }
}
