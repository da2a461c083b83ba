//! HTTP's headers as clients have them.

use std::time::Duration;

use crate::core::http::HintHeaders;
use crate::policy::duration_from_ms;

/// Returns the wait that a response requests by its headers, for [`Retry::hint`](crate::Retry::hint): names and
/// values in any order, such as a `&HeaderMap` of the crate `http`, in any version. Of equal names the first one
/// counts.
///
/// A time is compared with the response's `Date`. If it has no valid one, the wall clock of the system or, with the
/// feature `js`, of the JavaScript host counts. Without any, such a time counts as passed.
/// [`retry_after_ms`](crate::decide::retry_after_ms) takes another clock.
///
/// ```
/// use rejitter::retry_after;
/// use std::time::Duration;
///
/// let headers = [("content-length", "0"), ("Retry-After", "120")];
/// assert_eq!(retry_after(headers), Some(Duration::from_secs(120)));
/// ```
#[must_use]
pub fn retry_after<N: AsRef<str>, V: AsRef<[u8]>>(
    headers: impl IntoIterator<Item = (N, V)>,
) -> Option<Duration> {
    const NAMES: [&str; 5] = [
        "retry-after-ms",
        "x-ms-retry-after-ms",
        "x-amz-retry-after",
        "retry-after",
        "date",
    ];
    let mut found = [const { None }; 5];
    for (name, value) in headers {
        let known = |known: &&str| known.eq_ignore_ascii_case(name.as_ref());
        if let Some((_, place)) = NAMES.iter().zip(&mut found).find(|(name, _)| known(name)) {
            place.get_or_insert(value);
        }
    }
    let found = found.each_ref();
    let [ms, x_ms, x_amz, retry_after, date] =
        found.map(|value| value.as_ref().map_or(&[][..], V::as_ref));
    let headers = HintHeaders {
        retry_after_ms: ms,
        x_ms_retry_after_ms: x_ms,
        x_amz_retry_after: x_amz,
        retry_after,
        date,
    };
    crate::core::http::retry_after_ms(&headers, wall_clock_ms()).map(duration_from_ms)
}

/// In Unix ms. NaN without a clock, which makes a wait of zero.
fn wall_clock_ms() -> f64 {
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    return std::time::UNIX_EPOCH
        .elapsed()
        .map_or(0.0, crate::policy::ms_from_duration);
    // `SystemTime::now` panics there.
    #[cfg(all(target_family = "wasm", target_os = "unknown", feature = "js"))]
    return js_sys::Date::now();
    #[cfg(all(target_family = "wasm", target_os = "unknown", not(feature = "js")))]
    f64::NAN
}
