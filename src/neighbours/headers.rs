//! HTTP's headers as clients have them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::HintHeaders;
use crate::policy::{duration_from_ms, ms_from_duration};

/// Returns the wait that a response requests by its headers, for [`Retry::hint`](crate::Retry::hint): names and
/// values in any order, such as a `&HeaderMap` of the crate `http`, in any version. Of equal names the first one
/// counts. `now` is the wall clock, which counts if the response has no valid `Date`.
///
/// ```
/// use rejitter::retry_after;
/// use std::time::{Duration, SystemTime};
///
/// let headers = [("content-length", "0"), ("Retry-After", "120")];
/// assert_eq!(retry_after(headers, SystemTime::now()), Some(Duration::from_secs(120)));
/// ```
#[must_use]
pub fn retry_after<N: AsRef<str>, V: AsRef<[u8]>>(
    headers: impl IntoIterator<Item = (N, V)>,
    now: SystemTime,
) -> Option<Duration> {
    const NAMES: [&str; 3] = ["retry-after-ms", "retry-after", "date"];
    let mut found = [const { None }; 3];
    for (name, value) in headers {
        let known = |known: &&str| known.eq_ignore_ascii_case(name.as_ref());
        if let Some((_, place)) = NAMES.iter().zip(&mut found).find(|(name, _)| known(name)) {
            place.get_or_insert(value);
        }
    }
    let [retry_after_ms, retry_after, date] = found
        .each_ref()
        .map(|value| value.as_ref().map_or(&[][..], V::as_ref));
    let headers = HintHeaders {
        retry_after_ms,
        retry_after,
        date,
    };
    let now = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    let ms = crate::retry_after_ms(&headers, ms_from_duration(now));
    ms.map(duration_from_ms)
}
