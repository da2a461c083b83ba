//! Options of the simulation of load, and their validation.

use crate::core::{OptionErrors, RetryPolicy, Seed};
use crate::simulation::LoadProtection;
use crate::simulation::check::{ABOVE_0, Check, POSITIVE_MS, is_no_time};

/// Where requests come from.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Arrivals {
    /// Open: new requests arrive at this rate, evenly spaced, regardless of the others.
    Regular {
        /// Requests per second. Positive; at most 10^7 requests up to the horizon.
        per_s: f64,
    },
    /// Open: as [`Arrivals::Regular`], at random (a Poisson process).
    Poisson {
        /// Requests per second. Positive; at most 10^7 requests up to the horizon.
        per_s: f64,
    },
    /// Closed: each client starts its next request a pause after the end of its last, so that a
    /// slow server gets fewer requests.
    Closed {
        /// Number of clients. Between 1 and 10^6.
        clients: u32,
        /// The mean of the pause, which is exponentially distributed, in ms. Between 0 and 10^9.
        think_ms: f64,
    },
}

/// Options of [`Load`](super::Load). Times are in ms.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadOptions {
    /// Where requests come from. Defaults to 280 per second, regularly.
    pub arrivals: Arrivals,
    /// Requests that the server handles per second. Positive and at most 10^9. Defaults to 300.
    pub capacity_per_s: f64,
    /// Time that a client waits for an attempt. Positive, at most 10^9. Defaults to 1000.
    pub timeout_ms: f64,
    /// Start of the outage. Between 0 and 10^9. Defaults to 10,000.
    pub down_from_ms: f64,
    /// Length of the outage. Between 0 and 10^9. Defaults to 10,000.
    pub down_ms: f64,
    /// Where the simulation ends. Positive, at most 10^9, at most 10^6 bins. Defaults to 300,000.
    pub horizon_ms: f64,
    /// The width of a time bin. Positive. Defaults to 1000.
    pub bin_ms: f64,
    /// Parts that bound the attempts. Defaults to none.
    pub protection: LoadProtection,
    /// Number of processes that the requests come from, each with a protection of its own. Between 1 and 1000.
    /// Defaults to 1: all clients share one.
    pub processes: u32,
    /// Where all the randomness comes from.
    pub seed: Seed,
    /// How the clients retry.
    pub policy: RetryPolicy,
    /// The values of [`Backoff::Custom`](crate::Backoff::Custom), in ms: the ceilings of the waits, of
    /// which the last repeats. Defaults to none, so that every ceiling is the cap.
    pub curve: Vec<f64>,
}

impl LoadOptions {
    /// The defaults, for a policy.
    #[must_use]
    pub fn new(policy: RetryPolicy, seed: Seed) -> Self {
        Self {
            arrivals: Arrivals::Regular { per_s: 280.0 },
            capacity_per_s: 300.0,
            timeout_ms: 1_000.0,
            down_from_ms: 10_000.0,
            down_ms: 10_000.0,
            horizon_ms: 300_000.0,
            bin_ms: 1_000.0,
            protection: LoadProtection::default(),
            processes: 1,
            seed,
            policy,
            curve: Vec::new(),
        }
    }

    pub(super) fn check(&self) -> Result<(), OptionErrors> {
        let mut check = Check::default();
        let horizon = self.horizon_ms;
        let ends = (ABOVE_0..=1e9).contains(&horizon);
        // An invalid horizon is rejected itself.
        let span = if ends { horizon.max(1e-3) } else { 1e-3 };
        match self.arrivals {
            Arrivals::Regular { per_s } | Arrivals::Poisson { per_s } => check.range(
                "arrivals",
                per_s,
                (ABOVE_0, 1e10 / span),
                "above 0 per second and at most 10^7 requests up to horizon_ms",
            ),
            Arrivals::Closed { clients, think_ms } => {
                let rule = "a number of clients, an integer between 1 and 10^6";
                check.range("arrivals", f64::from(clients), (1.0, 1e6), rule);
                let rule = "a pause of between 0 and 10^9 milliseconds";
                check.range("arrivals", think_ms, (0.0, 1e9), rule);
                // A client that is rejected at once would ask again at once, for ever.
                let stands_still =
                    ends && self.protection.breaker.is_some() && is_no_time(think_ms, span);
                let rule = "a pause of more than a 10^15th of horizon_ms when there is a breaker";
                check.holds("arrivals", think_ms, !stands_still, rule);
            }
        }
        let timeout = self.timeout_ms;
        let rule = "above 0 and at most 10^9";
        check.numbers(&[
            ("capacity_per_s", self.capacity_per_s, (ABOVE_0, 1e9), rule),
            ("timeout_ms", timeout, (ABOVE_0, 1e9), POSITIVE_MS),
        ]);
        check.holds(
            "timeout_ms",
            timeout,
            !(ends && timeout > 0.0 && is_no_time(timeout, horizon)),
            "more than a 10^15th of horizon_ms, because time would stand still",
        );
        let rule = "a number of milliseconds between 0 and 10^9";
        check.numbers(&[
            ("down_from_ms", self.down_from_ms, (0.0, 1e9), rule),
            ("down_ms", self.down_ms, (0.0, 1e9), rule),
        ]);
        check.bins(horizon, 1e9, self.bin_ms, POSITIVE_MS);
        self.protection.check(&mut check);
        let rule = "an integer between 1 and 1000";
        check.range("processes", f64::from(self.processes), (1.0, 1e3), rule);
        check.curve(&self.curve);
        check.finish()
    }
}
