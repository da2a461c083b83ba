//! The cooldown: one server's "too many requests" holds everyone who would ask it.

use core::mem::offset_of;

use super::options::checked;
use super::place;
use crate::core::{MAX_MS, NOT_NEGATIVE, Problems, options};

options! {
    /// Options of [`Protection::cooldown`](crate::Protection::cooldown). `None` means the default.
    CooldownOptions:

    /// Longest time of a hold, in ms: non-negative or infinite. Attempts that would be held longer are rejected. An
    /// attempt is held once, so an operation is held at most `max_attempts` times this, and the time drawn for each.
    /// Defaults to [`max_retry_after`](crate::RetryPolicy::with_max_retry_after) of the policy: they wait as long as
    /// the one that the server asked. The deadline bounds all holds together.
    max_hold_ms: Option<f64> = None,
    /// Whether one attempt passes each hold, because the limit may be that of one route, and the server's guess too
    /// long. Without a probe nobody does: an attempt that was held is held again while a later hint has not ended. For
    /// servers that count, or ban for, what comes too early. Defaults to true.
    probe: bool = true,
}

checked! { CooldownOptions }

impl CooldownOptions {
    pub(crate) fn problems(&self) -> Problems {
        let mut problems = Problems::NONE;
        problems.range("cooldown.max_hold_ms", self.max_hold_ms, NOT_NEGATIVE);
        problems
    }
}

/// The hold: the time until which attempts are held, and the hint that set it.
///
/// A hold starts with a hint while none is running. Hints that make it longer belong to it. One attempt passes each
/// hold, its probe, because the limit may be that of one route, and the server's guess too long. The success of an
/// attempt that started during a hold ends it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[repr(C)]
pub struct Cooldown {
    until: f64,
    /// The hint that set `until`, in ms: how long the server asked for.
    asked: f64,
    /// Whether the hold has had its probe: 1 or 0.
    probed: f64,
}

impl Cooldown {
    /// Place of the time until which it holds attempts.
    pub const UNTIL: u32 = place(offset_of!(Self, until));
    /// Place of 1 if the hold has had its probe.
    pub const PROBED: u32 = place(offset_of!(Self, probed));
    /// Number of fields.
    pub const FIELDS: u32 = place(size_of::<Self>());

    /// A cooldown that holds no attempt.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            until: 0.0,
            asked: 0.0,
            probed: 0.0,
        }
    }

    /// Holds attempts for `hint_ms` from now on, and returns true, unless the present hint ends as late.
    #[must_use]
    pub fn start(&mut self, now: f64, hint_ms: f64) -> bool {
        self.clamp(now);
        let is_longer = now + hint_ms > self.until;
        if is_longer {
            if self.until <= now {
                self.probed = 0.0;
            }
            self.until = now + hint_ms;
            self.asked = hint_ms;
        }
        is_longer
    }

    /// Returns the time until which it holds attempts.
    #[must_use]
    pub fn until(&self) -> f64 {
        self.until
    }

    /// Returns whether the hold has had its probe.
    #[must_use]
    pub fn is_probed(&self) -> bool {
        self.probed != 0.0
    }

    /// Notes that an attempt passes the hold as its probe.
    pub fn probe(&mut self) {
        self.probed = 1.0;
    }

    /// Ends the hold after the success of an attempt that started while the hold was to last until `until`. Does
    /// nothing if a hint has made it longer since then: the server has said something newer.
    pub fn end(&mut self, until: f64) {
        if self.until == until {
            self.until = f64::NEG_INFINITY;
        }
    }

    /// Returns the rest of the cooldown in ms, 0 after its end.
    #[must_use]
    pub fn left_ms(&mut self, now: f64) -> f64 {
        self.clamp(now);
        (self.until - now).max(0.0)
    }

    /// Returns how long to hold an attempt in ms, 0 without a cooldown.
    ///
    /// `draw`, in `[0, 1)`, spreads held attempts over half the time that the server asked for, and over at least
    /// `base_ms`: if all came back at once, they would cause the next hint.
    #[must_use]
    pub fn hold_ms(&mut self, now: f64, base_ms: f64, draw: f64) -> f64 {
        let left = self.left_ms(now);
        if left > 0.0 {
            (left + draw * (self.asked / 2.0).max(base_ms)).min(MAX_MS)
        } else {
            0.0
        }
    }

    /// After the clock was set back, no attempt is held longer than the server asked for.
    fn clamp(&mut self, now: f64) {
        self.until = self.until.min(now + self.asked);
    }
}
