//! Durations in half their bytes, for what each operation keeps.

use core::fmt;
use core::time::Duration;

/// An `Option<Duration>` as whole nanoseconds. The longest is 584 years.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Packed(u64);

impl Packed {
    pub(super) const NONE: Self = Self(u64::MAX);
    pub(super) const ZERO: Self = Self(0);

    #[inline]
    pub(super) fn get(self) -> Option<Duration> {
        (self != Self::NONE).then(|| Duration::from_nanos(self.0))
    }

    /// The duration of one that is set.
    #[inline]
    pub(super) fn time(self) -> Duration {
        Duration::from_nanos(self.0)
    }

    /// The time since an earlier one. Unlike differences of [`Duration`], this cannot panic: the compiler leaves it out
    /// where nothing reads it.
    #[inline]
    pub(super) fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

impl From<Duration> for Packed {
    #[inline]
    fn from(duration: Duration) -> Self {
        let nanos = duration.as_secs().saturating_mul(1_000_000_000);
        let nanos = nanos.saturating_add(u64::from(duration.subsec_nanos()));
        Self(nanos.min(u64::MAX - 1))
    }
}

impl From<Option<Duration>> for Packed {
    #[inline]
    fn from(duration: Option<Duration>) -> Self {
        duration.map_or(Self::NONE, Self::from)
    }
}

impl fmt::Debug for Packed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}
