//! The protection of one operation.

use std::fmt;
use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;

use super::cell::Cell;
use super::events::Rejection;
use super::facts::{Entry, Limits, Next, Pass, Price, Turn, Turning};
use super::limited::Limited;
use crate::core::RetryPolicy;
use crate::core::protection::Verdict;
use crate::policy::duration_from_ms;
use crate::retry::RejectedError;
use crate::retry::nanos::Nanos;

/// One operation's part in a [`Protection`](crate::Protection): see [`Retry::protection`](crate::Retry::protection).
///
/// When it is dropped, the place of a probe is free again, and the token of a retry that never began goes back.
pub struct Protected {
    pub(super) cell: Arc<Cell>,
    /// The operation has no clock: the breaker and the cooldown are then as absent.
    pub(super) clockless: bool,
    /// That of the running attempt. Hedges keep theirs.
    pub(super) pass: Pass,
    /// Start of the present hold.
    held_since: Nanos,
    /// How long the attempt was held.
    held: Nanos,
    /// The attempt of the round counts as the first one of an operation.
    pub(super) first: bool,
    /// When it last asked, in ms: nobody reads a clock when an operation is dropped. NaN without a clock.
    asked_at: f64,
    /// Tokens, in thousandths: of the retry that has not started, and of the last one that has.
    pub(super) taken: f64,
    pub(super) spent: f64,
    /// Price of a retry after this round.
    pub(super) price: Price,
    /// End of the cooldown that a failure of the round set. NaN for none.
    pub(super) own_until: f64,
    pub(super) rejection: Option<Rejection>,
    /// Number of hedges that the operation has started.
    pub(super) hedges: u64,
    /// If there is a limiter. In a box, so that other operations are no larger.
    pub(super) limited: Option<Box<Limited>>,
}

impl fmt::Debug for Protected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Protected")
            .field("key", &self.cell.key)
            .finish_non_exhaustive()
    }
}

impl Protected {
    pub(super) fn new(cell: Arc<Cell>) -> Self {
        let limited = cell.recipe.limiter.is_some();
        Self {
            cell,
            clockless: false,
            pass: Pass::default(),
            held_since: Nanos::NONE,
            held: Nanos::ZERO,
            first: true,
            asked_at: f64::NAN,
            taken: 0.0,
            spent: 0.0,
            price: Price::Free,
            own_until: f64::NAN,
            rejection: None,
            hedges: 0,
            limited: limited.then(|| Limited::new().into()),
        }
    }

    pub(in crate::retry) fn start(&mut self, clockless: bool) {
        self.clockless = clockless;
    }

    /// How long the attempt was held.
    pub(in crate::retry) fn held(&self) -> Duration {
        self.held.duration()
    }

    /// When asking again makes sense, once it was rejected.
    pub(in crate::retry) fn retry_after(&self) -> Option<Duration> {
        self.rejection.and_then(Rejection::retry_after)
    }

    /// The time of the protection in ms. `None` without a clock.
    pub(super) fn ms(&self, now: Nanos) -> Option<f64> {
        match &self.cell.recipe.clock {
            Some(clock) => Some(Nanos::from(clock()).ms()),
            None if self.clockless => None,
            None => Some(now.ms()),
        }
    }

    /// The pass before an attempt. The operation is woken by what is made
    /// of the function, should it have to wait for its turn.
    pub(in crate::retry) fn enter(
        &mut self,
        now: Nanos,
        remaining: Nanos,
        policy: &RetryPolicy,
        waker: &dyn Fn() -> Waker,
        mut draw: impl FnMut() -> f64,
    ) -> Next {
        self.weigh(|| 1.0);
        loop {
            let next = self.pass(now, remaining, policy, waker, &mut draw);
            let Next::Queue(turn) = next else {
                return next;
            };
            let waits = if turn.asks {
                self.ask(now, turn, waker)
            } else {
                Some(turn)
            };
            if let Some(turn) = waits {
                return Next::Queue(turn);
            }
        }
    }

    fn pass(
        &mut self,
        now: Nanos,
        remaining: Nanos,
        policy: &RetryPolicy,
        waker: &dyn Fn() -> Waker,
        draw: impl FnOnce() -> f64,
    ) -> Next {
        let since = std::mem::replace(&mut self.held_since, Nanos::NONE);
        let was_held = since != Nanos::NONE;
        self.held = if was_held {
            now.since(since)
        } else {
            Nanos::ZERO
        };
        let first = self.price == Price::Free;
        let recipe = &self.cell.recipe;
        let timed = recipe.breaker.is_some() || recipe.cooldown.is_some();
        let is_limited = recipe.limiter.is_some();
        let time = (timed || is_limited).then(|| self.ms(now)).flatten();
        let entry = if time.is_none() && !is_limited {
            Ok(Entry::Begin(Pass::default()))
        } else {
            self.cell.locked(|locked| {
                self.asked_at = time.unwrap_or(f64::NAN);
                if was_held {
                    locked.release();
                    if let (Nanos::ZERO, Some(time)) = (remaining, time) {
                        return Err(locked.woke_late(time));
                    }
                }
                let limits = Limits {
                    first,
                    held: was_held,
                    remaining,
                    policy,
                    place: self.limited.as_mut().map(|limited| Turning {
                        waited_ms: now.since(limited.asked).ms(),
                        place: &mut limited.place,
                        waker,
                    }),
                };
                locked.enter(time, limits, draw)
            })
        };
        match entry {
            Ok(Entry::Begin(pass)) => {
                self.pass = pass;
                self.first = first;
                if let Some(limited) = &mut self.limited {
                    limited.begin(now);
                }
                (self.price, self.own_until) = (Price::Free, f64::NAN);
                if self.taken > 0.0 {
                    self.spent = std::mem::take(&mut self.taken);
                }
                Next::Begin
            }
            Ok(Entry::Hold { ms }) => {
                self.held_since = if was_held { since } else { now };
                Next::Hold(duration_from_ms(ms))
            }
            Ok(Entry::Queue { due_ms, asks }) => {
                let turn = Turn {
                    due: due_ms.map(duration_from_ms),
                    left: remaining.get(),
                    asks,
                };
                if let Some(limited) = &mut self.limited {
                    (limited.asked, limited.since) = (now, limited.since.min(now));
                    limited.turn = Some(turn);
                }
                Next::Queue(turn)
            }
            Err(rejection) => {
                if let Some(limited) = &mut self.limited {
                    (limited.since, limited.question) = (Nanos::NONE, None);
                }
                self.rejection = Some(rejection);
                Next::Rejected(RejectedError {
                    by: rejection.by,
                    retry_after: duration_from_ms(rejection.retry_after_ms),
                    key: self.cell.key.clone(),
                })
            }
        }
    }

    /// The operation ends: releases what it holds.
    pub(in crate::retry) fn release(&mut self) {
        let held = std::mem::replace(&mut self.held_since, Nanos::NONE) != Nanos::NONE;
        let taken = std::mem::take(&mut self.taken);
        let pass = std::mem::take(&mut self.pass);
        let queued = self.limited.as_mut().and_then(|limited| {
            let since = std::mem::replace(&mut limited.since, Nanos::NONE);
            (since != Nanos::NONE).then_some(limited.place.arrival)
        });
        let places = self.take_places(u64::MAX);
        if !held && taken == 0.0 && pass.is_none() && queued.is_none() && places == 0 {
            return;
        }
        let asked_at = Some(self.asked_at).filter(|at| !at.is_nan());
        self.cell.locked(|locked| {
            if held {
                locked.release();
            }
            if let Some(arrival) = queued {
                locked.leave(asked_at, arrival, false);
            }
            locked.free(places);
            if taken > 0.0 {
                locked.put_back(taken);
            }
            let nothing = Verdict::Nothing;
            locked.ended(self.asked_at, pass, nothing, f64::NAN, || 0.5);
        });
    }
}

impl Drop for Protected {
    fn drop(&mut self) {
        self.release();
    }
}
