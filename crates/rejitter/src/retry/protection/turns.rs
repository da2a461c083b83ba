//! The turns of a limiter: attempts ask for theirs, start, end, or leave the queue.
//!
//! Nothing is spawned, so there is no timer but those of the operations that wait. The first one has the limiter's; the
//! others are woken when they are the first, or when they cannot start in time.

use std::time::Duration;

use super::events::Rejection;
use super::facts::{Entry, Limits};
use super::queue::{Place, Waiting};
use super::state::Locked;
use super::status::ProtectionChange;
use crate::StopReason;
use crate::policy::{duration_from_ms, ms_from_duration};

/// Failures of the other limiter are reported once in this time, in ms: one that is down fails at each start.
const REPORT_MS: f64 = 60_000.0;
/// After one, it is not asked for so many times its timeout.
const PAUSE: f64 = 10.0;

impl Locked<'_> {
    /// Returns how an attempt has to wait, or `None` if it is its turn. Gives its operation a place in the order.
    pub(super) fn await_turn(
        &mut self,
        now: Option<f64>,
        limits: &mut Limits<'_>,
    ) -> Result<Option<Entry>, Rejection> {
        let is_drained = self.is_drained();
        let (Some(queue), Some(turning)) = (&mut self.state.queue, &mut limits.place) else {
            return Ok(None);
        };
        if turning.place.arrival == 0 {
            queue.arrivals += 1;
            turning.place.arrival = queue.arrivals;
        }
        let Place {
            arrival,
            weight,
            granted,
        } = *turning.place;
        if is_drained {
            return Err(self.rejected_by_limiter(f64::INFINITY));
        }
        if now.is_none() && queue.is_first(arrival) {
            queue.waited_ms += turning.waited_ms;
        }
        let time = queue.time(now);
        let (is_first, has_place) = (queue.is_first(arrival), queue.has_place());
        let waits = queue.waiting.get_mut(&arrival);
        let (is_new, late_ms) = (waits.is_none(), waits.and_then(|waits| waits.late_ms));
        // Who waits already has been told if it will be too late.
        let ahead = if is_new { queue.ahead(arrival) } else { 0.0 };
        let wait_ms = queue.wait_ms(time, weight, ahead);
        let left_ms = limits.remaining.left_ms();
        // A first attempt may start, however little time there is, but not after a wait.
        let is_over = !is_new && left_ms <= 0.0;
        let is_turn = is_first && has_place && wait_ms <= 0.0 && !is_over;
        let asked = self.recipe.acquire.as_ref().filter(|acquire| {
            // After a failure the own rate decides alone, if there is one.
            let is_alone = (time - queue.failed_at).abs()
                < PAUSE * ms_from_duration(acquire.timeout)
                && queue.settings.rate.interval_ms > 0.0;
            is_turn && !granted && !is_alone
        });
        let asks = asked.is_some();
        if is_turn && !asks {
            return Ok(None);
        }
        let is_known = is_new || is_first || is_over;
        if let Some(ms) = late_ms.or((is_known && wait_ms >= left_ms).then_some(wait_ms)) {
            return Err(self.rejected_by_limiter(ms));
        }
        if is_new && queue.is_full() {
            let ms = queue.wait_ms(time, queue.first_weight(), 0.0);
            return Err(self.rejected_by_limiter(ms));
        }
        let due = (is_first && has_place).then_some(wait_ms);
        let waker = (turning.waker)();
        let waits = queue.waiting.entry(arrival).or_insert_with(|| Waiting {
            weight,
            waker: waker.clone(),
            ends_at: time + left_ms,
            due_at: f64::INFINITY,
            was_due: false,
            late_ms: None,
        });
        waits.waker = waker;
        waits.due_at = due.map_or(f64::INFINITY, |ms| time + ms);
        if is_new {
            queue.units += weight;
            let known = (wait_ms > 0.0).then(|| duration_from_ms(wait_ms));
            self.report(ProtectionChange::Queued(known));
        }
        // Only the other limiter can tell when it answers.
        let due_ms = due.filter(|_| !asks);
        Ok(Some(Entry::Queue { due_ms, asks }))
    }

    /// The other limiter answered, or failed.
    pub(super) fn acquired(
        &mut self,
        now: Option<f64>,
        place: &mut Place,
        answer: Option<Duration>,
    ) {
        let Some(queue) = &mut self.state.queue else {
            return;
        };
        let time = queue.time(now);
        let Some(wait) = answer else {
            (place.granted, queue.failed_at) = (true, time);
            if time - queue.reported_at >= REPORT_MS {
                queue.reported_at = time;
                self.report(ProtectionChange::AcquireFailed);
            }
            return;
        };
        place.granted = wait.is_zero();
        queue.ask_ms = ms_from_duration(wait);
        queue.ask_at = time + queue.ask_ms;
    }

    /// An attempt starts, whose turn it is.
    pub(super) fn start_turn(&mut self, now: Option<f64>, place: Place) {
        let Some(queue) = &mut self.state.queue else {
            return;
        };
        let time = queue.time(now);
        let waits = queue.waiting.get(&place.arrival);
        let was_due = waits.is_some_and(|waits| waits.was_due || time >= waits.due_at);
        queue.start(time, place.weight, was_due);
        self.leave(now, place.arrival, was_due);
    }

    /// An attempt waits no longer: it starts, is rejected, or was dropped.
    pub(super) fn leave(&mut self, now: Option<f64>, arrival: u64, was_due: bool) {
        let Some(queue) = &mut self.state.queue else {
            return;
        };
        let was_first = queue.is_first(arrival);
        let Some(left) = queue.waiting.remove(&arrival) else {
            return;
        };
        queue.units = if queue.waiting.is_empty() {
            0.0
        } else {
            queue.units - left.weight
        };
        if was_first {
            let was_due = was_due || left.was_due;
            let started_at = was_due.then(|| queue.time(now));
            self.wake.extend(queue.call_first(started_at));
        }
    }

    /// Whether it was drained, or all are.
    fn is_drained(&self) -> bool {
        let queue = self.state.queue.as_ref();
        self.recipe.drained.is_set() || queue.is_some_and(|queue| queue.drained)
    }

    /// These attempts have ended: their places are free.
    pub(super) fn free(&mut self, places: u64) {
        let Some(queue) = &mut self.state.queue else {
            return;
        };
        queue.running = queue.running.saturating_sub(places);
        // Where there is a place at all times, nobody waits for one.
        if queue.settings.concurrency < f64::INFINITY {
            self.wake.extend(queue.call_first(None));
        }
    }

    /// Whether an attempt may start that must not wait.
    pub(super) fn is_spare(&mut self, now: f64, weight: f64) -> bool {
        let is_closed = self.is_drained() || self.recipe.acquire.is_some();
        self.state.queue.as_mut().is_none_or(|queue| {
            let is_free = queue.waiting.is_empty() && queue.has_place();
            !is_closed && is_free && queue.wait_ms(now, weight, 0.0) <= 0.0
        })
    }

    /// It starts.
    pub(super) fn start_spare(&mut self, now: f64, weight: f64) {
        if let Some(queue) = &mut self.state.queue {
            queue.start(now, weight, false);
        }
    }

    /// Rejects a retry that cannot start in time, before its wait.
    pub(super) fn reject_for_queue(
        &mut self,
        now: Option<f64>,
        delay_ms: f64,
        left_ms: f64,
        place: Place,
    ) -> Result<(), Rejection> {
        let is_drained = self.is_drained();
        let Some(queue) = &mut self.state.queue else {
            return Ok(());
        };
        if is_drained {
            return Err(self.rejected_by_limiter(f64::INFINITY));
        }
        let (time, ahead) = (queue.time(now), queue.ahead(place.arrival));
        let ms = queue.wait_ms(time, place.weight, ahead);
        if ms > delay_ms && ms >= left_ms {
            return Err(self.rejected_by_limiter(ms));
        }
        Ok(())
    }

    /// The server asked all to wait: nothing starts before. Those that would start too late then are woken, to end.
    pub(super) fn pause(&mut self, now: Option<f64>, hint_ms: f64, base_ms: f64, draw: f64) {
        let Some(queue) = &mut self.state.queue else {
            return;
        };
        let time = queue.time(now);
        if !queue.numbers.pause(time, hint_ms, base_ms, draw) {
            return;
        }
        let mut ahead = 0.0;
        for waits in queue.waiting.values_mut() {
            let rate = &queue.settings.rate;
            let ms = queue.numbers.wait_ms(rate, time, waits.weight, ahead);
            ahead += waits.weight;
            if time + ms >= waits.ends_at {
                waits.late_ms = Some(ms);
            }
            // The cooldown may reject the others.
            if waits.late_ms.is_some() || self.recipe.cooldown.is_some() {
                self.wake.push(waits.waker.clone());
            }
        }
    }

    /// Rejects all who wait, and who come.
    pub(super) fn drain(&mut self) {
        if let Some(queue) = &mut self.state.queue {
            queue.drained = true;
            let waiting = queue.waiting.values();
            self.wake.extend(waiting.map(|waits| waits.waker.clone()));
        }
    }

    fn rejected_by_limiter(&mut self, retry_after_ms: f64) -> Rejection {
        if let Some(queue) = &mut self.state.queue {
            queue.rejected += 1;
        }
        self.events.rejection(StopReason::Limiter, retry_after_ms)
    }
}
