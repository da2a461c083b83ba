//! From a policy to a wait: its ceiling, the interval of its draw, and its length.

use super::backoff::{climb, fibonacci};
use super::elementary::{at_least, at_most, floor, grow};
use super::jitter::{polly_v2, uniform};
use super::options::DEFAULT_CAP_MS;
use super::{Backoff, CapRule, Draws, Jitter, MAX_MS, RetryPolicy};

/// A curve that is capped only after the draw stops growing here, so that nothing is infinite.
const UNCAPPED_MS: f64 = 1e300;

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

impl RetryPolicy {
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
