//! Elementary functions from the four operations and the square root alone.
//!
//! IEEE 754 settles those to the last bit; `exp2` and `tanh` of a mathematics library it does
//! not, and they differ between platforms. `floor` and the square root it does settle, so that those of the
//! standard library and those of the crate `libm` are equal.

/// The largest integer that is not above x.
#[inline(always)]
pub(crate) fn floor(x: f64) -> f64 {
    #[cfg(feature = "std")]
    return x.floor();
    #[cfg(not(feature = "std"))]
    libm::floor(x)
}

/// The square root of x.
#[inline(always)]
pub(crate) fn sqrt(x: f64) -> f64 {
    #[cfg(feature = "std")]
    return x.sqrt();
    #[cfg(not(feature = "std"))]
    libm::sqrt(x)
}

/// 2^x for 0 ≤ x < 1, to within 2 units in the last place.
fn exp2_fraction(x: f64) -> f64 {
    let y = x * core::f64::consts::LN_2;
    // The Taylor series of e^y by Horner's rule. y is below 0.7: the term after y^19/19! is
    // below 2^-66.
    let mut sum = 1.0;
    let mut n = 19.0;
    while n >= 1.0 {
        sum = 1.0 + sum * y / n;
        n -= 1.0;
    }
    sum
}

/// 2^x for x ≥ 0; infinite from 1024 on.
#[inline(never)]
pub(crate) fn exp2(x: f64) -> f64 {
    let whole = floor(x);
    // At least 0, and saturating above: a power that large is infinite.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let power = super::backoff::grow(1.0, 2.0, whole as u64, f64::INFINITY);
    power * exp2_fraction(x - whole)
}

/// The hyperbolic tangent of x ≥ 0.
#[inline(never)]
pub(crate) fn tanh(x: f64) -> f64 {
    // (e^2x − 1)/(e^2x + 1), in a form that saturates at 1.
    1.0 - 2.0 / (exp2(2.0 * x * core::f64::consts::LOG2_E) + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_agree_with_the_mathematics_library() {
        for i in 0..100_000 {
            let x = f64::from(i) * 0.001;
            let close = |ours: f64, theirs: f64| (ours - theirs).abs() <= 4e-15 * theirs;
            assert!(close(exp2(x), x.exp2()), "exp2({x})");
            assert!((tanh(x) - x.tanh()).abs() < 1e-15, "tanh({x})");
        }
        assert_eq!(exp2(1_024.0), f64::INFINITY);
        assert_eq!(exp2(1e300), f64::INFINITY);
        assert_eq!(tanh(1e300), 1.0);
    }
}
