//! A validated policy: what the decisions are made from.

use super::backoff::{climb, fibonacci, grow};
use super::elementary::{at_least, at_most, floor};
use super::jitter::{CapRule, polly_v2, uniform};
use super::options::{DEFAULT_CAP_MS, OptionErrors};
use super::{Backoff, Draws, Jitter, MAX_MS, RetryOptions, UNLIMITED, getters};

/// A curve that is capped only after the draw stops growing here, so that nothing is infinite.
const UNCAPPED_MS: f64 = 1e300;

/// Options that passed validation, with the defaults filled in.
///
/// It is a handful of numbers: copy it freely, share it between any number of operations. It
/// keeps no state, so operations which share it are independent.
#[derive(Debug, Clone, Copy, PartialEq)]
#[must_use]
pub struct RetryPolicy {
    backoff: Backoff,
    jitter: Jitter,
    cap_rule: CapRule,
    base_ms: f64,
    cap_ms: f64,
    min_ms: f64,
    /// The factor of the exponential curve, or the step of the linear one in ms.
    growth: f64,
    truncate_at: u32,
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

/// The previous computed wait of an operation, for [`Failure::previous`](super::Failure::previous).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Previous {
    /// The wait, in ms.
    pub delay_ms: f64,
    /// The `r` that it was drawn with.
    pub r: f64,
}

/// Which wait of an operation is computed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wait {
    /// Number of the wait, starting at 1: it follows failed attempt `k`.
    pub k: u32,
    /// The operation's previous computed wait; `None` before the first.
    pub previous: Option<Previous>,
    /// The curve's value in ms, for [`Backoff::Custom`]; 10 s if it is unset. Ignored by the others.
    pub curve_ms: Option<f64>,
}

impl Wait {
    /// Wait `k` of an operation, starting at 1, with no state to keep. Later waits are computed as wait 2^32 − 1: no
    /// curve grows after so many attempts.
    #[must_use]
    pub fn number(k: u64) -> Self {
        Self {
            k: u32::try_from(k).unwrap_or(u32::MAX),
            previous: None,
            curve_ms: None,
        }
    }
}

/// `unwrap_or`, in constants.
pub(crate) const fn or<T: Copy>(value: Option<T>, default: T) -> T {
    match value {
        Some(value) => value,
        None => default,
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

    /// Returns the ceiling `c_k` of wait `k` (the first is number 1), in ms: the backoff curve's value, at most the cap
    /// and at least the floor. Monotone in `k`. For [`Backoff::Custom`] 10 s, or a
    /// shorter cap. With
    /// [`CapRule::Draw`] not capped: there the cap bounds the draw alone.
    #[must_use]
    pub fn ceiling_ms(&self, k: u64) -> f64 {
        self.ceiling(&Wait::number(k))
    }

    /// The curve's value; uncapped where the cap bounds the draw only.
    #[inline(always)]
    pub(crate) fn ceiling(&self, wait: &Wait) -> f64 {
        let n = wait.k.saturating_sub(1);
        let base = self.base_ms;
        let cap = if self.cap_rule == CapRule::Draw {
            UNCAPPED_MS
        } else {
            self.cap_ms
        };
        let last = self.truncate_at.saturating_sub(1);
        let curve = match self.backoff {
            Backoff::Fixed => at_most(base, cap),
            Backoff::Linear => climb(base, self.growth, n, cap),
            Backoff::Exponential => grow(base, self.growth, n, cap),
            Backoff::Truncated => grow(base, 2.0, n.min(last), cap),
            Backoff::Fibonacci => fibonacci(base, wait.k, cap),
            Backoff::Custom => at_most(wait.curve_ms.unwrap_or(DEFAULT_CAP_MS), cap),
        };
        at_least(curve, self.min_ms)
    }

    /// The shortest and the longest that a wait can be, in ms, for any draw.
    #[doc(hidden)]
    #[must_use]
    pub fn bounds_ms(&self, wait: &Wait) -> (f64, f64) {
        let (lo, hi) = self.range_ms(wait);
        if self.may_exceed_the_cap() {
            (lo, hi)
        } else {
            (lo.min(self.cap_ms), hi.min(self.cap_ms))
        }
    }

    /// Whether a wait may be above the cap, as in the systems that cap the interval only.
    pub(crate) fn may_exceed_the_cap(&self) -> bool {
        self.cap_rule == CapRule::Ceiling && self.jitter.follows_the_curve()
    }

    /// Interval of the draw, before the cap clips it.
    #[inline(always)]
    pub(crate) fn range_ms(&self, wait: &Wait) -> (f64, f64) {
        let hi = match self.jitter {
            Jitter::Slotted => self.base_ms * (self.slots(wait.k) - 1.0),
            Jitter::PollyV2 if self.base_ms == 0.0 => 0.0,
            Jitter::PollyV2 => self.cap_ms,
            _ => return self.uniform_range_ms(wait),
        };
        (self.min_ms, at_least(hi, self.min_ms))
    }

    /// The same for jitters whose draw is uniform on it, which are all but [`Jitter::Slotted`] and [`Jitter::PollyV2`].
    #[inline(always)]
    fn uniform_range_ms(&self, wait: &Wait) -> (f64, f64) {
        let (base, cap) = (self.base_ms, self.cap_ms);
        // Once, although some kinds need none: it is inlined at every call.
        let c = if self.jitter.follows_the_curve() {
            self.ceiling(wait)
        } else {
            0.0
        };
        let previous = wait.previous.map_or(base, |previous| previous.delay_ms);
        // Where the cap bounds the waits, a draw that goes above the ceiling starts lower.
        let h = |c: f64, room: f64| {
            if self.cap_rule == CapRule::Bound {
                at_most(c, room)
            } else {
                c
            }
        };
        let (lo, hi) = match self.jitter {
            Jitter::None | Jitter::Slotted | Jitter::PollyV2 => (c, c),
            Jitter::Full => (0.0, c),
            Jitter::Equal => (c / 2.0, c),
            Jitter::Proportional { ratio } => {
                let h = h(c, cap / (1.0 + ratio));
                (h * (1.0 - ratio), h * (1.0 + ratio))
            }
            Jitter::Additive { ratio } => {
                let h = h(c, cap / (1.0 + ratio));
                (h, h + ratio * h)
            }
            Jitter::AdditiveMax { max_ms } => {
                let x = h(max_ms, cap);
                let h = h(c, cap - x);
                (h, h + x)
            }
            Jitter::Decorrelated => (base, 3.0 * previous),
            Jitter::DecorrelatedBounded => (base, at_most(3.0 * previous, cap)),
        };
        let lo = at_least(lo, self.min_ms);
        (lo, at_least(hi, lo))
    }

    /// Number of slot values that wait `k` is drawn from with [`Jitter::Slotted`]: `2^min(k, truncate_at)`.
    #[inline(always)]
    pub(crate) fn slots(&self, k: u32) -> f64 {
        grow(1.0, 2.0, k.min(self.truncate_at), UNCAPPED_MS)
    }

    /// The wait, in ms. Finite, at least 0; never above the cap, unless a preset's
    /// [`CapRule::Ceiling`] lets the draw exceed it.
    #[doc(hidden)]
    #[must_use]
    #[inline(always)]
    pub fn delay_ms(&self, wait: &Wait, draws: Draws) -> f64 {
        let Draws { r, r2 } = draws;
        let (cap, min) = (self.cap_ms, self.min_ms);
        let delay = match self.jitter {
            Jitter::Slotted => {
                let slots = floor(r * self.slots(wait.k));
                at_least(self.base_ms * slots, min)
            }
            Jitter::PollyV2 => {
                let raw = polly_v2(wait.k, wait.previous.map(|previous| previous.r), r);
                let delay = if self.base_ms == 0.0 {
                    0.0
                } else {
                    raw * self.base_ms
                };
                let delay = if delay > cap {
                    uniform(cap / 2.0, cap, r2)
                } else {
                    delay
                };
                at_least(delay, min)
            }
            _ => {
                let (lo, hi) = self.uniform_range_ms(wait);
                uniform(lo, hi, r)
            }
        };
        // Above an infinite cap, which is 2^53 − 1, no wait is a number that JavaScript counts in.
        at_most(
            delay,
            if self.may_exceed_the_cap() {
                MAX_MS
            } else {
                cap
            },
        )
    }
}
