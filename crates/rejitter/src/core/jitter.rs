//! The draw: how a wait is chosen at or around the ceiling, so that clients do not retry together.

use super::elementary::{at_least, at_most, exp2, sqrt, tanh};

/// How the wait is drawn, given the ceiling `c` of the backoff curve; `r` is uniform on [0, 1).
///
/// The cap bounds the ceiling *before* the draw, so waits stay spread out at the cap.
// In the order of the codes (kinds.rs), which makes the conversion to and from them free.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum Jitter {
    /// `c`: every client waits equally long, and all of them retry together.
    None,
    /// `r·c`, uniform on [0, c): the least work for the server, in AWS's "Exponential Backoff
    /// And Jitter" (2015).
    #[default]
    Full,
    /// `c/2 + r·c/2`, uniform on [c/2, c): never less than half the ceiling.
    Equal,
    /// `min(cap, base + r·(3·prev − base))`, where `prev` is the operation's previous wait and
    /// base before the first. It replaces the backoff curve. As in the AWS article, what is
    /// drawn above the cap becomes the cap: with base 100 and cap 10,000, 31% of the waits in
    /// the long run.
    Decorrelated,
    /// `base + r·(min(cap, 3·prev) − base)`: decorrelated without the probability mass at the cap. It
    /// replaces the backoff curve.
    DecorrelatedBounded,
    /// `min(cap, base·U{0 … 2^min(k,N)−1})`, a whole number of slots of length base, as in
    /// Ethernet (IEEE 802.3); N is `truncate_at`. It replaces the backoff curve.
    Slotted,
    /// Polly's `DecorrelatedJitterBackoffV2`: `(f(t_k) − f(t_(k−1)))·base/1.4` with
    /// `f(t) = 2^t·tanh(√(4t))`, `t_k = k − 1 + r`, and 0 for `f(t_0)`; a result above the
    /// cap is drawn again as `cap/2 + r'·cap/2`. It replaces the backoff curve.
    PollyV2,
    /// Uniform on [h·(1−ratio), h·(1+ratio)) with `h = min(c, cap/(1+ratio))`: the plus-minus
    /// jitter of Google's clients and gRPC, kept below the cap without being clipped there.
    Proportional {
        /// Largest relative difference between a wait and h: positive, at most 1.
        ratio: f64,
    },
    /// `h + r·x` with `x = ratio·h` and `h = min(c, cap/(1+ratio))`: upwards only.
    Additive {
        /// Largest addition, as a share of h: positive, at most 1,000.
        ratio: f64,
    },
    /// `h + r·x` with `x = min(max_ms, cap)` and `h = min(c, cap − x)`: upwards only.
    AdditiveMax {
        /// Largest addition, in ms: positive, at most 2^53 − 1.
        max_ms: f64,
    },
}

impl Jitter {
    /// Whether this is drawn from the backoff curve; else it has a curve of its own.
    #[must_use]
    pub const fn follows_the_curve(self) -> bool {
        !matches!(
            self,
            Self::Decorrelated | Self::DecorrelatedBounded | Self::Slotted | Self::PollyV2
        )
    }
}

/// The quantity that the cap bounds. Only presets that copy other systems use another one than `Bound`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum CapRule {
    /// The ceiling before the draw, and every wait.
    #[default]
    Bound,
    /// The ceiling before the draw: a plus-minus draw may exceed it (Google, cenkalti, gRPC).
    Ceiling,
    /// The draw from an uncapped curve, so that waits pile up at the cap (AWS 2020, p-retry).
    Draw,
}

/// Uniform on [lo, hi): `lo + r·(hi − lo)`.
///
/// Limited because the sum may round up to just above `hi`.
pub(crate) fn uniform(lo: f64, hi: f64, r: f64) -> f64 {
    at_most(lo + r * (hi - lo), hi)
}

#[inline(never)]
fn polly_curve(t: f64) -> f64 {
    exp2(t) * tanh(sqrt(4.0 * t))
}

/// The raw wait of [`Jitter::PollyV2`] after failed attempt `k`, in units of the base; infinite
/// where it overflows.
pub(crate) fn polly_v2(k: u32, previous_r: Option<f64>, r: f64) -> f64 {
    let whole = f64::from(k.saturating_sub(1));
    let before = previous_r.map_or(0.0, |r| polly_curve(at_least(whole - 1.0 + r, 0.0)));
    let now = polly_curve(whole + r);
    // Never negative. `is_finite` would read the bits, for which JavaScript needs a buffer.
    if now < f64::INFINITY {
        (now - before) / 1.4
    } else {
        f64::INFINITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draw_never_leaves_its_interval() {
        let largest_draw = 1.0 - f64::EPSILON / 2.0;
        for (lo, hi) in [(0.0, 100.0), (0.1, 0.3), (50.0, 50.0), (1e-3, 9e15)] {
            assert_eq!(uniform(lo, hi, 0.0), lo);
            assert!(uniform(lo, hi, largest_draw) <= hi);
        }
    }
}
