//! The latency: how long first attempts take, so that a hedge starts when most of them would have ended.

use crate::core::elementary::floor;

/// Slots of a histogram: 24 octaves of 8.
const SLOTS: usize = 192;

/// The lower edge of the first slot, in ms.
const FIRST: f64 = 0.0625;

/// A slot is the sign, the exponent and three bits of the significand of a duration, so each is at most an eighth
/// longer than the one before.
const SHIFT: u32 = 49;

/// Length of a slice, in ms.
const SLICE_MS: f64 = 30_000.0;

/// Samples below which the histogram says nothing.
const ENOUGH: f64 = 20.0;

/// Records after which the quantile is computed again.
const STALE: f64 = 64.0;

/// The shortest delay, in ms: timers have whole ms.
const SHORTEST_MS: f64 = 1.0;

/// Durations of one slice.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
struct Slice {
    slots: [f64; SLOTS],
    total: f64,
}

impl Slice {
    const EMPTY: Self = Self {
        slots: [0.0; SLOTS],
        total: 0.0,
    };
}

/// A histogram of durations, and a quantile of it.
///
/// The present slice counts in full, the one before with the share that the last 30 s still cover. A quantile is the
/// upper edge of its slot: at most an eighth too long, never too short.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Latency {
    current: Slice,
    previous: Slice,
    started_at: f64,
    /// Records since the quantile was computed.
    unread: f64,
    /// The quantile, or 0 before the first one.
    delay_ms: f64,
}

impl Latency {
    /// A histogram without samples.
    #[must_use]
    pub const fn new(now: f64) -> Self {
        Self {
            current: Slice::EMPTY,
            previous: Slice::EMPTY,
            started_at: now,
            unread: 0.0,
            delay_ms: 0.0,
        }
    }

    /// Records the duration of a first attempt in ms: of a success, a timeout, or up to now if a hedge won. Fast
    /// failures are not samples: they would draw the quantile down when the destination breaks.
    pub fn record(&mut self, now: f64, ms: f64) {
        self.turn(now);
        if let Some(slot) = self.current.slots.get_mut(slot_of(ms)) {
            *slot += 1.0;
            self.current.total += 1.0;
            self.unread += 1.0;
        }
    }

    /// Returns the delay after which a share of `quantile` of the attempts has ended, in ms; `None` if there are not
    /// enough samples. The sum is done once in 64 records, and when a slice ends.
    pub fn delay_ms(&mut self, now: f64, quantile: f64) -> Option<f64> {
        self.turn(now);
        let share = 1.0 - (now - self.started_at) / SLICE_MS;
        let total = self.current.total + self.previous.total * share;
        if total < ENOUGH {
            return None;
        }
        if self.unread >= STALE || self.delay_ms == 0.0 {
            self.unread = 0.0;
            self.delay_ms = self.quantile(quantile * total, share).max(SHORTEST_MS);
        }
        Some(self.delay_ms)
    }

    /// Whether forgetting it would change nothing.
    #[must_use]
    pub fn is_empty(&self, now: f64) -> bool {
        let total = self.current.total + self.previous.total;
        total == 0.0 || now - self.started_at >= 2.0 * SLICE_MS
    }

    /// The upper edge of the slot in which the samples, counted from the shortest one, reach `rank`.
    fn quantile(&self, rank: f64, share: f64) -> f64 {
        let mut sum = 0.0;
        let mut edge = FIRST.to_bits() >> SHIFT;
        for (current, previous) in self.current.slots.iter().zip(&self.previous.slots) {
            edge += 1;
            sum += current + previous * share;
            if sum >= rank {
                break;
            }
        }
        f64::from_bits(edge << SHIFT)
    }

    /// Starts the slice that `now` lies in. A start in the future becomes now.
    fn turn(&mut self, now: f64) {
        self.started_at = self.started_at.min(now);
        let age = now - self.started_at;
        if age >= SLICE_MS {
            if age >= 2.0 * SLICE_MS {
                self.current = Slice::EMPTY;
            }
            self.previous = self.current;
            self.current = Slice::EMPTY;
            self.started_at += floor(age / SLICE_MS) * SLICE_MS;
            self.unread = STALE;
        }
    }
}

/// The slot of a duration: the first one below its lower edge, the last one above its upper edge.
fn slot_of(ms: f64) -> usize {
    let top = ms.max(FIRST).to_bits() >> SHIFT;
    let slot = top.saturating_sub(FIRST.to_bits() >> SHIFT);
    usize::try_from(slot).unwrap_or(SLOTS).min(SLOTS - 1)
}
