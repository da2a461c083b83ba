//! Draws waits in bulk, bit-identical to the waits of operations.

use rejitter::decide::{Draws, MAX_MS, Previous};
use rejitter::internals::{PolicyInternals, Wait, draws_of};
use rejitter::{RetryPolicy, Seed};

use super::Model;

/// Draws the waits of many operations of one seed: like these, none is above [`MAX_MS`].
///
/// It computes once whatever does not depend on the draws, so that full jitter costs one
/// multiplication more than its random number.
#[derive(Debug, Clone)]
pub struct Sampler<'a> {
    policy: &'a RetryPolicy,
    seed: Seed,
    waits: usize,
    formula: Formula,
}

/// The computation that remains for each draw.
#[derive(Debug, Clone)]
enum Formula {
    /// `r·hi`, for each wait.
    Full(Vec<f64>),
    /// `lo + r·(hi − lo)`, at most the number beside them.
    Uniform(Vec<(f64, f64)>, f64),
    /// Whatever the core makes of it: the wait depends on the one before, or on two draws.
    Core,
}

impl<'a> Sampler<'a> {
    /// For the first `waits` waits of each operation.
    #[must_use]
    pub fn new(model: &'a Model, seed: Seed, waits: u32) -> Self {
        let policy = model.policy();
        let formula = if policy.jitter().follows_the_curve() {
            let most = if policy.may_exceed_the_cap() {
                MAX_MS
            } else {
                policy.cap_ms()
            };
            let ranges = (1..=u64::from(waits)).map(|k| policy.range_ms(&model.wait(k, None)));
            let ranges: Vec<_> = ranges.collect();
            if ranges.iter().all(|(lo, hi)| *lo == 0.0 && *hi <= most) {
                Formula::Full(ranges.into_iter().map(|(_, hi)| hi).collect())
            } else {
                Formula::Uniform(ranges, most)
            }
        } else {
            Formula::Core
        };
        Self {
            policy,
            seed,
            waits: usize::try_from(waits).unwrap_or(usize::MAX),
            formula,
        }
    }

    /// Fills `buffer` with the waits of operations `first`, `first` + 1, …: all the waits of one
    /// operation in their order, then those of the next. What is left of the buffer, less than
    /// an operation's, gets the first waits of one more.
    pub fn fill(&self, first: u64, buffer: &mut [f64]) {
        let operations = (first..).zip(buffer.chunks_mut(self.waits.max(1)));
        for (operation, waits) in operations {
            let draw = draws_of(self.seed, operation);
            match &self.formula {
                Formula::Full(ceilings) => {
                    for ((k, wait), hi) in (1..).zip(waits).zip(ceilings) {
                        // 0 + r·(hi − 0) is r·hi, and never above hi.
                        *wait = draw(k, 0) * hi;
                    }
                }
                Formula::Uniform(ranges, most) => {
                    for ((k, wait), (lo, hi)) in (1..).zip(waits).zip(ranges) {
                        *wait = (lo + draw(k, 0) * (hi - lo)).min(*hi).min(*most);
                    }
                }
                Formula::Core => {
                    let mut previous = None;
                    for (k, wait) in (1..).zip(waits) {
                        let (r, r2) = (draw(k, 0), draw(k, 1));
                        let this = Wait {
                            previous,
                            ..Wait::number(k)
                        };
                        *wait = self.policy.delay_ms(&this, Draws { r, r2 });
                        previous = Some(Previous { delay_ms: *wait, r });
                    }
                }
            }
        }
    }
}

/// The first `waits` waits in ms of operations 0 … `operations` − 1, operation by operation: wait
/// k of operation i is at `i·waits + k − 1`.
#[must_use]
pub fn sample(model: &Model, seed: Seed, waits: u32, operations: u32) -> Vec<f64> {
    let each = usize::try_from(waits).unwrap_or(usize::MAX);
    let operations = usize::try_from(operations).unwrap_or(usize::MAX);
    let mut buffer = vec![0.0; each.saturating_mul(operations)];
    if waits > 0 {
        Sampler::new(model, seed, waits).fill(0, &mut buffer);
    }
    buffer
}
