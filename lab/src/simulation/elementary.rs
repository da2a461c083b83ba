//! The exponential and the logarithm from the four operations and the square root alone, so that they
//! are equal, bit for bit, on every platform.

use rejitter::internals::exp2;

/// e^−y for y ≥ 0.
pub(super) fn exp_minus(y: f64) -> f64 {
    1.0 / exp2(y * std::f64::consts::LOG2_E)
}

/// The natural logarithm of a normal number above 0, to within 2 units in the last place.
#[inline]
pub(super) fn ln(x: f64) -> f64 {
    // x = m·2^power with m in [√½, √2).
    let shifted = x.to_bits().wrapping_sub(SQRT_HALF);
    // 11 bits of exponent, and their sign.
    #[allow(clippy::cast_possible_wrap, clippy::cast_precision_loss)]
    let power = (shifted as i64 >> 52) as f64;
    let m = f64::from_bits((shifted & FRACTION) + SQRT_HALF);
    // ln m = 2·artanh(s): s² is below 0.0295, and the first term left out below 2^−57 of the sum.
    let s = (m - 1.0) / (m + 1.0);
    let square = s * s;
    let mut sum = 0.0;
    let mut odd = 21.0;
    while odd > 1.0 {
        sum = (sum + 1.0 / odd) * square;
        odd -= 2.0;
    }
    power * std::f64::consts::LN_2 + 2.0 * (s + s * sum)
}

/// The bits of √½.
const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
const FRACTION: u64 = (1 << 52) - 1;
