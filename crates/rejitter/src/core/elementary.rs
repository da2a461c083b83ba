//! Elementary functions from the four operations and the square root alone.
//!
//! IEEE 754 settles those to the last bit; `exp2` and `tanh` of a mathematics library it does
//! not, and they differ between platforms. `floor` and the square root it does settle: without the standard
//! library, which has the processor's, both are here, and give the same.

/// The longest wait, in milliseconds: 2^53 − 1, the largest integer that an `f64` counts
/// exactly. An infinite cap saturates here.
pub const MAX_MS: f64 = 9_007_199_254_740_991.0;

/// The largest integer that is not above x ≥ 0.
#[inline(always)]
pub(crate) fn floor(x: f64) -> f64 {
    // Many processors have no instruction for it, and what the standard library has instead is longer.
    #[cfg(all(feature = "std", target_family = "wasm"))]
    return x.floor();
    #[cfg(not(all(feature = "std", target_family = "wasm")))]
    bare::floor(x)
}

/// The number as an integer between 0 and 2^53 − 1. Above that, some integers are not an `f64`.
#[cfg(feature = "serde")]
pub(crate) fn whole(number: f64) -> Option<u64> {
    // Whole, and in the range where the conversion is exact.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let whole = (0.0..=MAX_MS).contains(&number).then_some(number as u64);
    whole.filter(|_| floor(number) == number)
}

/// The square root of x.
#[inline(always)]
pub(crate) fn sqrt(x: f64) -> f64 {
    #[cfg(feature = "std")]
    return x.sqrt();
    #[cfg(not(feature = "std"))]
    bare::sqrt(x)
}

/// Uses arithmetic that every processor has.
// With the standard library, the square root is that of the processor.
#[cfg_attr(feature = "std", allow(dead_code))]
mod bare {
    /// 2^52: from here on all numbers are integers.
    const INTEGERS: f64 = 4_503_599_627_370_496.0;

    #[inline(never)]
    pub(super) fn floor(x: f64) -> f64 {
        if x < INTEGERS {
            // In range, so that only the fraction is lost; the integer has at most 53 bits.
            #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
            return x as i64 as f64;
        }
        x
    }

    /// Zero, normal numbers and infinity: no wait is a smaller number than these.
    pub(super) fn sqrt(x: f64) -> f64 {
        if x == 0.0 || !x.is_finite() {
            return x;
        }
        let bits = x.to_bits();
        let exponent = bits >> 52;
        let fraction = u128::from(bits & ((1 << 52) - 1) | 1 << 52);
        // Shifted so that the exponent is even, and the root has 54 bits: one more than is kept.
        let odd = (exponent + 1) & 1;
        let root = (fraction << (54 + odd)).isqrt();
        // No root lies halfway between two numbers, so that this bit rounds it.
        let rounded = u64::try_from((root + 1) >> 1).unwrap_or(0);
        f64::from_bits(rounded + (((exponent - odd + 1021) >> 1) << 52))
    }
}

/// The lesser of x and a limit, which is a number; the limit if x is NaN. For `f64::min`, of which either may be NaN,
/// processors need six instructions, and one for this. The file that apps carry has it once.
#[cfg_attr(all(target_family = "wasm", not(feature = "internals")), inline(never))]
#[cfg_attr(
    not(all(target_family = "wasm", not(feature = "internals"))),
    inline(always)
)]
pub(crate) const fn at_most(x: f64, limit: f64) -> f64 {
    if x < limit { x } else { limit }
}

/// The greater of both, in the same way.
#[cfg_attr(all(target_family = "wasm", not(feature = "internals")), inline(never))]
#[cfg_attr(
    not(all(target_family = "wasm", not(feature = "internals"))),
    inline(always)
)]
pub(crate) const fn at_least(x: f64, limit: f64) -> f64 {
    if x > limit { x } else { limit }
}

/// `unwrap_or`, in constants.
pub(crate) const fn or<T: Copy>(value: Option<T>, default: T) -> T {
    match value {
        Some(value) => value,
        None => default,
    }
}

/// `base·factor^n`, at most `cap`. Never NaN: a base of 0 returns 0 even where the power would
/// overflow to infinity.
///
/// Powers are made by repeated squaring and not by `powf`, whose last bit differs between
/// platforms, and hence between native code and WebAssembly.
#[inline(never)]
pub(crate) const fn grow(base: f64, factor: f64, mut n: u32, cap: f64) -> f64 {
    if base == 0.0 {
        return 0.0;
    }
    let mut power = 1.0;
    let mut square = factor;
    while n > 0 {
        if n & 1 == 1 {
            power *= square;
        }
        square *= square;
        n >>= 1;
    }
    at_most(base * power, cap)
}

/// 2^x for 0 ≤ x < 1, to within 2 units in the last place.
fn exp2_fraction(x: f64) -> f64 {
    let y = x * core::f64::consts::LN_2;
    // The Taylor series of e^y by Horner's rule. y is below 0.7: the term after y^19/19! is
    // below 2^-66.
    let mut sum = 1.0;
    let mut n = if cfg!(target_family = "wasm") {
        19.0
    } else {
        // Hidden from the compiler: unrolled, the loop is five times its size. WebAssembly is compiled for size.
        core::hint::black_box(19.0)
    };
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
    // Infinite from 1024 on. Not by the conversion's own saturation: see `count` in src/bindings/core.rs.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let exponent = at_most(whole, 1_024.0) as u32;
    let power = grow(1.0, 2.0, exponent, f64::INFINITY);
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
    fn floor_and_square_root_are_those_of_the_processor() {
        let same = |x: f64| {
            assert_eq!(bare::floor(x), x.floor(), "floor({x})");
            assert_eq!(bare::sqrt(x).to_bits(), x.sqrt().to_bits(), "sqrt({x})");
        };
        let ends = [f64::MAX, f64::MIN_POSITIVE, f64::INFINITY];
        for x in [0.0, 0.5, 1.0, 1.5, 2.0, 4.0, 1e16].into_iter().chain(ends) {
            same(x);
            same(x.next_up().max(f64::MIN_POSITIVE));
            same(x.next_down().max(f64::MIN_POSITIVE));
        }
        for n in 0..1_000_000 {
            let bits = super::super::random::mix(n);
            // Any normal number, and one among those that waits have.
            same(f64::from_bits(bits >> 2 | 1 << 52).min(f64::MAX));
            same(f64::from_bits(bits >> 12 | (1023 + (bits & 31)) << 52));
        }
        assert!(bare::floor(f64::NAN).is_nan() && bare::sqrt(f64::NAN).is_nan());
    }
}
