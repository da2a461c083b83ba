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
    /// Returns whether to retry a response with this status.
    #[must_use]
    pub const fn retries(self, status: u32) -> bool {
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
/// the same effect as sending it once. Upper and lower case are equal, because `fetch` normalises some
/// methods and not others.
#[must_use]
pub fn is_idempotent(method: &[u8]) -> bool {
    const METHODS: [&[u8]; 7] = [
        b"GET", b"HEAD", b"OPTIONS", b"TRACE", b"PUT", b"DELETE", b"QUERY",
    ];
    METHODS
        .iter()
        .any(|known| known.eq_ignore_ascii_case(method))
}
