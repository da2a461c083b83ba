//! Conversions between the core's milliseconds and [`Duration`], never downwards.

// Casts are exact or saturate, and `From` does not work in constants.
#![allow(
    clippy::cast_lossless,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss
)]

use core::time::Duration;

/// Returns milliseconds, such as those of [`Decision::Retry`](crate::decide::Decision::Retry), as a duration.
///
/// Rounded up to a whole nanosecond, so that no wait is shorter than decided. From 2^64 ms on
/// (580 million years) it is [`Duration::MAX`]; negative numbers and NaN, which no policy gives,
/// are zero.
///
/// ```
/// use std::time::Duration;
/// use rejitter::decide::duration_from_ms;
///
/// assert_eq!(duration_from_ms(1_500.0), Duration::from_millis(1_500));
/// assert_eq!(duration_from_ms(1e-9), Duration::from_nanos(1));
/// assert_eq!(duration_from_ms(f64::INFINITY), Duration::MAX);
/// ```
#[must_use]
#[inline(never)] // Programs that wait have it once, and not in each operation.
pub const fn duration_from_ms(ms: f64) -> Duration {
    if ms >= TWO_TO_64 {
        return Duration::MAX;
    }
    // Negative numbers and NaN are zero here and below.
    let whole = ms as u64;
    // Exact: the rest has no more bits than the number.
    let rest = ms - whole as f64;
    let down = (rest * 1e6) as u32;
    let nanos = down + exceeds(rest, down as f64) as u32;
    Duration::new(whole / 1_000, (whole % 1_000) as u32 * 1_000_000 + nanos)
}

const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;

/// Whether `rest` milliseconds, less than one, are more than `nanos`, without rounding: halves of 26 bits have exact
/// products (Dekker 1971), and the sign of a sum is exact.
const fn exceeds(rest: f64, nanos: f64) -> bool {
    let shifted = rest * (1_u32 << 27 | 1) as f64;
    let high = shifted - (shifted - rest);
    let low = rest - high;
    (high * 1e6 - nanos) + low * 1e6 > 0.0
}

/// A duration in milliseconds, rounded up to a number that holds it.
#[inline(never)] // See above.
pub(crate) const fn ms_from_duration(duration: Duration) -> f64 {
    let (secs, nanos) = (duration.as_secs(), duration.subsec_nanos());
    let whole = secs as f64 * 1e3 + (nanos / 1_000_000) as f64;
    // Rounding to the nearest is corrected below.
    let mut ms = whole + (nanos % 1_000_000) as f64 / 1e6;
    loop {
        let held = duration_from_ms(ms);
        let is_shorter = held.as_secs() == secs && held.subsec_nanos() < nanos;
        if held.as_secs() >= secs && !is_shorter {
            return ms;
        }
        // The next number up; `f64::next_up` is newer than this crate's oldest compiler.
        ms = f64::from_bits(ms.to_bits() + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::core::MAX_MS;

    fn to_u64(number: f64) -> u64 {
        number as u64
    }

    /// Whether `ns` nanoseconds are fewer than `ms` milliseconds, in whole numbers.
    fn shorter(ns: u128, ms: f64) -> bool {
        // ms is mantissa / 2^shift.
        let bits = ms.to_bits();
        let shift = 1_075 - i32::try_from(bits >> 52).unwrap();
        let mantissa = u128::from(bits & ((1 << 52) - 1) | 1 << 52);
        assert!((0..=70).contains(&shift));
        ns << shift < mantissa * 1_000_000
    }

    #[test]
    fn a_wait_is_never_shorter_than_decided_and_at_most_a_nanosecond_longer() {
        for n in 0..200_000 {
            let draws = Seed::from("durations").draws(n, 1);
            let ms = (draws.r * 40.0 - 10.0).exp2() * (1.0 + draws.r2);
            let ns = duration_from_ms(ms).as_nanos();
            assert!(!shorter(ns, ms), "{ms:?} ms became {ns} ns");
            assert!(shorter(ns - 1, ms), "{ms:?} ms became {ns} ns");
        }
    }

    #[test]
    fn whole_milliseconds_are_exact_both_ways() {
        for ms in [1_u64, 250, 60_000, (1 << 53) - 1] {
            let number = ms as f64;
            assert_eq!(duration_from_ms(number), Duration::from_millis(ms));
            assert_eq!(ms_from_duration(Duration::from_millis(ms)), number);
        }
        assert_eq!(ms_from_duration(Duration::ZERO), 0.0);
        assert_eq!(duration_from_ms(MAX_MS).as_millis(), (1 << 53) - 1);
    }

    #[test]
    fn milliseconds_hold_the_duration() {
        for n in 0..100_000 {
            let bits = Seed::from("milliseconds").draws(n, 1);
            let secs = (bits.r * 60.0).exp2();
            let duration =
                Duration::new(to_u64(secs), u32::try_from(to_u64(bits.r2 * 1e9)).unwrap());
            let ms = ms_from_duration(duration);
            assert!(duration_from_ms(ms) >= duration, "{duration:?}");
            assert!(ms <= duration.as_secs_f64() * 1e3 * (1.0 + 4.0 * f64::EPSILON));
        }
    }

    #[test]
    fn extremes_saturate() {
        for (ms, duration) in [
            (f64::NAN, Duration::ZERO),
            (-1.0, Duration::ZERO),
            (-f64::INFINITY, Duration::ZERO),
            (0.0, Duration::ZERO),
            (5e-324, Duration::from_nanos(1)),
            (f64::MAX, Duration::MAX),
            (TWO_TO_64, Duration::MAX),
        ] {
            assert_eq!(duration_from_ms(ms), duration, "{ms}");
        }
        let longest = ms_from_duration(Duration::MAX);
        assert!(longest.is_finite());
        assert_eq!(duration_from_ms(longest), Duration::MAX);
        let powers = (-80..80).map(|exponent| duration_from_ms(f64::from(exponent).exp2()));
        assert!(powers.is_sorted());
    }
}
