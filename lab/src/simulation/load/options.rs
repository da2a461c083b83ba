//! Options of the simulation of load, and their validation.

use rejitter::{OptionErrors, RetryPolicy, Seed};

use crate::simulation::LoadProtection;
use crate::simulation::check::{ABOVE_0, Check, POSITIVE_MS, SHARE, is_no_time};
use crate::simulation::options::options;
use crate::simulation::set::Set;

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

impl Set for Arrivals {}

options! { clients
    /// Options of [`Load`](super::Load). Times are in ms.
    LoadOptions:

    /// Where requests come from. Defaults to 280 per second, regularly.
    arrivals: Arrivals = Arrivals::Regular { per_s: 280.0 } => check_arrivals,
    /// Requests that the server handles per second. Positive and at most 10^9. Defaults to 300.
    capacity_per_s: f64 = 300.0 => [ABOVE_0, 1e9, "above 0 and at most 10^9"],
    /// Time that a client waits for an attempt. Positive, at most 10^9. Defaults to 1000.
    timeout_ms: f64 = 1_000.0 => [ABOVE_0, 1e9, POSITIVE_MS] => check_progress,
    /// Start of the outage. Between 0 and 10^9. Defaults to 10,000.
    down_from_ms: f64 = 10_000.0 => [0.0, 1e9, "a number of milliseconds between 0 and 10^9"],
    /// Length of the outage. Between 0 and 10^9. Defaults to 10,000.
    down_ms: f64 = 10_000.0 => [0.0, 1e9, "a number of milliseconds between 0 and 10^9"],
    /// Share of the answers that are failures, at random. Between 0 and 1. Defaults to 0.
    failure_share: f64 = 0.0 => [0.0, 1.0, SHARE],
    /// Where the simulation ends. Positive, at most 10^9, at most 10^6 bins. Defaults to 300,000.
    horizon_ms: f64 = 300_000.0 => [ABOVE_0, 1e9, POSITIVE_MS],
    /// The width of a time bin. Positive. Defaults to 1000.
    bin_ms: f64 = 1_000.0 => [bins 1e9],
    /// Parts that bound the attempts. Defaults to none.
    protection: LoadProtection = LoadProtection::default() => check_protection,
    /// Number of processes that the requests come from, at random, each with a protection of its own. Between 1 and
    /// 1000. Defaults to 1: all clients share one.
    processes: u32 = 1 => [1.0, 1e3, "an integer between 1 and 1000"],
}

impl LoadOptions {
    /// Whether the horizon is valid. Other options are compared with it only then.
    fn ends(&self) -> bool {
        (ABOVE_0..=1e9).contains(&self.horizon_ms)
    }

    fn check_arrivals(&self, check: &mut Check) {
        let span = if self.ends() {
            self.horizon_ms.max(1e-3)
        } else {
            1e-3
        };
        match self.arrivals {
            Arrivals::Regular { per_s } | Arrivals::Poisson { per_s } => check.range(
                "arrivals",
                Some(per_s),
                (
                    ABOVE_0,
                    1e10 / span,
                    "above 0 per second and at most 10^7 requests up to horizon_ms",
                ),
            ),
            Arrivals::Closed { clients, think_ms } => {
                let rule = "a number of clients, an integer between 1 and 10^6";
                check.range("arrivals", Some(f64::from(clients)), (1.0, 1e6, rule));
                let rule = "a pause of between 0 and 10^9 milliseconds";
                check.range("arrivals", Some(think_ms), (0.0, 1e9, rule));
                // A client that is rejected at once would ask again at once, for ever.
                let has_breaker = self.protection.breaker.is_some();
                let stands_still = self.ends() && has_breaker && is_no_time(think_ms, span);
                let rule = "a pause of more than a 10^15th of horizon_ms when there is a breaker";
                check.require("arrivals", Some(think_ms), rule, !stands_still);
            }
        }
    }

    fn check_progress(&self, check: &mut Check) {
        let (timeout, horizon) = (self.timeout_ms, self.horizon_ms);
        let stands_still = self.ends() && timeout > 0.0 && is_no_time(timeout, horizon);
        let rule = "more than a 10^15th of horizon_ms, because time would stand still";
        check.require("timeout_ms", Some(timeout), rule, !stands_still);
    }

    fn check_protection(&self, check: &mut Check) {
        self.protection.check(check);
    }
}
