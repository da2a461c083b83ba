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
use super::operation::{Limit, Started};
use super::parts::Parts;
use super::rounds::{End, EndOf, PartsOf, Rounds, SleepOf, Time, Types};
use super::waiting::Limited;
use super::{AttemptError, Callback, Outcome, Sleeper, TryFuture};

/// Rounds of an attempt and a hedge.
#[derive(Debug)]
pub struct Races;

pin_project! {
    /// A round with a hedge, or with one to come.
    pub struct Race<Fut, Sleep> {
        #[pin]
        attempt: Option<Lane<Fut, Sleep>>,
        #[pin]
        hedge: Option<Lane<Fut, Sleep>>,
        // Until the hedge is due.
        #[pin]
        timer: Option<Sleep>,
        // Whether the hedge is polled first: they take turns, because one that is always ready leaves the other
        // nothing of what a runtime lets a task do in a poll.
        turned: bool,
    }
}

pin_project! {
    /// An attempt that runs.
    struct Lane<Fut, Sleep> {
        started: Started,
        #[pin]
        limited: Limited<Fut, Sleep>,
    }
}

/// An attempt that has ended.
struct Ended<T, E> {
    started: Started,
    limit: Option<Limit>,
    outcome: Result<T, AttemptError<E>>,
}

/// Polls an attempt if there is one, and drops it when it has ended.
fn poll_lane<Fut: TryFuture, Sleep: Future>(
    mut lane: Pin<&mut Option<Lane<Fut, Sleep>>>,
    cx: &mut Context<'_>,
) -> Poll<Ended<Fut::Ok, Fut::Error>> {
    let Some(running) = lane.as_mut().as_pin_mut() else {
        return Poll::Pending;
    };
    let running = running.project();
    let (started, limit) = (*running.started, running.limited.limit);
    // Hedged attempts have no state.
    let outcome = ready!(running.limited.poll(cx, drop));
    lane.set(None);
    Poll::Ready(Ended {
        started,
        limit,
        outcome,
    })
}

impl Rounds for Races {
    type Round<Fut, Sleep> = Race<Fut, Sleep>;

    fn start<O: Types>(parts: &mut PartsOf<O>, now: Duration) -> Race<O::Attempt, SleepOf<O>> {
        let attempt = parts.operation.begin(now);
        let delay = parts.operation.hedge_delay(now);
        Race {
            attempt: Some(Lane {
                started: parts.operation.last(),
                limited: parts.limited(attempt),
            }),
            hedge: None,
            timer: delay.map(|delay| parts.sleeper.sleep(delay)),
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
            poll_lane(round.as_mut().project().hedge, cx)
        } else {
            Poll::Pending
        };
        loop {
            let this = round.as_mut().project();
            let (mut attempt, mut hedge, mut timer) = (this.attempt, this.hedge, this.timer);
            // Before the attempts: see `Limited`.
            let due = timer.as_mut().as_pin_mut();
            let due = due.is_some_and(|due| due.poll(cx).is_ready());
            let (ended, mut other) = if let Poll::Ready(ended) = poll_lane(attempt.as_mut(), cx) {
                timer.set(None);
                (ended, hedge)
            } else if let Poll::Ready(ended) = mem::replace(&mut early, Poll::Pending) {
                (ended, attempt)
            } else if let Poll::Ready(ended) = poll_lane(hedge.as_mut(), cx) {
                (ended, attempt)
            } else if due {
                timer.set(None);
                let now = time.now(&parts.sleeper);
                hedge.set(parts.start_hedge(now));
                continue;
            } else {
                *this.turned = !*this.turned;
                return Poll::Pending;
            };
            let started = ended.started;
            let running = other.as_ref().as_pin_ref().map(|lane| lane.started);
            let running = match &early {
                Poll::Ready(early) => Some(early.started),
                Poll::Pending => running,
            };
            let (error, running) = match (ended.outcome, running) {
                (Ok(value), running) => {
                    return Poll::Ready(End::Success(value, started, running));
                }
                (Err(error), None) => {
                    time.passed.add_limit(&error, ended.limit);
                    return Poll::Ready(End::Failure(Last::alone(started, error)));
                }
                (Err(error), Some(running)) => (error, running),
            };
            let now = time.now(&parts.sleeper);
            let (hooks, operation) = (&mut parts.hooks, &mut parts.operation);
            if let Some(last) = operation.fail_beside(started, running, error, hooks, now) {
                return Poll::Ready(End::Failure(last));
            }
            // There is an outcome to return at the deadline now, also if that spares a first attempt.
            if let Some(limit) = operation.late_limit(now) {
                let timer = parts.sleeper.sleep(limit.after);
                if let Some(lane) = other.as_mut().as_pin_mut() {
                    lane.project().limited.end_at(limit, timer);
                }
            }
        }
    }
}

impl<F, M: Outcome, S: Sleeper, H> Parts<F, M, S, H> {
    /// Starts the hedge that is due, unless something forbids it.
    fn start_hedge<Fut: Future>(&mut self, now: Duration) -> Option<Lane<Fut, S::Sleep>>
    where
        F: Callback<Fut>,
    {
        if !self.callback.can_hedge() {
            return None;
        }
        let (attempt, started) = self.operation.begin_hedge(now)?;
        Some(Lane {
            started,
            limited: self.limited(attempt),
        })
    }
}
