//! Rounds with hedges: an attempt, and a second one that starts if the first is slow. The first success of both wins.
//! If both fail, the round has failed.
//!
//! Both futures are polled in the task of the operation, so there is nothing to spawn.

use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use pin_project_lite::pin_project;

use super::failure::Last;
use super::operation::{Begun, Operation, Started};
use super::parts::Parts;
use super::protection::Pass;
use super::rounds::{End, EndOf, ErrorOf, PartsOf, Rounds, SleepOf, Time, Types, ValueOf};
use super::waiting::Limited;
use super::{AttemptError, Callback, Outcome, Sleeper};

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

/// An attempt that has ended.
type Ended<O> = (Started, Result<ValueOf<O>, AttemptError<ErrorOf<O>>>);

/// Polls the first attempt if it is running, and drops it when it has ended.
fn poll_attempt<O: Types>(
    round: Pin<&mut Race<O::Attempt, SleepOf<O>>>,
    operation: &Operation<O::Outcome>,
    cx: &mut Context<'_>,
) -> Poll<Ended<O>> {
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
) -> Poll<Ended<O>> {
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
    type Round<Fut, Sleep> = Race<Fut, Sleep>;

    fn start<O: Types>(parts: &mut PartsOf<O>, now: Duration) -> Race<O::Attempt, SleepOf<O>> {
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
    ) -> Poll<EndOf<O>> {
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
            let (error, running) = match (outcome, running) {
                (Ok(value), running) => {
                    return Poll::Ready(End::Success(value, started, running));
                }
                (Err(error), None) => {
                    time.passed.add_limit(&error, operation.deadline());
                    return Poll::Ready(End::Failure(Last::alone(started, error)));
                }
                (Err(error), Some(running)) => (error, running),
            };
            let now = time.now(&parts.sleeper);
            let (hooks, operation) = (&mut parts.hooks, &mut parts.operation);
            if let Some(last) = operation.fail_in_round(started, running, error, hooks, now) {
                return Poll::Ready(End::Failure(last));
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

impl<F, M: Outcome, S: Sleeper, H> Parts<F, M, S, H> {
    /// Starts the hedge that is due, unless something forbids it.
    fn start_hedge<Fut>(&mut self, now: Duration) -> Hedge<Fut, S::Sleep>
    where
        F: Callback<Fut>,
    {
        if !self.callback.can_hedge() {
            return Hedge::None;
        }
        match self.operation.begin_hedge(now) {
            Some((attempt, pass)) => Hedge::Running {
                pass,
                limited: self.limited(attempt),
            },
            None => Hedge::None,
        }
    }
}
