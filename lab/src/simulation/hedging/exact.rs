//! Hedges without load, in closed form.

use super::options::{HedgeDelay, HedgingOptions};
use super::tail::{Tail, shortest};

/// The distribution in closed form: with S(t) for the share of attempts that take longer than t, and the delay d, the
/// share S(t)·S(t − d) of the requests takes longer than t.
///
/// It ignores the bound of the number of hedges.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct HedgingExact {
    /// The share of requests that take longer than each of [`Hedging::times_ms`](super::Hedging::times_ms).
    pub survival: Vec<f64>,
    /// The median, in ms.
    pub p50_ms: f64,
    /// The time that one request in 100 exceeds, in ms.
    pub p99_ms: f64,
    /// The time that one request in 1,000 exceeds, in ms.
    pub p999_ms: f64,
    /// Hedges per request: S(d).
    pub extra: f64,
}

impl HedgingExact {
    /// `None` if there is no closed form: with load, and if the delay is learned.
    pub(super) fn of(options: &HedgingOptions) -> Option<Self> {
        if options.load.is_some() {
            return None;
        }
        let (service, hedge) = (&options.service, options.hedge);
        let delay_ms = match hedge.map(|hedge| hedge.delay) {
            None => f64::INFINITY,
            Some(HedgeDelay::Fixed(ms)) => ms,
            Some(HedgeDelay::Learned(_)) => return None,
        };
        let longer_than = |ms: f64| {
            let attempt = service.longer_than(ms);
            if ms < delay_ms {
                attempt
            } else {
                attempt * service.longer_than(ms - delay_ms)
            }
        };
        Some(Self {
            survival: Tail::grid().into_iter().map(longer_than).collect(),
            p50_ms: shortest(0.5, longer_than),
            p99_ms: shortest(0.01, longer_than),
            p999_ms: shortest(0.001, longer_than),
            extra: hedge.map_or(0.0, |_| service.longer_than(delay_ms)),
        })
    }
}
