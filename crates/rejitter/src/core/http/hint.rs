//! The wait that a response asks for: the headers in milliseconds, else `Retry-After`.

use super::date::parse_http_date;
use crate::core::MAX_MS;
use crate::core::elementary::floor;

/// A number with this many digits is a time in Unix seconds and not a wait: ten digits of seconds
/// are more than thirty years.
const DIGITS_OF_SECONDS: usize = 10;
/// A number with this many digits is a time in Unix milliseconds.
const DIGITS_OF_MILLISECONDS: usize = 13;

/// The headers that may hold a hint. A header that the response does not have is empty.
#[derive(Debug, Clone, Copy, Default)]
pub struct HintHeaders<'a> {
    /// `retry-after-ms`: a decimal number of milliseconds.
    pub retry_after_ms: &'a [u8],
    /// `x-ms-retry-after-ms`: the same by Azure.
    pub x_ms_retry_after_ms: &'a [u8],
    /// `x-amz-retry-after`: the same by AWS.
    pub x_amz_retry_after: &'a [u8],
    /// `Retry-After`: seconds, a Unix time in seconds or milliseconds, or an HTTP date. Only seconds have decimals.
    pub retry_after: &'a [u8],
    /// `Date`: the server's clock, with which times are compared.
    pub date: &'a [u8],
}

/// Returns the wait that the server requests, in ms; 0 for a time that has passed, `None` if no
/// header has a valid value. `now_ms` is the wall clock in Unix ms; times are compared with it if the
/// response has no valid `Date`. The longest of the headers in milliseconds counts; if that is 0,
/// `Retry-After` decides.
///
/// ```
/// # #[cfg(feature = "http")] {
/// use rejitter::decide::{HintHeaders, retry_after_ms};
///
/// let headers = HintHeaders { retry_after: b"120", ..HintHeaders::default() };
/// assert_eq!(retry_after_ms(&headers, 1.7e12), Some(120_000.0));
/// # }
/// ```
#[must_use]
pub fn retry_after_ms(headers: &HintHeaders<'_>, now_ms: f64) -> Option<f64> {
    let precise = [
        headers.retry_after_ms,
        headers.x_ms_retry_after_ms,
        headers.x_amz_retry_after,
    ]
    .into_iter()
    .filter_map(|text| decimal(trim(text)))
    .reduce(f64::max)
    .map(|ms| ms.min(MAX_MS));
    match precise {
        Some(ms) if ms > 0.0 => precise,
        _ => wait(headers, now_ms).or(precise),
    }
}

/// Reads `Retry-After`.
fn wait(headers: &HintHeaders<'_>, now_ms: f64) -> Option<f64> {
    let text = trim(headers.retry_after);
    let number = decimal(text);
    let digits = text.iter().position(|byte| *byte == b'.');
    if digits.unwrap_or(text.len()) < DIGITS_OF_SECONDS && number.is_some() {
        return number.map(|seconds| seconds * 1000.0);
    }
    // A time has no decimals; it is infinite if its digits are too many for a number.
    let number = number.filter(|_| digits.is_none());
    // Infinite and NaN clocks saturate to some time, which is all that can be made of them.
    #[allow(clippy::cast_possible_truncation)]
    let wall = floor(now_ms / 1000.0) as i64;
    let server = parse_http_date(trim(headers.date), wall);
    let at_ms = match number {
        Some(ms) if text.len() >= DIGITS_OF_MILLISECONDS => ms,
        Some(seconds) => seconds * 1000.0,
        None => ms_of(parse_http_date(text, server.unwrap_or(wall))?),
    };
    let now_ms = server.map_or(now_ms, ms_of);
    Some((at_ms - now_ms).clamp(0.0, MAX_MS))
}

/// Optional whitespace around a field value does not belong to it.
#[inline(never)]
fn trim(text: &[u8]) -> &[u8] {
    let mut text = text;
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = text {
        text = rest;
    }
    text
}

/// `12` or `12.5`: no sign, no exponent, digits on both sides of the point.
fn decimal(text: &[u8]) -> Option<f64> {
    let text = core::str::from_utf8(text).ok()?;
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let (before, after) = text.split_once('.').unwrap_or((text, "0"));
    // Rounded once, as JavaScript's `Number` does.
    (digits(before) && digits(after)).then(|| text.parse().ok())?
}

/// Years have four digits, so the milliseconds are exact.
#[allow(clippy::cast_precision_loss)]
fn ms_of(seconds: i64) -> f64 {
    seconds as f64 * 1000.0
}
