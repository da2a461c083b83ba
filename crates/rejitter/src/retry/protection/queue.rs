//! The limiter of one destination: the numbers that say when an attempt may start, and those that wait, in their order.

use std::collections::BTreeMap;
use std::task::Waker;

use super::status::LimiterStatus;
use crate::core::protection::{Limiter, LimiterSettings};
use crate::policy::duration_from_ms;

/// The limiter of one destination.
#[derive(Debug)]
pub(super) struct Queue {
    pub(super) settings: LimiterSettings,
    pub(super) numbers: Limiter,
    /// By the arrival of their operations: a retry goes before those that came later.
    pub(super) waiting: BTreeMap<u64, Waiting>,
    /// Units of those that wait.
    pub(super) units: f64,
    pub(super) arrivals: u64,
    pub(super) running: u64,
    pub(super) rejected: u64,
    pub(super) drained: bool,
    /// The time of operations without a clock: what the first ones have waited.
    pub(super) waited_ms: f64,
    /// Until when the other limiter lets nothing start, how long that was, and when it failed and that was reported.
    pub(super) ask_at: f64,
    pub(super) ask_ms: f64,
    pub(super) failed_at: f64,
    pub(super) reported_at: f64,
}

/// An attempt that waits for its turn.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) weight: f64,
    pub(super) waker: Waker,
    /// When its operation ends.
    pub(super) ends_at: f64,
    /// When its timer ends. Infinite if it has none.
    pub(super) due_at: f64,
    /// It was due when the one before it started by a timer that was late.
    pub(super) was_due: bool,
    /// How long it would have to wait, if a hint has moved its turn behind its end.
    pub(super) late_ms: Option<f64>,
}

/// An operation in a queue.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Number of the operation in the order of arrival. 0 before it has asked.
    pub(super) arrival: u64,
    /// Units that its next attempt takes. NaN until they are known.
    pub(super) weight: f64,
    /// The other limiter lets the attempt start.
    pub(super) granted: bool,
}

impl Queue {
    pub(super) fn new(settings: LimiterSettings) -> Self {
        Self {
            settings,
            numbers: Limiter::new(),
            waiting: BTreeMap::new(),
            units: 0.0,
            arrivals: 0,
            running: 0,
            rejected: 0,
            drained: false,
            waited_ms: 0.0,
            ask_at: f64::NEG_INFINITY,
            ask_ms: 0.0,
            failed_at: f64::NEG_INFINITY,
            reported_at: f64::NEG_INFINITY,
        }
    }

    pub(super) fn time(&self, now: Option<f64>) -> f64 {
        now.unwrap_or(self.waited_ms)
    }

    // Attempts are counted one by one.
    #[allow(clippy::cast_precision_loss)]
    pub(super) fn has_place(&self) -> bool {
        (self.running as f64) < self.settings.concurrency
    }

    #[allow(clippy::cast_precision_loss)]
    pub(super) fn is_full(&self) -> bool {
        self.waiting.len() as f64 >= self.settings.max_queue
    }

    /// Whether nobody waits who came earlier.
    pub(super) fn is_first(&self, arrival: u64) -> bool {
        let first = self.waiting.first_key_value();
        first.is_none_or(|(first, _)| arrival <= *first)
    }

    /// Units of those that came earlier.
    pub(super) fn ahead(&self, arrival: u64) -> f64 {
        let last = self.waiting.last_key_value();
        if last.is_none_or(|(last, _)| arrival > *last) {
            return self.units;
        }
        let ahead = self.waiting.range(..arrival);
        ahead.map(|(_, waiting)| waiting.weight).sum()
    }

    /// How long a start has to wait behind so many units, in ms: at least this long, and exactly if nobody has to wait
    /// for a place.
    pub(super) fn wait_ms(&mut self, time: f64, weight: f64, ahead: f64) -> f64 {
        let asked_ms = self.asked_ms(time);
        let rate = &self.settings.rate;
        self.numbers
            .wait_ms(rate, time, weight, ahead)
            .max(asked_ms)
    }

    /// For how long the other limiter lets nothing start. After the clock was set back, no longer than it has said.
    fn asked_ms(&self, time: f64) -> f64 {
        (self.ask_at - time).min(self.ask_ms)
    }

    /// Units of the first that waits, or of an attempt that comes.
    pub(super) fn first_weight(&self) -> f64 {
        let first = self.waiting.first_key_value();
        first.map_or(1.0, |(_, first)| first.weight)
    }

    pub(super) fn start(&mut self, time: f64, weight: f64, was_due: bool) {
        self.numbers
            .start(&self.settings.rate, time, weight, was_due);
        self.running += 1;
    }

    /// Returns what wakes the first that waits. `started_at`: when the one before it started, if that was due by its
    /// timer.
    pub(super) fn call_first(&mut self, started_at: Option<f64>) -> Option<Waker> {
        let is_due = started_at.is_some_and(|time| {
            self.has_place() && self.wait_ms(time, self.first_weight(), 0.0) <= 0.0
        });
        let mut first = self.waiting.first_entry()?;
        let first = first.get_mut();
        first.was_due |= is_due;
        Some(first.waker.clone())
    }

    /// Whether a place is taken or waited for, so that it must not be forgotten.
    pub(super) fn is_busy(&self) -> bool {
        self.running > 0 || !self.waiting.is_empty() || self.drained
    }

    /// Whether forgetting it would change nothing.
    pub(super) fn is_fresh(&self, now: f64) -> bool {
        let (mut copy, rate) = (self.numbers, &self.settings.rate);
        !self.is_busy() && copy.wait_ms(rate, now, rate.burst, 0.0) <= 0.0
    }

    pub(super) fn status(&self, now: f64) -> LimiterStatus {
        // A look does not change the state.
        let mut copy = self.numbers;
        let next_ms = copy.wait_ms(&self.settings.rate, now, self.first_weight(), 0.0);
        LimiterStatus {
            running: self.running,
            queued: self.waiting.len() as u64,
            next: duration_from_ms(next_ms.max(self.asked_ms(now))),
            rejected: self.rejected,
        }
    }
}
