//! Rounds with hedges: an attempt, and a second one that starts if the first is slow. The first success of both wins.
//! If both fail, the round has failed.
//!
//! Both futures are polled in the task of the operation, so there is nothing to spawn.

use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use super::nanos::Nanos;
use super::operation::Operation;
use super::parts::Parts;
use super::protection::Pass;
use super::rounds::{EndOf, Ended, ErrorOf, PartsOf, Rounds, SleepOf, Time, Types, ValueOf};
use super::row::{Begun, Started};
use super::waiting::Limited;
use super::{AttemptError, Callback, Hooks, Outcome, Sleeper};
use crate::StopReason;

/// Rounds of an attempt and a hedge.
#[derive(Debug)]
pub struct Races;

pin_project! {
    /// A round with a hedge, or with one to come.
    pub struct Race<Fut, Sleep> {
        first: Begun,
        #[pin]
        attempt: Option<Limited<Fut, Sleep>>,
        #[pin]
        hedge: Hedge<Fut, Sleep>,
        // Whether the hedge is polled first: they take turns, because one that is always ready leaves the other
        // nothing of what a runtime lets a task do in a poll.
        turned: bool,
    }
}

pin_project! {
    #[project = HedgeProjection]
    enum Hedge<Fut, Sleep> {
        // It starts when this timer ends.
        Due { #[pin] timer: Sleep },
        // The last attempt that was started.
        Running { pass: Pass, #[pin] limited: Limited<Fut, Sleep> },
        None,
    }
}

/// The end of a round with a hedge.
#[derive(Debug, Clone, Copy)]
pub struct Pair {
    ended: Started,
    running: Option<Started>,
    stopped: Option<(StopReason, Nanos)>,
}

impl Ended for Pair {
    fn attempt(self, _: Begun) -> Started {
        self.ended
    }

    fn other(self) -> Option<Started> {
        self.running
    }

    fn stopped(self) -> Option<(StopReason, Nanos)> {
        self.stopped
    }
}

/// An attempt that has ended.
type EndedAttempt<O> = (Started, Result<ValueOf<O>, AttemptError<ErrorOf<O>>>);

/// Polls the first attempt if it is running, and drops it when it has ended.
fn poll_attempt<O: Types>(
    round: Pin<&mut Race<O::Attempt, SleepOf<O>>>,
    operation: &Operation<O::Outcome>,
    cx: &mut Context<'_>,
) -> Poll<EndedAttempt<O>> {
    let mut this = round.project();
    let Some(running) = this.attempt.as_mut().as_pin_mut() else {
        return Poll::Pending;
    };
    // Hedged attempts have no state.
    let outcome = ready!(running.poll(cx, drop, |limit| operation.timeout(limit)));
    this.attempt.set(None);
    Poll::Ready((this.first.started(None), outcome))
}

/// The same for the hedge.
fn poll_hedge<O: Types>(
    round: Pin<&mut Race<O::Attempt, SleepOf<O>>>,
    operation: &Operation<O::Outcome>,
    cx: &mut Context<'_>,
) -> Poll<EndedAttempt<O>> {
    let mut hedge = round.project().hedge;
    let HedgeProjection::Running { pass, limited } = hedge.as_mut().project() else {
        return Poll::Pending;
    };
    let pass = Some(*pass);
    let outcome = ready!(limited.poll(cx, drop, |limit| operation.timeout(limit)));
    hedge.set(Hedge::None);
    Poll::Ready((operation.last().started(pass), outcome))
}

impl<Fut, Sleep> Race<Fut, Sleep> {
    /// The attempt that is running, if only one is left.
    fn running<M>(&self, operation: &Operation<M>) -> Option<Started> {
        match (&self.attempt, &self.hedge) {
            (Some(_), _) => Some(self.first.started(None)),
            (None, Hedge::Running { pass, .. }) => Some(operation.last().started(Some(*pass))),
            (None, _) => None,
        }
    }
}

impl Rounds for Races {
    const PAIRS: bool = true;
    type Ended = Pair;
    type Round<Fut, Sleep> = Race<Fut, Sleep>;

    fn start<O: Types>(parts: &mut PartsOf<O>, now: Nanos) -> Race<O::Attempt, SleepOf<O>> {
        let attempt = parts.operation.begin(now);
        let delay = parts.operation.hedge_delay(now);
        Race {
            first: parts.operation.last(),
            attempt: Some(parts.limited(attempt)),
            hedge: delay.map_or(Hedge::None, |delay| Hedge::Due {
                timer: parts.sleeper.sleep(delay),
            }),
            turned: false,
        }
    }

    fn poll<O: Types>(
        mut round: Pin<&mut Race<O::Attempt, SleepOf<O>>>,
        parts: &mut PartsOf<O>,
        time: Time<'_>,
        cx: &mut Context<'_>,
    ) -> Poll<EndOf<O, Self>> {
        let mut early = if round.turned {
            poll_hedge::<O>(round.as_mut(), &parts.operation, cx)
        } else {
            Poll::Pending
        };
        loop {
            // Before the attempts: see `Limited`.
            let due = match round.as_mut().project().hedge.project() {
                HedgeProjection::Due { timer } => timer.poll(cx).is_ready(),
                _ => false,
            };
            let operation = &parts.operation;
            let (started, outcome) =
                if let Poll::Ready(ended) = poll_attempt::<O>(round.as_mut(), operation, cx) {
                    if let Hedge::Due { .. } = round.hedge {
                        round.as_mut().project().hedge.set(Hedge::None);
                    }
                    ended
                } else if let Poll::Ready(ended) = mem::replace(&mut early, Poll::Pending) {
                    ended
                } else if let Poll::Ready(ended) = poll_hedge::<O>(round.as_mut(), operation, cx) {
                    ended
                } else if due {
                    let hedge = parts.start_hedge(time.now(&parts.sleeper));
                    round.as_mut().project().hedge.set(hedge);
                    continue;
                } else {
                    *round.project().turned ^= true;
                    return Poll::Pending;
                };
            let running = match &early {
                Poll::Ready((early, _)) => Some(*early),
                Poll::Pending => round.running(operation),
            };
            let mut pair = Pair {
                ended: started,
                running,
                stopped: None,
            };
            let error = match (outcome, running) {
                (Ok(value), _) => return Poll::Ready((Ok(value), pair)),
                (Err(error), None) => {
                    time.passed.add_limit(&error, operation.deadline());
                    return Poll::Ready((Err(error), pair));
                }
                (Err(error), Some(_)) => error,
            };
            let now = time.now(&parts.sleeper);
            let (hooks, operation) = (&mut parts.hooks, &mut parts.operation);
            if let Err((reason, error)) = operation.fail_in_round(started, error, hooks, now) {
                pair.stopped = Some((reason, now));
                return Poll::Ready((Err(error), pair));
            }
            // There is an outcome to return at the deadline now, also if that spares a first attempt.
            if let Some(after) = operation.late_limit(now) {
                let timer = parts.sleeper.sleep(after);
                let this = round.as_mut().project();
                if let Some(limited) = this.attempt.as_pin_mut() {
                    limited.end_at_deadline(timer);
                } else if let HedgeProjection::Running { limited, .. } = this.hedge.project() {
                    limited.end_at_deadline(timer);
                }
            }
        }
    }
}

impl<F, M: Outcome, S: Sleeper, H: Hooks<M::Attempt>> Parts<F, M, S, H> {
    /// Starts the hedge that is due, unless something forbids it.
    fn start_hedge<Fut>(&mut self, now: Nanos) -> Hedge<Fut, S::Sleep>
    where
        F: Callback<Fut>,
    {
        if !self.callback.can_hedge() {
            return Hedge::None;
        }
        match self.operation.begin_hedge(now, &mut self.hooks) {
            Some((attempt, pass)) => Hedge::Running {
                pass,
                limited: self.limited(attempt),
            },
            None => Hedge::None,
        }
    }
}
