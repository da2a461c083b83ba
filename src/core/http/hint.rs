//! The wait that a response asks for: `retry-after-ms`, else `Retry-After`.

use super::date::parse_http_date;
use crate::core::MAX_MS;

/// From so many digits on, a number is a time in Unix seconds and not a wait: ten digits of
/// seconds are more than thirty years.
const DIGITS_OF_A_TIME: usize = 10;

/// The headers that a hint is made of; empty when the response has none.
#[derive(Debug, Clone, Copy, Default)]
pub struct HintHeaders<'a> {
    /// `retry-after-ms`: a decimal number of milliseconds.
    pub retry_after_ms: &'a [u8],
    /// `Retry-After`: seconds, a time in Unix seconds, or an HTTP date.
    pub retry_after: &'a [u8],
    /// `Date`: the server's clock, with which times are compared.
    pub date: &'a [u8],
}

/// How long the server asks to wait, in ms; 0 for a time that has passed, `None` when it asks for
/// nothing that this grammar knows. `now_ms` is the wall clock in Unix ms; it is used for times
/// when the response has no valid `Date`, because then nothing better is known of the server's.
#[must_use]
pub fn retry_after_ms(headers: &HintHeaders<'_>, now_ms: f64) -> Option<f64> {
    if let Some(ms) = decimal(trim(headers.retry_after_ms)) {
        return Some(ms.min(MAX_MS));
    }
    let text = trim(headers.retry_after);
    let seconds = whole(text);
    if text.len() < DIGITS_OF_A_TIME && seconds.is_some() {
        return seconds.map(|seconds| seconds * 1000.0);
    }
    // Infinite and NaN clocks saturate to some time, which is all that can be made of them.
    #[allow(clippy::cast_possible_truncation)]
    let wall = (now_ms / 1000.0).floor() as i64;
    let server = parse_http_date(trim(headers.date), wall);
    let at_ms = match seconds {
        Some(seconds) => seconds * 1000.0,
        None => ms_of(parse_http_date(text, server.unwrap_or(wall))?),
    };
    let now_ms = server.map_or(now_ms, ms_of);
    Some((at_ms - now_ms).clamp(0.0, MAX_MS))
}

/// Optional whitespace around a field value is no part of it.
#[inline(never)]
fn trim(text: &[u8]) -> &[u8] {
    let mut text = text;
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = text {
        text = rest;
    }
    text
}

/// Digits and nothing else; above 2^53 no longer exact, but never less than 2^53.
#[inline(never)]
fn whole(text: &[u8]) -> Option<f64> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let digits = text.iter().map(|digit| f64::from(digit - b'0'));
    // Bounded, because so many digits may come that the number would be infinite.
    Some(digits.fold(0.0, |sum, digit| (sum * 10.0 + digit).min(1e18)))
}

/// `12` or `12.5`: no sign, no exponent, digits on both sides of the point.
fn decimal(text: &[u8]) -> Option<f64> {
    let point = text.iter().position(|byte| *byte == b'.');
    let (before, after) = text.split_at_checked(point.unwrap_or(text.len()))?;
    let mut ms = whole(before)?;
    if let [_, digits @ ..] = after {
        whole(digits)?;
        let mut place = 1.0;
        // Fifteen places are exact, and more than any clock has.
        for digit in digits.iter().take(15) {
            place *= 10.0;
            ms += f64::from(digit - b'0') / place;
        }
    }
    Some(ms)
}

/// Years have four digits, so the milliseconds are exact.
#[allow(clippy::cast_precision_loss)]
fn ms_of(seconds: i64) -> f64 {
    seconds as f64 * 1000.0
}
