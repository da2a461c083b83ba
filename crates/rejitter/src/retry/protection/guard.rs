//! The protection of one operation.

use std::fmt;
use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;

use super::Protection;
use super::cell::Cell;
use super::events::Rejection;
use super::facts::{Entry, Limits, Pass, Plan, Price, Turning};
use super::limited::Limited;
use crate::StopReason;
use crate::core::RetryPolicy;
use crate::core::protection::Verdict;
use crate::policy::{duration_from_ms, ms_from_duration};
use crate::retry::nanos::Nanos;
use crate::retry::operation::Turn;
use crate::retry::rounds::Single;
use crate::retry::{Protect, RejectedError, Signal};

impl Protect for Protected {
    type Rounds = Single;

    fn guard(&mut self) -> Option<&mut Protected> {
        Some(self)
    }
}

/// One operation's part in a [`Protection`]: see [`Retry::protection`](crate::Retry::protection).
///
/// When it is dropped, the place of a probe is free again, and the token of a retry that never began goes back.
pub struct Protected {
    pub(super) cell: Arc<Cell>,
    /// The operation has no clock: the breaker and the cooldown are then as absent.
    pub(super) clockless: bool,
    /// That of the running attempt. Hedges keep theirs.
    pass: Pass,
    /// Start of the present hold.
    held_since: Nanos,
    /// How long the attempt was held.
    held: Nanos,
    /// The attempt of the round counts as the first one of an operation.
    pub(super) first: bool,
    /// When it last asked, in ms: nobody reads a clock when an operation is dropped. NaN without a clock.
    asked_at: f64,
    /// Tokens, in thousandths: of the retry that has not started, and of the last one that has.
    taken: f64,
    spent: f64,
    /// Price of a retry after this round.
    price: Price,
    /// End of the cooldown that a failure of the round set. NaN for none.
    own_until: f64,
    rejection: Option<Rejection>,
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

/// How an attempt failed.
#[derive(Debug, Clone, Copy)]
pub(in crate::retry) struct Failure {
    pub(in crate::retry) signal: Signal,
    /// Time that the server asked for.
    pub(in crate::retry) hint: Option<Duration>,
    /// How long the attempt took, if its end says how long attempts take. `None` for a hedge.
    pub(in crate::retry) took: Option<Nanos>,
}

/// The next step of an attempt that is about to start.
pub(in crate::retry) enum Next {
    Begin,
    Hold(Duration),
    /// It waits for its turn, and then asks again.
    Queue(Turn),
    Rejected(RejectedError),
}

impl Protected {
    pub(crate) fn new(protection: &Protection) -> Self {
        let cell = protection.live();
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

    /// The operation succeeded. `hedge`: the hedge that did it. `attempt`: the start of the round's attempt, if that
    /// did it or was running.
    pub(in crate::retry) fn succeeded(
        &mut self,
        hedge: Option<Pass>,
        attempt: Option<Nanos>,
        clock: impl FnOnce() -> Nanos,
    ) {
        let pass = hedge.unwrap_or_else(|| std::mem::take(&mut self.pass));
        let taken = std::mem::take(&mut self.spent);
        // The other attempt of the round is dropped.
        let places = self.take_places(u64::MAX);
        let recipe = &self.cell.recipe;
        if pass.is_none() && recipe.budget.is_none() && recipe.hedge.is_none() && places == 0 {
            return;
        }
        let timed = !pass.is_none() || recipe.hedge.is_some();
        let now = timed.then(clock);
        let time = now.and_then(|now| self.ms(now));
        let first = attempt.filter(|_| self.first).zip(now);
        let first_ms = first.map(|(at, now)| now.since(at).ms());
        self.cell.locked(|locked| {
            locked.free(places);
            locked.succeeded(time, taken, hedge.is_some(), first_ms);
            if let Some(time) = time {
                // A success opens nothing, and needs no draw.
                locked.ended(time, pass, Verdict::Success, f64::NAN, || 0.5);
            }
        });
        if hedge.is_some() {
            self.release();
        }
    }

    /// An attempt failed: this hedge, or else the attempt.
    pub(in crate::retry) fn failed(
        &mut self,
        hedge: Option<Pass>,
        now: Nanos,
        failure: Failure,
        policy: &RetryPolicy,
        mut draw: impl FnMut() -> f64,
    ) {
        let first = failure.took.filter(|_| self.first);
        let cut = |hint: Duration| ms_from_duration(hint).min(policy.max_retry_after_ms());
        let (verdict, busy_ms) = match failure.signal {
            Signal::Failure => (Verdict::Failure, 0.0),
            Signal::Success | Signal::Declined => (Verdict::Success, 0.0),
            Signal::Nothing => (Verdict::Nothing, 0.0),
            // A status says that requests come too often, and the hint for how long.
            Signal::Busy(Duration::ZERO) => (Verdict::Nothing, failure.hint.map_or(0.0, cut)),
            Signal::Busy(hint) => (Verdict::Nothing, cut(hint)),
        };
        self.price = self.price.max(failure.signal.into());
        let pass = hedge.unwrap_or_else(|| std::mem::take(&mut self.pass));
        let recipe = &self.cell.recipe;
        let cools = busy_ms > 0.0 && recipe.cooldown.is_some();
        let pauses = busy_ms > 0.0 && recipe.limiter.is_some();
        let places = self.take_places(1);
        if pass.is_none() && !cools && !pauses && first.is_none() && places == 0 {
            return;
        }
        let time = self.ms(now);
        let own_until = self.cell.locked(|locked| {
            if pauses {
                locked.pause(time, busy_ms, policy.base_ms(), draw());
            }
            locked.free(places);
            let Some(time) = time else { return f64::NAN };
            let hint_ms = failure.hint.map_or(f64::NAN, cut);
            locked.ended(time, pass, verdict, hint_ms, &mut draw);
            locked.record(Some(time), first.map(Nanos::ms));
            if cools {
                locked.ask_to_wait(time, busy_ms)
            } else {
                f64::NAN
            }
        });
        // Another failure of the round may have set it.
        if !own_until.is_nan() {
            self.own_until = own_until;
        }
    }

    /// An attempt failed and made progress: the tokens of the retry that it was go back, as after a success.
    pub(in crate::retry) fn progressed(&mut self) {
        let taken = std::mem::take(&mut self.spent);
        if taken > 0.0 {
            self.cell.locked(|locked| locked.refund(taken));
        }
    }

    /// Before the wait that a retry follows: returns it, or a longer one if others are held longer. Takes the tokens.
    pub(in crate::retry) fn retry(
        &mut self,
        now: Nanos,
        delay: Duration,
        remaining: Nanos,
        policy: &RetryPolicy,
        draw: impl FnOnce() -> f64,
    ) -> Result<Duration, StopReason> {
        let delay_ms = ms_from_duration(delay);
        let plan = Plan {
            delay_ms,
            remaining,
            policy,
            price: self.price,
            own_until: self.own_until,
            place: self.limited.as_ref().map(|limited| limited.place),
        };
        let time = self.ms(now);
        match self.cell.locked(|locked| locked.retry(time, plan, draw)) {
            Ok((longer_ms, taken)) => {
                self.taken = taken;
                let longer = (longer_ms > delay_ms).then(|| duration_from_ms(longer_ms));
                Ok(longer.unwrap_or(delay))
            }
            Err(rejection) => {
                self.rejection = Some(rejection);
                Err(rejection.by)
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
