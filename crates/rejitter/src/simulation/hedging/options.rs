//! Options of the simulation of hedges, and their validation.

use super::service::ServiceTimes;
use crate::core::{MAX_MS, OptionErrors, Seed};
use crate::simulation::check::Check;

/// When a hedge starts.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum HedgeDelay {
    /// A hedge starts this long after the attempt, in ms: between 0 and 2^53 − 1.
    Fixed(f64),
    /// A hedge starts when this share of the first attempts of the last 30 to 60 s has ended: above 0, below 1. None
    /// starts before 20 attempts have ended.
    Learned(f64),
}

/// Which hedges start: the rules of `hedge()` of `rejitter/protection`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HedgeRule {
    /// Time from an attempt to its hedge. Defaults to [`HedgeDelay::Learned`], 0.95.
    pub delay: HedgeDelay,
    /// Hedges per request that has ended; ten can be saved up, as at the start. Between 0.001 and 1, or infinite: no
    /// bound, which the part does not offer. Defaults to 0.1.
    pub max_ratio: f64,
}

impl Default for HedgeRule {
    fn default() -> Self {
        Self {
            delay: HedgeDelay::Learned(0.95),
            max_ratio: 0.1,
        }
    }
}

/// Servers for which attempts wait. Each works on one attempt after the other, in their order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ServerLoad {
    /// Number of servers. Between 1 and 10,000. Defaults to 10. An attempt goes to one at random, its hedge to another.
    pub servers: u32,
    /// Share of the time that the servers would work without hedges. Between 0.001 and 2. Defaults to 0.7. Requests
    /// arrive at random, at the rate for it.
    pub utilisation: f64,
}

impl Default for ServerLoad {
    fn default() -> Self {
        Self {
            servers: 10,
            utilisation: 0.7,
        }
    }
}

/// Options of [`Hedging`](super::Hedging).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HedgingOptions {
    /// Number of requests. Between 1 and 10^7. Defaults to 100,000.
    pub requests: u32,
    /// Times that servers work on attempts. Defaults to those of [`ServiceTimes`].
    pub service: ServiceTimes,
    /// Rule by which hedges start. Defaults to `None`: no hedges.
    pub hedge: Option<HedgeRule>,
    /// Servers for which attempts wait. Defaults to `None`: no attempt waits for another, and the requests follow one
    /// after the other.
    pub load: Option<ServerLoad>,
    /// Where all the randomness comes from.
    pub seed: Seed,
}

impl HedgingOptions {
    /// The defaults.
    #[must_use]
    pub fn new(seed: Seed) -> Self {
        Self {
            requests: 100_000,
            service: ServiceTimes::default(),
            hedge: None,
            load: None,
            seed,
        }
    }

    pub(super) fn check(&self) -> Result<(), OptionErrors> {
        let mut check = Check::default();
        let rule = "an integer between 1 and 10^7";
        check.range("requests", f64::from(self.requests), (1.0, 1e7), rule);
        self.service.check(&mut check);
        if let Some(HedgeRule { delay, max_ratio }) = self.hedge {
            match delay {
                HedgeDelay::Fixed(ms) => {
                    let rule = "a non-negative number of milliseconds, at most 2^53 - 1";
                    check.range("hedge.delay_ms", ms, (0.0, MAX_MS), rule);
                }
                HedgeDelay::Learned(quantile) => {
                    let rule = "a number above 0 and below 1";
                    let holds = quantile > 0.0 && quantile < 1.0;
                    check.holds("hedge.quantile", quantile, holds, rule);
                }
            }
            let rule = "a number between 0.001 and 1, or Infinity";
            let holds = (0.001..=1.0).contains(&max_ratio) || max_ratio == f64::INFINITY;
            check.holds("hedge.max_ratio", max_ratio, holds, rule);
        }
        if let Some(ServerLoad {
            servers,
            utilisation,
        }) = self.load
        {
            let rule = "an integer between 1 and 10,000";
            check.range("load.servers", f64::from(servers), (1.0, 1e4), rule);
            let rule = "a number between 0.001 and 2";
            check.range("load.utilisation", utilisation, (1e-3, 2.0), rule);
        }
        check.finish()
    }
}
