//! The protection of one operation.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::Protection;
use super::cell::{Cell, Refusal};
use super::state::{End, Entry, Plan};
use super::time_ms;
use crate::StopReason;
use crate::core::protection::Verdict;
use crate::policy::{duration_from_ms, ms_from_duration};
use crate::retry::{RejectedError, Signal};

/// Protection of an operation's form: none, `()`, or [`Protected`].
pub trait Protect: sealed::Sealed {
    #[doc(hidden)]
    fn guard(&mut self) -> Option<&mut Protected>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for () {}
    impl Sealed for super::Protected {}
}

impl Protect for () {
    fn guard(&mut self) -> Option<&mut Protected> {
        None
    }
}

impl Protect for Protected {
    fn guard(&mut self) -> Option<&mut Protected> {
        Some(self)
    }
}

/// One operation's part in a [`Protection`]: see [`Retry::protection`](crate::Retry::protection).
///
/// When it is dropped, the place of a probe is free again, and the token of a retry that never began goes back.
pub struct Protected {
    cell: Arc<Cell>,
    /// The operation has no clock: the breaker and the cooldown are then as absent.
    clockless: bool,
    /// The numbers that the breaker gave the running attempt.
    admitted: Option<(f64, f64)>,
    /// Start of the present hold.
    held_since: Option<Duration>,
    /// All holds of the attempt.
    held: Duration,
    /// The same as planned, without the draws, in ms.
    planned_ms: f64,
    /// Tokens, in thousandths: of the retry that has not started, and of the last one that has.
    taken: f64,
    spent: f64,
    /// The last failure asked for fewer requests, and set the cooldown that ends then.
    throttled: bool,
    own_until: f64,
    refusal: Option<Refusal>,
}

impl fmt::Debug for Protected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Protected")
            .field("key", &self.cell.key)
            .finish_non_exhaustive()
    }
}

/// The next step of an attempt that is about to start.
pub(in crate::retry) enum Next {
    Begin,
    Hold(Duration),
    Refused(RejectedError),
}

impl Protected {
    pub(in crate::retry) fn new(protection: &Protection) -> Self {
        Self {
            cell: protection.live(),
            clockless: false,
            admitted: None,
            held_since: None,
            held: Duration::ZERO,
            planned_ms: 0.0,
            taken: 0.0,
            spent: 0.0,
            throttled: false,
            own_until: f64::NAN,
            refusal: None,
        }
    }

    pub(in crate::retry) fn start(&mut self, clockless: bool) {
        self.clockless = clockless;
    }

    /// How long the attempt was held.
    pub(in crate::retry) fn held(&self) -> Duration {
        self.held
    }

    /// When asking again makes sense, once it was rejected.
    pub(in crate::retry) fn retry_after(&self) -> Option<Duration> {
        self.refusal.and_then(Refusal::retry_after)
    }

    /// The time of the protection in ms. `None` without a clock.
    fn ms(&self, now: Duration) -> Option<f64> {
        match &self.cell.recipe.clock {
            Some(clock) => Some(time_ms(clock())),
            None if self.clockless => None,
            None => Some(time_ms(now)),
        }
    }

    /// The pass before an attempt.
    pub(in crate::retry) fn enter(
        &mut self,
        now: Duration,
        remaining_ms: f64,
        base_ms: f64,
        draw: impl FnOnce() -> f64,
    ) -> Next {
        let was_held = self.held_since.take();
        if let Some(since) = was_held {
            self.held = self.held.saturating_add(now.saturating_sub(since));
        } else {
            (self.held, self.planned_ms) = (Duration::ZERO, 0.0);
        }
        let (recipe, planned_ms) = (&self.cell.recipe, self.planned_ms);
        let timed = recipe.breaker.is_some() || recipe.max_hold_ms.is_some();
        let entry = match timed.then(|| self.ms(now)).flatten() {
            None => Entry::Begin(None),
            Some(time) => self.cell.locked(|state, recipe, told| {
                if was_held.is_some() {
                    state.release();
                    if remaining_ms <= 0.0 {
                        return Entry::Refused(state.woke_late(told, time));
                    }
                }
                let limits = (remaining_ms, base_ms);
                state.enter(recipe, told, time, planned_ms, limits, draw)
            }),
        };
        match entry {
            Entry::Begin(admitted) => {
                self.admitted = admitted;
                if self.taken > 0.0 {
                    self.spent = std::mem::take(&mut self.taken);
                }
                Next::Begin
            }
            Entry::Hold { ms, left_ms } => {
                self.held_since = Some(now);
                self.planned_ms += left_ms;
                Next::Hold(duration_from_ms(ms))
            }
            Entry::Refused(refusal) => {
                self.refusal = Some(refusal);
                Next::Refused(RejectedError {
                    by: refusal.by,
                    retry_after: duration_from_ms(refusal.retry_after_ms),
                })
            }
        }
    }

    /// The operation succeeded.
    pub(in crate::retry) fn succeeded(&mut self, clock: impl FnOnce() -> Duration) {
        let admitted = self.admitted.take();
        let spent = std::mem::take(&mut self.spent);
        if admitted.is_none() && self.cell.recipe.budget.is_none() {
            return;
        }
        let time = admitted.and_then(|_| self.ms(clock()));
        self.cell.locked(|state, recipe, told| {
            state.succeeded(recipe, told, spent);
            if let (Some(time), Some(admitted)) = (time, admitted) {
                let end = End {
                    admitted,
                    verdict: Verdict::Success,
                    hint_ms: f64::NAN,
                };
                // A success opens nothing, and needs no draw.
                state.ended(recipe, told, time, end, || 0.5);
            }
        });
    }

    /// An attempt failed. `longest_ms`: no hint is followed further.
    pub(in crate::retry) fn failed(
        &mut self,
        now: Duration,
        signal: Signal,
        hint: Option<Duration>,
        longest_ms: f64,
        draw: impl FnOnce() -> f64,
    ) {
        let cut = |hint: Duration| ms_from_duration(hint).min(longest_ms);
        let (verdict, busy_ms) = match signal {
            Signal::Failure => (Verdict::Failure, 0.0),
            Signal::Success => (Verdict::Success, 0.0),
            Signal::Nothing => (Verdict::Nothing, 0.0),
            Signal::Busy(hint) => (Verdict::Nothing, cut(hint)),
        };
        self.throttled = matches!(signal, Signal::Busy(_));
        self.own_until = f64::NAN;
        let admitted = self.admitted.take();
        let cools = busy_ms > 0.0 && self.cell.recipe.max_hold_ms.is_some();
        if admitted.is_none() && !cools {
            return;
        }
        let Some(time) = self.ms(now) else {
            return;
        };
        self.own_until = self.cell.locked(|state, recipe, told| {
            if let Some(admitted) = admitted {
                let end = End {
                    admitted,
                    verdict,
                    hint_ms: hint.map_or(f64::NAN, cut),
                };
                state.ended(recipe, told, time, end, draw);
            }
            if cools {
                state.ask_to_wait(time, busy_ms)
            } else {
                f64::NAN
            }
        });
    }

    /// Before the wait that a retry follows: returns it, or a longer one if others are held longer. Takes the tokens.
    pub(in crate::retry) fn retry(
        &mut self,
        now: Duration,
        delay: Duration,
        remaining_ms: f64,
        base_ms: f64,
        draw: impl FnOnce() -> f64,
    ) -> Result<Duration, StopReason> {
        let delay_ms = ms_from_duration(delay);
        let plan = Plan {
            delay_ms,
            remaining_ms,
            base_ms,
            throttled: self.throttled,
            own_until: self.own_until,
        };
        let time = self.ms(now);
        let planned = self
            .cell
            .locked(|state, recipe, told| state.retry(recipe, told, time, plan, draw));
        match planned {
            Ok((longer_ms, taken)) => {
                self.taken = taken;
                let longer = longer_ms > delay_ms;
                Ok(if longer {
                    duration_from_ms(longer_ms)
                } else {
                    delay
                })
            }
            Err(refusal) => {
                self.refusal = Some(refusal);
                Err(refusal.by)
            }
        }
    }

    /// The operation ends: releases what it holds.
    pub(in crate::retry) fn release(&mut self) {
        let held = self.held_since.take().is_some();
        let taken = std::mem::take(&mut self.taken);
        let admitted = self.admitted.take();
        if !held && taken == 0.0 && admitted.is_none() {
            return;
        }
        self.cell.locked(|state, recipe, told| {
            if held {
                state.release();
            }
            if taken > 0.0 {
                state.put_back(recipe, told, taken);
            }
            if let Some(admitted) = admitted {
                state.forget(recipe, admitted);
            }
        });
    }
}

impl Drop for Protected {
    fn drop(&mut self) {
        self.release();
    }
}
