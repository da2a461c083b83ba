//! The facts about a policy that the rules of `explain` share, computed once.

use rejitter::{Backoff, Jitter, RetryPolicy};

use super::words::time;
use super::{Distribution, Model};

/// Number of waits that are analysed: later ones differ little from the twentieth.
pub(super) const WAITS: usize = 20;

/// Waits that are added up one by one; the rest, if any, counts as long as the last of them.
const SUMMED: u64 = 100_000;

/// The policy, and what several rules want to know of it.
pub(super) struct Study<'a> {
    pub(super) model: &'a Model,
    pub(super) policy: &'a RetryPolicy,
    /// At most [`WAITS`], as many as there are.
    pub(super) distributions: Vec<Distribution>,
    /// The longest that all waits can take together; `None` without a limit of attempts.
    pub(super) worst_ms: Option<f64>,
    /// The longest ceiling of all waits.
    pub(super) highest_ms: f64,
}

impl<'a> Study<'a> {
    pub(super) fn new(model: &'a Model) -> Self {
        let waits = model.waits();
        let looked_at = waits.map_or(WAITS, |waits| {
            usize::try_from(waits).map_or(WAITS, |waits| waits.min(WAITS))
        });
        Self {
            model,
            policy: model.policy(),
            distributions: model.distributions().take(looked_at).collect(),
            worst_ms: waits.map(|waits| worst_sum(model, waits)),
            highest_ms: highest(model, waits),
        }
    }

    pub(super) fn first(&self) -> Option<&Distribution> {
        self.distributions.first()
    }

    fn longest_ms(&self) -> f64 {
        let longest = |a: f64, d: &Distribution| a.max(d.hi_ms());
        self.distributions.iter().fold(0.0, longest)
    }

    /// Whether anything is waited at all.
    pub(super) fn waits(&self) -> bool {
        self.longest_ms() > 0.0
    }

    pub(super) fn has_jitter(&self) -> bool {
        self.policy.jitter() != Jitter::None
    }

    pub(super) fn has_deadline(&self) -> bool {
        self.model.total_timeout_ms() < f64::INFINITY
    }

    pub(super) fn deadline(&self) -> String {
        time(self.model.total_timeout_ms())
    }
}

/// The longest that `waits` waits can take together.
fn worst_sum(model: &Model, waits: u64) -> f64 {
    let mut sum = 0.0;
    let mut longest = None;
    let summed = waits.min(SUMMED);
    let mut counted = 0;
    for k in 1..=summed {
        let wait = model.longest_ms(k, longest);
        sum += wait;
        longest = Some(wait);
        counted = k;
        if model.is_steady(k, wait) {
            break;
        }
    }
    if model.policy().jitter() == Jitter::PollyV2 && waits < 100 {
        if let Some(exact) = model.polly().longest_sum().upto(waits) {
            return exact;
        }
    }
    // Beyond 2^53 attempts the last bits of their number are lost, and do not matter.
    #[allow(clippy::cast_precision_loss)]
    let rest = (waits - counted) as f64;
    sum + rest * longest.unwrap_or(0.0)
}

/// The highest that the ceiling gets in `waits` waits.
fn highest(model: &Model, waits: Option<u64>) -> f64 {
    let policy = model.policy();
    let last = waits.unwrap_or(1 << 53);
    if last == 0 {
        return 0.0;
    }
    match policy.jitter() {
        Jitter::Decorrelated | Jitter::DecorrelatedBounded => {
            let mut longest = model.longest_ms(1, None);
            // It grows threefold, from nothing to the cap in less than 1,500 waits.
            for k in 2..=last.min(1_500) {
                longest = model.longest_ms(k, Some(longest));
            }
            longest
        }
        jitter if !jitter.follows_the_curve() => model.longest_ms(last, None),
        _ if policy.backoff() == Backoff::Custom => {
            let ceilings = (1..=last.min(model.curve_len())).map(|k| model.ceiling_ms(k, 0.0));
            ceilings.fold(0.0, f64::max)
        }
        _ => model.ceiling_ms(last, 0.0),
    }
}
