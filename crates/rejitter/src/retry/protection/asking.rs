//! One operation asks for its turn: its own limiter, and another one.

use std::task::{Context, Poll, Waker};
use std::time::Duration;

use super::facts::Turn;
use super::guard::Protected;
use crate::retry::nanos::Nanos;

impl Protected {
    /// How long the attempt waited for its turn.
    pub(in crate::retry) fn queued(&self) -> Duration {
        let queued = self.limited.as_ref().map(|limited| limited.queued);
        queued.map_or(Duration::ZERO, Nanos::duration)
    }

    /// Whether its attempt waits for its turn.
    pub(in crate::retry) fn is_queued(&self) -> bool {
        let limited = self.limited.as_ref();
        limited.is_some_and(|limited| limited.since != Nanos::NONE)
    }

    pub(in crate::retry) fn take_turn(&mut self) -> Option<Turn> {
        self.limited.as_mut()?.turn.take()
    }

    /// The units that the next attempt takes are asked for once.
    pub(in crate::retry) fn weigh(&mut self, weight: impl FnOnce() -> f64) {
        let limited = self.limited.as_mut();
        if let Some(limited) = limited.filter(|limited| limited.place.weight.is_nan()) {
            let weight = weight();
            let is_valid = weight > 0.0 && weight.is_finite();
            limited.place.weight = if is_valid { weight } else { 1.0 };
        }
    }

    /// Asks another limiter whether the attempt may start. Returns the wait for the answer, `None` once it is there.
    pub(super) fn ask(
        &mut self,
        now: Nanos,
        turn: Turn,
        waker: &dyn Fn() -> Waker,
    ) -> Option<Turn> {
        let time = self.ms(now);
        let (acquire, limited) = (self.cell.recipe.acquire.as_ref()?, self.limited.as_mut()?);
        let ask = || {
            let question = acquire.ask(self.cell.key.as_deref(), limited.place.weight);
            (question, now)
        };
        let (question, since) = limited.question.get_or_insert_with(ask);
        let polled = question.as_mut().poll(&mut Context::from_waker(&waker()));
        let left = Nanos::from(acquire.timeout).since(now.since(*since));
        let answer = match polled {
            Poll::Ready(answer) => answer,
            Poll::Pending if left == Nanos::ZERO => None,
            Poll::Pending => {
                let due = left.get();
                limited.turn = Some(Turn { due, ..turn });
                return limited.turn;
            }
        };
        limited.question = None;
        self.cell
            .locked(|locked| locked.acquired(time, &mut limited.place, answer));
        None
    }

    /// Attempts have ended, at most this many: returns how many of them had a place.
    pub(super) fn take_places(&mut self, most: u64) -> u64 {
        let Some(limited) = &mut self.limited else {
            return 0;
        };
        let places = limited.running.min(most);
        limited.running -= places;
        places
    }
}
