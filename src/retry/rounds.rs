//! Rounds: what an operation does between two waits. A round is an attempt, and with hedging also its hedge.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use super::failure::Last;
use super::operation::Started;
use super::parts::Parts;
use super::protection::Protect;
use super::waiting::{Limited, Passed};
use super::{Attempt, Callback, Hooks, Outcome, Sleeper, TryFuture};

/// How the rounds of an operation run: [`Single`], or [`Races`](super::race::Races).
pub trait Rounds {
    /// A round that runs.
    type Round<Fut, Sleep>;

    /// Starts the first attempt of a round.
    fn start<F, Fut, M, S, H>(
        parts: &mut Parts<F, M, S, H>,
        now: Duration,
    ) -> Self::Round<Fut, S::Sleep>
    where
        F: Callback<Fut>,
        Fut: TryFuture<Error = M::Attempt>,
        M: Outcome,
        S: Sleeper;

    /// Runs until the round has ended. The caller drops it before anything else happens.
    fn poll<F, Fut, M, S, H>(
        round: Pin<&mut Self::Round<Fut, S::Sleep>>,
        parts: &mut Parts<F, M, S, H>,
        time: Time<'_>,
        cx: &mut Context<'_>,
    ) -> Poll<End<Fut::Ok, M::Attempt>>
    where
        F: Callback<Fut>,
        Fut: TryFuture<Error = M::Attempt>,
        M: Outcome,
        S: Sleeper,
        H: Hooks<M::Attempt>;
}

/// The rounds of an operation with this form of failure.
pub(super) type RoundsOf<M> = <<M as Outcome>::Protection as Protect>::Rounds;
pub(super) type Round<M, Fut, Sleep> = <RoundsOf<M> as Rounds>::Round<Fut, Sleep>;

/// How a round ended.
#[derive(Debug)]
pub enum End<T, E> {
    /// With the value of this attempt, while the other one may have been running.
    Success(T, Started, Option<Started>),
    Failure(Last<E>),
}

/// The time of an operation while it is polled.
#[derive(Debug)]
pub struct Time<'a> {
    /// Whether anything needs it.
    pub(super) timed: bool,
    pub(super) passed: &'a mut Passed,
}

impl Time<'_> {
    pub(super) fn now(&self, sleeper: &impl Sleeper) -> Duration {
        self.passed.read(self.timed, || sleeper.now())
    }
}

/// Rounds of one attempt.
#[derive(Debug)]
pub struct Single;

impl Rounds for Single {
    type Round<Fut, Sleep> = Limited<Fut, Sleep>;

    fn start<F, Fut, M, S, H>(
        parts: &mut Parts<F, M, S, H>,
        now: Duration,
    ) -> Limited<Fut, S::Sleep>
    where
        F: Callback<Fut>,
        Fut: TryFuture<Error = M::Attempt>,
        M: Outcome,
        S: Sleeper,
    {
        let attempt = parts.operation.begin(now);
        parts.limited(attempt)
    }

    fn poll<F, Fut, M, S, H>(
        round: Pin<&mut Limited<Fut, S::Sleep>>,
        parts: &mut Parts<F, M, S, H>,
        time: Time<'_>,
        cx: &mut Context<'_>,
    ) -> Poll<End<Fut::Ok, M::Attempt>>
    where
        F: Callback<Fut>,
        Fut: TryFuture<Error = M::Attempt>,
        M: Outcome,
        S: Sleeper,
        H: Hooks<M::Attempt>,
    {
        let limit = round.limit;
        let outcome = ready!(round.poll(cx));
        let started = parts.operation.last();
        Poll::Ready(match outcome {
            Ok(value) => End::Success(value, started, None),
            Err(error) => {
                time.passed.add_limit(&error, limit);
                End::Failure(Last::alone(started, error))
            }
        })
    }
}

impl<F, M: Outcome, S: Sleeper, H> Parts<F, M, S, H> {
    /// Calls the callback for an attempt that has started.
    pub(super) fn limited<Fut>(&mut self, attempt: Attempt) -> Limited<Fut, S::Sleep>
    where
        F: Callback<Fut>,
    {
        // The limit counts from here.
        let limit = self.operation.limit();
        let timer = limit.map(|limit| self.sleeper.sleep(limit.after));
        Limited::new(limit, timer, self.callback.start(attempt))
    }
}
