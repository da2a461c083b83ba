//! A validated policy: what the decisions are made from.

use super::backoff::{climb, grow};
use super::jitter::uniform;
use super::options::{
    DEFAULT_BASE_MS, DEFAULT_FACTOR, DEFAULT_MAX_ATTEMPTS, DEFAULT_TRUNCATE_AT, OptionErrors,
};
use super::{Backoff, Jitter, RetryOptions};

/// Options that passed validation, with the defaults filled in.
///
/// It is a handful of numbers: copy it freely, share it between any number of operations. It
/// keeps no state, so operations which share it are independent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RetryPolicy {
    backoff: Backoff,
    jitter: Jitter,
    base_ms: f64,
    cap_ms: f64,
    min_ms: f64,
    factor: f64,
    step_ms: f64,
    truncate_at: u32,
    max_attempts: u64,
}

impl RetryPolicy {
    /// Validates the options and fills in the defaults.
    ///
    /// # Errors
    /// Lists every refused option, with its value and what is allowed. The ranges are those of
    /// the fields of [`RetryOptions`]; besides, a cap below the base is refused when both were
    /// given, a floor above the cap, and an option that the chosen backoff does not have.
    pub fn new(options: RetryOptions) -> Result<Self, OptionErrors> {
        let mut problems = Vec::new();
        options.check(|problem| problems.push(problem));
        if problems.is_empty() {
            Ok(Self::resolve(&options))
        } else {
            Err(OptionErrors(problems))
        }
    }

    /// Like [`RetryPolicy::new`], without saying what is wrong: for callers who validated before.
    #[must_use]
    pub fn new_checked(options: &RetryOptions) -> Option<Self> {
        let mut valid = true;
        options.check(|_| valid = false);
        valid.then(|| Self::resolve(options))
    }

    fn resolve(options: &RetryOptions) -> Self {
        let cap_ms = options.resolved_cap_ms();
        let truncate_at = options.truncate_at.unwrap_or(DEFAULT_TRUNCATE_AT);
        let base_ms = options.base_ms.unwrap_or(match options.backoff {
            // Halving is exact, and so is the reciprocal of a power of two.
            Backoff::Truncated => {
                cap_ms / grow(1.0, 2.0, u64::from(truncate_at) - 1, f64::INFINITY)
            }
            _ => DEFAULT_BASE_MS.min(cap_ms),
        });
        Self {
            backoff: options.backoff,
            jitter: options.jitter,
            base_ms,
            cap_ms,
            min_ms: options.min_ms.unwrap_or(0.0),
            factor: options.factor.unwrap_or(DEFAULT_FACTOR),
            step_ms: options.step_ms.unwrap_or(base_ms),
            truncate_at,
            max_attempts: options.max_attempts.unwrap_or(DEFAULT_MAX_ATTEMPTS),
        }
    }

    /// How many attempts there are at most, the first included;
    /// [`UNLIMITED`](super::UNLIMITED) for no limit.
    #[must_use]
    pub fn max_attempts(&self) -> u64 {
        self.max_attempts
    }

    /// The ceiling `c_k` of wait `k` (from 1), in ms: the backoff curve's value, at most the cap
    /// and at least the floor. Monotone in `k`.
    #[must_use]
    pub fn ceiling_ms(&self, k: u64) -> f64 {
        let n = k.saturating_sub(1);
        let (base, cap) = (self.base_ms, self.cap_ms);
        let curve = match self.backoff {
            Backoff::Fixed => base.min(cap),
            Backoff::Linear => climb(base, self.step_ms, n, cap),
            Backoff::Exponential => grow(base, self.factor, n, cap),
            Backoff::Truncated => grow(base, 2.0, n.min(u64::from(self.truncate_at) - 1), cap),
        };
        curve.max(self.min_ms)
    }

    /// The wait after failed attempt `k` (from 1), in ms, for a draw `r` uniform on [0, 1).
    ///
    /// `previous_ms` is the operation's previous wait, as computed here (`None` before the
    /// first); only decorrelated jitter looks at it. The result is finite and never above the
    /// cap.
    #[must_use]
    pub fn delay_ms(&self, k: u64, previous_ms: Option<f64>, r: f64) -> f64 {
        if self.jitter == Jitter::Decorrelated {
            let lo = self.base_ms.max(self.min_ms);
            let hi = (3.0 * previous_ms.unwrap_or(self.base_ms)).max(lo);
            return uniform(lo, hi, r).min(self.cap_ms);
        }
        let ceiling = self.ceiling_ms(k);
        let lo = match self.jitter {
            Jitter::None | Jitter::Decorrelated => ceiling,
            Jitter::Full => 0.0,
            Jitter::Equal => ceiling / 2.0,
        };
        uniform(lo.max(self.min_ms), ceiling, r)
    }
}
