//! A validated policy: what the decisions are made from.

use super::elementary::{at_most, grow, or};
use super::{Backoff, CapRule, Jitter, MAX_MS, OptionErrors, RetryOptions, UNLIMITED, getters};

/// Options that passed validation, with the defaults filled in.
///
/// It is a handful of numbers: copy it freely, share it between any number of operations. It
/// keeps no state, so operations which share it are independent.
#[derive(Debug, Clone, Copy, PartialEq)]
#[must_use]
pub struct RetryPolicy {
    pub(super) backoff: Backoff,
    pub(super) jitter: Jitter,
    pub(super) cap_rule: CapRule,
    pub(super) base_ms: f64,
    pub(super) cap_ms: f64,
    pub(super) min_ms: f64,
    /// The factor of the exponential curve, or the step of the linear one in ms.
    pub(super) growth: f64,
    pub(super) truncate_at: u32,
    max_attempts: u64,
    max_retry_after_ms: f64,
    cap_long_retry_after: bool,
    given: Given,
}

/// Which options were set: a default follows the options that it depends on.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::struct_excessive_bools)] // Independent facts.
struct Given {
    base: bool,
    cap: bool,
    factor: bool,
    step: bool,
    truncate_at: bool,
    own: Own,
}

/// Which options are the caller's own. Those of a preset, and defaults, give way to them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Own {
    pub(crate) base: bool,
    pub(crate) cap: bool,
    pub(crate) min: bool,
}

/// Policies of the same numbers are equal, however they were made.
impl PartialEq for Given {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Default for RetryPolicy {
    /// The policy of [`RetryOptions::default`]: six attempts, exponential backoff with full jitter
    /// from 100 ms by a factor of 2, waits of 10 s at most.
    fn default() -> Self {
        Self::resolve(&RetryOptions::default())
    }
}

impl RetryPolicy {
    /// Validates options that were read at run time, such as a configuration file's, and fills in the
    /// defaults.
    ///
    /// # Errors
    /// Lists every invalid option, with its value and its rule. The ranges are those of the fields of
    /// [`RetryOptions`]. A cap below the base, a minimum above the cap and an option that the
    /// chosen backoff does not have are invalid too.
    pub fn from_options(options: RetryOptions) -> Result<Self, OptionErrors> {
        options.problems().into_result()?;
        Ok(Self::resolve(&options))
    }

    /// Fills in the defaults of options that were validated before, by the JavaScript driver.
    /// Whatever the numbers are, the policy's methods do not panic.
    #[doc(hidden)]
    #[inline(always)]
    pub const fn resolve(options: &RetryOptions) -> Self {
        let cap_ms = options.resolved_cap_ms();
        let truncate_at = or(options.truncate_at, 10);
        let base_ms = match (options.base_ms, options.backoff) {
            (Some(base), _) => base,
            // A power of two: the division is exact. Without a cap it would make a first wait of years.
            (None, Backoff::Truncated) if cap_ms < MAX_MS => {
                let power = truncate_at.saturating_sub(1);
                cap_ms / grow(1.0, 2.0, power, f64::INFINITY)
            }
            (None, _) => at_most(100.0, cap_ms),
        };
        Self {
            backoff: options.backoff,
            jitter: options.jitter,
            cap_rule: options.cap_rule,
            base_ms,
            cap_ms,
            min_ms: or(options.min_ms, 0.0),
            growth: match options.backoff {
                Backoff::Linear => or(options.step_ms, base_ms),
                _ => or(options.factor, 2.0),
            },
            truncate_at,
            max_attempts: or(options.max_attempts, 6),
            max_retry_after_ms: at_most(or(options.max_retry_after_ms, 60_000.0), MAX_MS),
            cap_long_retry_after: options.cap_long_retry_after,
            given: Given {
                base: options.base_ms.is_some(),
                cap: options.cap_ms.is_some(),
                factor: options.factor.is_some(),
                step: options.step_ms.is_some(),
                truncate_at: options.truncate_at.is_some(),
                own: Own {
                    base: options.base_ms.is_some(),
                    cap: options.cap_ms.is_some(),
                    min: options.min_ms.is_some(),
                },
            },
        }
    }

    pub(crate) const fn own(&self) -> Own {
        self.given.own
    }

    /// The same with other options that are the caller's own.
    pub(crate) const fn with_own(mut self, own: Own) -> Self {
        self.given.own = own;
        self
    }

    /// The same without a limit of attempts.
    pub(crate) const fn unlimited(mut self) -> Self {
        self.max_attempts = UNLIMITED;
        self
    }

    /// The options that make this policy: those whose defaults depend on others only if they were set.
    pub(crate) const fn options(&self) -> RetryOptions {
        const fn given(was: bool, value: f64) -> Option<f64> {
            if was { Some(value) } else { None }
        }
        RetryOptions {
            backoff: self.backoff,
            jitter: self.jitter,
            base_ms: given(self.given.base, self.base_ms),
            cap_ms: given(self.given.cap, self.cap_ms),
            min_ms: Some(self.min_ms),
            factor: given(self.given.factor, self.growth),
            step_ms: given(self.given.step, self.growth),
            truncate_at: if self.given.truncate_at {
                Some(self.truncate_at)
            } else {
                None
            },
            max_retry_after_ms: Some(self.max_retry_after_ms),
            cap_long_retry_after: self.cap_long_retry_after,
            max_attempts: Some(self.max_attempts),
            cap_rule: self.cap_rule,
            _more: (),
        }
    }

    getters! {
        /// The curve of the ceilings.
        backoff: Backoff,
        /// How a wait is drawn.
        jitter: Jitter,
        /// Quantity that the cap bounds.
        #[doc(hidden)]
        cap_rule: CapRule,
        /// The first ceiling, in ms.
        base_ms: f64,
        /// The cap, in ms; finite.
        cap_ms: f64,
        /// Minimum wait, in ms. Where it is above the curve, it removes the jitter.
        min_ms: f64,
        /// The wait at which truncated and slotted backoff stop growing.
        truncate_at: u32,
        /// How many attempts there are at most, the first included; [`UNLIMITED`](super::UNLIMITED) for no limit.
        max_attempts: u64,
        /// The longest server hint that is followed, in ms.
        max_retry_after_ms: f64,
    }

    /// Growth of the curve from wait to wait: of the exponential one the factor, of the linear one the step in ms.
    #[cfg(feature = "internals")]
    pub(crate) fn growth(&self) -> f64 {
        self.growth
    }

    /// Whether a longer server hint is followed up to that, instead of ending the operation.
    #[must_use]
    pub fn caps_long_retry_after(&self) -> bool {
        self.cap_long_retry_after
    }
}
