//! Options of the simulation of load, and their validation.

use crate::core::{OptionErrors, RetryPolicy, Seed};
use crate::simulation::LoadProtection;
use crate::simulation::check::{ABOVE_0, Check, POSITIVE_MS, is_no_time};
use crate::simulation::clients::{Rules, options};

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

options! {
    /// Options of [`Load`](super::Load). Times are in ms.
    LoadOptions:

    /// Where requests come from. Defaults to 280 per second, regularly.
    arrivals: Arrivals = Arrivals::Regular { per_s: 280.0 },
    /// Requests that the server handles per second. Positive and at most 10^9. Defaults to 300.
    capacity_per_s: f64 = 300.0,
    /// Time that a client waits for an attempt. Positive, at most 10^9. Defaults to 1000.
    timeout_ms: f64 = 1_000.0,
    /// Start of the outage. Between 0 and 10^9. Defaults to 10,000.
    down_from_ms: f64 = 10_000.0,
    /// Length of the outage. Between 0 and 10^9. Defaults to 10,000.
    down_ms: f64 = 10_000.0,
    /// Share of the answers that are failures, at random. Between 0 and 1. Defaults to 0.
    failure_share: f64 = 0.0,
    /// Where the simulation ends. Positive, at most 10^9, at most 10^6 bins. Defaults to 300,000.
    horizon_ms: f64 = 300_000.0,
    /// The width of a time bin. Positive. Defaults to 1000.
    bin_ms: f64 = 1_000.0,
    /// Parts that bound the attempts. Defaults to none.
    protection: LoadProtection = LoadProtection::default(),
    /// Number of processes that the requests come from, at random, each with a protection of its own. Between 1 and
    /// 1000. Defaults to 1: all clients share one.
    processes: u32 = 1,
}

impl LoadOptions {
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
        let rule = "a share between 0 and 1";
        check.range("failure_share", self.failure_share, (0.0, 1.0), rule);
        check.bins(horizon, 1e9, self.bin_ms, POSITIVE_MS);
        self.protection.check(&mut check);
        let rule = "an integer between 1 and 1000";
        check.range("processes", f64::from(self.processes), (1.0, 1e3), rule);
        check.curve(&self.curve);
        check.finish()
    }
}
