//! The plan of a policy: each wait in numbers.

use rejitter::Jitter;
use serde::Serialize;

use super::polly::LongestSum;
use super::{Atom, Distribution, Model};

/// One wait of a [`plan`]. All times are ms.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PlannedWait {
    /// Number of the wait, starting at 1: it follows failed attempt `k`.
    pub k: u32,
    /// The backoff curve's value, at most the cap; for a jitter with a curve of its own `hi_ms`.
    pub ceiling_ms: f64,
    /// The shortest possible wait.
    pub lo_ms: f64,
    /// The longest possible wait, or the bound that waits come arbitrarily near to.
    pub hi_ms: f64,
    /// The mean.
    pub mean_ms: f64,
    /// The standard deviation.
    pub sd_ms: f64,
    /// The smallest waits that are not exceeded with the probabilities of the names.
    pub quantiles: Quantiles,
    /// The points of positive probability; of a lattice only its ends.
    pub atoms: Vec<Atom>,
    /// The distance of the possible waits, where all are multiples of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lattice_ms: Option<f64>,
    /// Mean of the sum of waits 1 to `k`.
    pub total_mean_ms: f64,
    /// Longest possible sum of waits 1 to `k`. For Polly's jitter an upper bound
    /// once the cap or a floor cuts the curve.
    pub total_worst_ms: f64,
}

/// Quantiles in ms.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[allow(missing_docs)]
#[non_exhaustive]
pub struct Quantiles {
    pub p01: f64,
    pub p05: f64,
    pub p10: f64,
    pub p50: f64,
    pub p90: f64,
    pub p95: f64,
    pub p99: f64,
}

/// Waits 1 to `waits`: exact where a closed form exists; decorrelated jitter and Polly's are
/// numeric, to far better than 1e-6. More waits than the policy has attempts for are planned as
/// if it had them.
#[must_use]
pub fn plan(model: &Model, waits: u32) -> Vec<PlannedWait> {
    let mut totals = Totals::new(model);
    let mut distributions = model.distributions();
    let mut planned: Vec<PlannedWait> = Vec::new();
    for k in 1..=waits {
        let again = planned.last().filter(|_| distributions.is_settled());
        let next = || Some(alone(model, k, &distributions.next()?));
        let Some(mut wait) = again.cloned().or_else(next) else {
            break;
        };
        totals.add(k, &wait);
        wait.k = k;
        wait.total_mean_ms = totals.mean;
        wait.total_worst_ms = totals.longest;
        planned.push(wait);
    }
    planned
}

struct Totals {
    mean: f64,
    longest: f64,
    /// The sum of Polly's longest waits, as long as it is exact.
    polly: Option<LongestSum>,
}

impl Totals {
    fn new(model: &Model) -> Self {
        let polly = model.policy().jitter() == Jitter::PollyV2;
        Self {
            mean: 0.0,
            longest: 0.0,
            polly: polly.then(|| model.polly().longest_sum()),
        }
    }

    fn add(&mut self, k: u32, wait: &PlannedWait) {
        self.mean += wait.mean_ms;
        self.longest += wait.hi_ms;
        // Two draws of which one lengthens a wait and shortens the next.
        if let Some(sum) = self.polly.as_mut().and_then(|sum| sum.upto(u64::from(k))) {
            self.longest = sum;
        }
    }
}

/// A wait by itself, without what it adds up to.
fn alone(model: &Model, k: u32, distribution: &Distribution) -> PlannedWait {
    let hi_ms = distribution.hi_ms();
    let quantile = |p| distribution.quantile(p);
    PlannedWait {
        k,
        ceiling_ms: model.ceiling_ms(u64::from(k), hi_ms),
        lo_ms: distribution.lo_ms(),
        hi_ms,
        mean_ms: distribution.mean_ms(),
        sd_ms: distribution.sd_ms(),
        quantiles: Quantiles {
            p01: quantile(0.01),
            p05: quantile(0.05),
            p10: quantile(0.1),
            p50: quantile(0.5),
            p90: quantile(0.9),
            p95: quantile(0.95),
            p99: quantile(0.99),
        },
        atoms: distribution.atoms().collect(),
        lattice_ms: distribution.lattice_ms(),
        total_mean_ms: 0.0,
        total_worst_ms: 0.0,
    }
}
