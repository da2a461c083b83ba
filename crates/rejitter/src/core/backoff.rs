//! The curve: how the ceiling of the wait grows with the number of failed attempts.

use super::elementary::at_most;

/// How the ceiling grows from wait to wait, before jitter.
///
/// `k` numbers the waits, starting at 1: wait `k` follows failed attempt `k`. Every curve is
/// monotone in `k` and bounded by the cap, and finite for every `k`. From `k` = 2^32 − 1 on, it stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Backoff {
    /// `base`, every time.
    Fixed,
    /// `base + step·(k−1)`; the step defaults to base, which gives `base·k`.
    Linear,
    /// `base·factor^(k−1)`. The first ceiling is base, as in gRPC and Google's clients, not
    /// 2·base.
    #[default]
    Exponential,
    /// Truncated binary exponential, as in Ethernet (IEEE 802.3): `a·2^(min(k, N)−1)`, where N
    /// is `truncate_at`. If the base is unset and the cap finite, `a` is `cap/2^(N−1)`, so that the
    /// N-th wait is the first at the cap; otherwise `a` is base.
    Truncated,
    /// `base·F(k)`, with the Fibonacci numbers 1, 1, 2, 3, 5, …
    Fibonacci,
    /// A curve of the caller's own: its value at wait `k` comes with each failure
    /// ([`Failure::curve_ms`](super::Failure::curve_ms)), and is then capped and jittered. It is
    /// the one curve that need not be monotone.
    Custom,
}

/// `base·F(k)`, at most `cap`, in as many steps as it takes to reach either.
#[inline(never)]
pub(crate) fn fibonacci(base: f64, k: u32, cap: f64) -> f64 {
    let (mut current, mut next) = (at_most(base, cap), base);
    let mut n = 1;
    // A base of 0 grows nowhere, however long one waits.
    while n < k && current < cap && base > 0.0 {
        (current, next) = (at_most(next, cap), current + next);
        n += 1;
    }
    current
}

/// `base + step·n`, at most `cap`.
pub(crate) fn climb(base: f64, step: f64, n: u32, cap: f64) -> f64 {
    at_most(base + step * f64::from(n), cap)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::elementary::grow;

    #[test]
    fn powers_are_exact_and_saturate() {
        for n in 0..60 {
            #[allow(clippy::cast_precision_loss)]
            let exact = (1u64 << n) as f64;
            assert_eq!(grow(1.0, 2.0, n, f64::MAX).to_bits(), exact.to_bits());
        }
        for n in [99, 1_024, 5_000, 1 << 31, u32::MAX] {
            assert_eq!(grow(100.0, 2.0, n, 10_000.0), 10_000.0);
            assert_eq!(grow(100.0, 1.0, n, 10_000.0), 100.0);
            assert_eq!(grow(0.0, 1e308, n, 10_000.0), 0.0);
            assert_eq!(climb(100.0, 100.0, n, 10_000.0), 10_000.0);
            assert_eq!(climb(100.0, 0.0, n, 10_000.0), 100.0);
            assert_eq!(fibonacci(100.0, n, 10_000.0), 10_000.0);
            assert_eq!(fibonacci(0.0, n, 10_000.0), 0.0);
        }
    }
}
