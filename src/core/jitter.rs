//! The draw: how a wait is chosen at or below the ceiling, so that clients do not retry together.

/// How the wait is drawn, given the ceiling `c` of the backoff curve.
///
/// The cap bounds the ceiling *before* the draw, so waits stay spread out at the cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
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
    /// drawn above the cap becomes the cap: with base 100 and cap 10 000, 31 % of the waits in
    /// the long run.
    Decorrelated,
}

/// Uniform on [lo, hi): `lo + r·(hi − lo)`.
///
/// `min` because the sum may round up to just above `hi`.
pub(crate) fn uniform(lo: f64, hi: f64, r: f64) -> f64 {
    (lo + r * (hi - lo)).min(hi)
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
