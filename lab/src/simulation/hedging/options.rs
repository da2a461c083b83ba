//! Options of the simulation of hedges, and their validation.

use rejitter::decide::MAX_MS;
use rejitter::{OptionErrors, Seed};

use super::service::ServiceTimes;
use crate::simulation::check::Check;
use crate::simulation::options::options;
use crate::simulation::set::Set;

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

impl Set for HedgeDelay {}

options! { "hedge."
    /// Which hedges start: the rules of `hedge()` of `rejitter/protection`.
    #[derive(Copy)]
    HedgeRule:

    /// Time from an attempt to its hedge. Defaults to [`HedgeDelay::Learned`], 0.95.
    delay: HedgeDelay = HedgeDelay::Learned(0.95) => check_delay,
    /// Hedges per request that has ended; ten can be saved up, as at the start. Between 0.001 and 1, or infinite: no
    /// bound, which the part does not offer. Defaults to 0.1.
    max_ratio: f64 = 0.1 => check_ratio,
}

impl HedgeRule {
    fn check_delay(&self, check: &mut Check) {
        match self.delay {
            HedgeDelay::Fixed(ms) => {
                let rule = "a non-negative number of milliseconds, at most 2^53 - 1";
                check.range("hedge.delay_ms", Some(ms), (0.0, MAX_MS, rule));
            }
            HedgeDelay::Learned(quantile) => {
                let rule = "a number above 0 and below 1";
                let holds = quantile > 0.0 && quantile < 1.0;
                check.require("hedge.quantile", Some(quantile), rule, holds);
            }
        }
    }

    fn check_ratio(&self, check: &mut Check) {
        let rule = "a number between 0.001 and 1, or Infinity";
        let holds = (0.001..=1.0).contains(&self.max_ratio) || self.max_ratio == f64::INFINITY;
        check.require("hedge.max_ratio", Some(self.max_ratio), rule, holds);
    }
}

options! { "load."
    /// Servers for which attempts wait. Each works on one attempt after the other, in their order.
    #[derive(Copy)]
    ServerLoad:

    /// Number of servers. Between 1 and 10,000. Defaults to 10. An attempt goes to one at random, its hedge to another.
    servers: u32 = 10 => [1.0, 1e4, "an integer between 1 and 10,000"],
    /// Share of the time that the servers would work without hedges. Between 0.001 and 2. Defaults to 0.7. Requests
    /// arrive at random, at the rate for it.
    utilisation: f64 = 0.7 => [1e-3, 2.0, "a number between 0.001 and 2"],
}

options! { seeded
    /// Options of [`Hedging`](super::Hedging).
    #[derive(Copy)]
    HedgingOptions:

    /// Number of requests. Between 1 and 10^7. Defaults to 100,000.
    requests: u32 = 100_000 => [1.0, 1e7, "an integer between 1 and 10^7"],
    /// Times that servers work on attempts. Defaults to those of [`ServiceTimes`].
    service: ServiceTimes = ServiceTimes::default(),
    /// Rule by which hedges start. Defaults to `None`: no hedges.
    hedge: Option<HedgeRule> = None,
    /// Servers for which attempts wait. Defaults to `None`: no attempt waits for another, and the requests follow one
    /// after the other.
    load: Option<ServerLoad> = None,
}

impl HedgingOptions {
    pub(super) fn check(&self) -> Result<(), OptionErrors> {
        let mut check = Check::default();
        self.check_all(&mut check);
        self.service.check_all(&mut check);
        if let Some(hedge) = self.hedge {
            hedge.check_all(&mut check);
        }
        if let Some(load) = self.load {
            load.check_all(&mut check);
        }
        check.into_result()
    }
}
