//! Rounds with hedges: an attempt, and a second one that starts if the first is slow. The first success of both wins.
//! If both fail, the round has failed.
//!
//! Both futures are polled in the task of the operation, so there is nothing to spawn.

use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use super::nanos::Nanos;
use super::protection::Pass;
use super::rounds::{Attempts, Ended, OutcomeOf, RoundOf, Rounds, Time};
use super::row::{Begun, Started};
use super::waiting::Limited;
use super::{Sleeper, TryFuture};
use crate::StopReason;

/// Rounds of an attempt and a hedge.
#[derive(Debug)]
pub struct Races;

pin_project! {
    /// A round with a hedge, or with one to come.
    pub struct Race<Fut, Timer, Sleep> {
        first: Begun,
        #[pin]
        attempt: Option<Limited<Fut, Timer>>,
        #[pin]
        hedge: Hedge<Fut, Timer, Sleep>,
        // Whether the hedge is polled first: they take turns, because one that is always ready leaves the other
        // nothing of what a runtime lets a task do in a poll.
        turned: bool,
    }
}

pin_project! {
    #[project = HedgeProjection]
    enum Hedge<Fut, Timer, Sleep> {
        // It starts when this timer ends.
        Due { #[pin] timer: Sleep },
        // The last attempt that was started.
        Running { pass: Pass, #[pin] limited: Limited<Fut, Timer> },
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
type EndedAttempt<Fut> = (Started, OutcomeOf<Fut>);

/// Polls the first attempt if it is running, and drops it when it has ended.
fn poll_attempt<Fut: TryFuture, O: Attempts<Fut>>(
    round: Pin<&mut RoundOf<Races, Fut, O>>,
    operation: &mut O,
    cx: &mut Context<'_>,
) -> Poll<EndedAttempt<Fut>> {
    let mut this = round.project();
    let Some(running) = this.attempt.as_mut().as_pin_mut() else {
        return Poll::Pending;
    };
    let outcome = operation.ended(ready!(running.poll(cx)));
    this.attempt.set(None);
    Poll::Ready((this.first.started(None), outcome))
}

/// The same for the hedge.
fn poll_hedge<Fut: TryFuture, O: Attempts<Fut>>(
    round: Pin<&mut RoundOf<Races, Fut, O>>,
    operation: &mut O,
    cx: &mut Context<'_>,
) -> Poll<EndedAttempt<Fut>> {
    let mut hedge = round.project().hedge;
    let HedgeProjection::Running { pass, limited } = hedge.as_mut().project() else {
        return Poll::Pending;
    };
    let pass = Some(*pass);
    let outcome = operation.ended(ready!(limited.poll(cx)));
    hedge.set(Hedge::None);
    Poll::Ready((operation.last().started(pass), outcome))
}

impl<Fut, Timer, Sleep> Race<Fut, Timer, Sleep> {
    /// The attempt that is running, if only one is left. `last`: the one that was started last.
    fn running(self: Pin<&mut Self>, last: Begun) -> Option<Started> {
        let this = self.project();
        match (this.attempt.as_pin_mut(), this.hedge.project()) {
            (Some(_), _) => Some(this.first.started(None)),
            (None, HedgeProjection::Running { pass, .. }) => Some(last.started(Some(*pass))),
            (None, _) => None,
        }
    }
}

impl Rounds for Races {
    const PAIRS: bool = true;
    type Ended = Pair;
    type Round<Fut, Timer, Sleep> = Race<Fut, Timer, Sleep>;

    fn start<Fut: TryFuture, O: Attempts<Fut>>(
        operation: &mut O,
        now: Nanos,
    ) -> RoundOf<Self, Fut, O> {
        let attempt = operation.begin(now);
        let delay = operation.hedge_delay(now);
        Race {
            first: operation.last(),
            attempt: Some(operation.call(attempt)),
            hedge: delay.map_or(Hedge::None, |delay| Hedge::Due {
                timer: operation.sleeper().sleep(delay),
            }),
            turned: false,
        }
    }

    fn poll<Fut: TryFuture, O: Attempts<Fut>>(
        mut round: Pin<&mut RoundOf<Self, Fut, O>>,
        operation: &mut O,
        time: Time<'_>,
        cx: &mut Context<'_>,
    ) -> Poll<(OutcomeOf<Fut>, Pair)> {
        let mut early = if *round.as_mut().project().turned {
            poll_hedge(round.as_mut(), operation, cx)
        } else {
            Poll::Pending
        };
        loop {
            // Before the attempts: see `Limited`.
            let due = match round.as_mut().project().hedge.project() {
                HedgeProjection::Due { timer } => timer.poll(cx).is_ready(),
                _ => false,
            };
            let (started, outcome) =
                if let Poll::Ready(ended) = poll_attempt(round.as_mut(), operation, cx) {
                    let mut hedge = round.as_mut().project().hedge;
                    if let HedgeProjection::Due { .. } = hedge.as_mut().project() {
                        hedge.set(Hedge::None);
                    }
                    ended
                } else if let Poll::Ready(ended) = mem::replace(&mut early, Poll::Pending) {
                    ended
                } else if let Poll::Ready(ended) = poll_hedge(round.as_mut(), operation, cx) {
                    ended
                } else if due {
                    let started = operation.start_hedge(time.now(operation.sleeper()));
                    let hedge = started.map_or(Hedge::None, |(pass, limited)| Hedge::Running {
                        pass,
                        limited,
                    });
                    round.as_mut().project().hedge.set(hedge);
                    continue;
                } else {
                    *round.project().turned ^= true;
                    return Poll::Pending;
                };
            let running = match &early {
                Poll::Ready((early, _)) => Some(*early),
                Poll::Pending => round.as_mut().running(operation.last()),
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
            let now = time.now(operation.sleeper());
            if let Err((reason, error)) = operation.fail_in_round(started, error, now) {
                pair.stopped = Some((reason, now));
                return Poll::Ready((Err(error), pair));
            }
            // There is an outcome to return at the deadline now, also if that spares a first attempt.
            if let Some(timer) = operation.late_timer(now) {
                let this = round.as_mut().project();
                if let Some(limited) = this.attempt.as_pin_mut() {
                    limited.end_at(timer);
                } else if let HedgeProjection::Running { limited, .. } = this.hedge.project() {
                    limited.end_at(timer);
                }
            }
        }
    }
}
