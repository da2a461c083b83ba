//! Which requests may be sent again, and which statuses ask for it.

/// A rule for the statuses to retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StatusRule {
    /// 408, 425, 429, 500, 502, 503, 504, 520 to 524, 529 and 530: conditions that pass. Never 501
    /// and 505, which do not. Cloudflare sends those from 520 on, Anthropic sends 529.
    Transient,
    /// Those of hashicorp/go-retryablehttp: 429, 0, and all from 500 on except 501.
    GoRetryableHttp,
}

impl StatusRule {
    /// Returns whether to retry a response with this status: a `u16`, such as `503_u16`, or the `StatusCode` of the
    /// crate `http`.
    #[must_use]
    pub fn retries(self, status: impl Into<u16>) -> bool {
        let status = status.into();
        match self {
            Self::GoRetryableHttp => {
                status == 0 || status == 429 || (status >= 500 && status != 501)
            }
            Self::Transient => matches!(
                status,
                408 | 425 | 429 | 500 | 502..=504 | 520..=524 | 529 | 530
            ),
        }
    }
}

/// Returns whether a method is idempotent (RFC 9110, 9.2.2, and QUERY): sending such a request twice has
/// the same effect as sending it once. It is text, or the `Method` of the crate `http`. Upper and lower case are
/// equal, because `fetch` normalises some methods and not others.
#[must_use]
pub fn is_idempotent(method: impl AsRef<str>) -> bool {
    ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY"]
        .iter()
        .any(|known| known.eq_ignore_ascii_case(method.as_ref()))
}
