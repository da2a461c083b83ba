//! Times and options in eight bytes, all of them set, for what each operation keeps.

use core::fmt;
use core::time::Duration;

use crate::core::random::Start;
#[cfg(feature = "protection")]
use crate::policy::ms_from_duration;

/// A time, or the time between two, in whole nanoseconds: at most 584 years. Processors add and compare them as they
/// are, and a [`Duration`] by its parts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Nanos(u64);

impl Nanos {
    pub(super) const ZERO: Self = Self(0);

    /// No time, and a limit that is never reached.
    pub(super) const NONE: Self = Self(u64::MAX);

    #[inline]
    pub(super) fn get(self) -> Option<Duration> {
        (self != Self::NONE).then(|| self.duration())
    }

    /// The duration of one that is set.
    #[inline]
    pub(super) fn duration(self) -> Duration {
        Duration::from_nanos(self.0)
    }

    #[cfg(feature = "retry")]
    pub(super) fn bits(self) -> u64 {
        self.0
    }

    /// A limit beyond the end of time is none.
    #[inline]
    pub(super) fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// The time since an earlier one, zero if that is later. A limit that is never reached stays that.
    #[inline]
    pub(super) fn since(self, earlier: Self) -> Self {
        if self == Self::NONE {
            self
        } else {
            Self(self.0.saturating_sub(earlier.0))
        }
    }

    /// The reading of a clock in ms. Exact for whole ms.
    #[cfg(feature = "protection")]
    // Signed, from which processors convert faster. A reading is far below its end.
    #[allow(clippy::cast_possible_wrap, clippy::cast_precision_loss)]
    #[inline]
    pub(super) fn ms(self) -> f64 {
        self.0 as i64 as f64 / 1e6
    }

    #[cfg(feature = "protection")]
    /// The time that is left, in ms, rounded up. Infinite if there is no limit.
    pub(super) fn left_ms(self) -> f64 {
        self.get().map_or(f64::INFINITY, ms_from_duration)
    }
}

impl From<Duration> for Nanos {
    #[inline]
    fn from(duration: Duration) -> Self {
        let nanos = duration.as_secs().saturating_mul(1_000_000_000);
        let nanos = nanos.saturating_add(u64::from(duration.subsec_nanos()));
        Self(nanos.min(u64::MAX - 1))
    }
}

impl From<Option<Duration>> for Nanos {
    #[inline]
    fn from(duration: Option<Duration>) -> Self {
        duration.map_or(Self::NONE, Self::from)
    }
}

impl fmt::Debug for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

/// An `Option<Start>` whose bytes are all set. Were some unset, as those of padding or of a `None` are, each move of
/// what it is a part of would be one of memory, whose bytes are read back before they are all written.
#[derive(Clone, Copy)]
pub(super) struct PackedStart {
    bits: u64,
    /// 0 or 1.
    is_set: u64,
}

impl PackedStart {
    /// Its bits are not zero: the compiler would set both numbers at once, and for that put the policy, which lies
    /// before them, where it has to be copied from.
    pub(super) const NONE: Self = Self { bits: 7, is_set: 0 };

    #[inline]
    pub(super) fn get(self) -> Option<Start> {
        (self.is_set != 0).then_some(Start(self.bits))
    }
}

impl From<Start> for PackedStart {
    #[inline]
    fn from(start: Start) -> Self {
        Self {
            bits: start.0,
            is_set: 1,
        }
    }
}
