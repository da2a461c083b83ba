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

/// The types of an operation that runs: of its callback, its attempts, the form of its failure, its sleeper and its
/// hooks.
pub trait Types {
    type Callback: Callback<Self::Attempt>;
    type Attempt: TryFuture<Error = ErrorOf<Self>>;
    type Outcome: Outcome;
    type Sleeper: Sleeper;
    type Hooks: Hooks<ErrorOf<Self>>;
}

impl<F, Fut, M, S, H> Types for (F, Fut, M, S, H)
where
    F: Callback<Fut>,
    Fut: TryFuture<Error = M::Attempt>,
    M: Outcome,
    S: Sleeper,
    H: Hooks<M::Attempt>,
{
    type Callback = F;
    type Attempt = Fut;
    type Outcome = M;
    type Sleeper = S;
    type Hooks = H;
}

/// The error of the callback.
pub(super) type ErrorOf<O> = <<O as Types>::Outcome as Outcome>::Attempt;
type ValueOf<O> = <<O as Types>::Attempt as TryFuture>::Ok;
pub(super) type SleepOf<O> = <<O as Types>::Sleeper as Sleeper>::Sleep;
pub(super) type EndOf<O> = End<ValueOf<O>, ErrorOf<O>>;
pub(super) type PartsOf<O> = Parts<
    <O as Types>::Callback,
    <O as Types>::Outcome,
    <O as Types>::Sleeper,
    <O as Types>::Hooks,
>;

/// How the rounds of an operation run: [`Single`], or [`Races`](super::race::Races).
pub trait Rounds {
    /// A round that runs.
    type Round<Fut, Sleep>;

    /// Starts the first attempt of a round.
    fn start<O: Types>(
        parts: &mut PartsOf<O>,
        now: Duration,
    ) -> Self::Round<O::Attempt, SleepOf<O>>;

    /// Runs until the round has ended. The caller drops it before anything else happens.
    fn poll<O: Types>(
        round: Pin<&mut Self::Round<O::Attempt, SleepOf<O>>>,
        parts: &mut PartsOf<O>,
        time: Time<'_>,
        cx: &mut Context<'_>,
    ) -> Poll<EndOf<O>>;
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

    fn start<O: Types>(parts: &mut PartsOf<O>, now: Duration) -> Limited<O::Attempt, SleepOf<O>> {
        let attempt = parts.operation.begin(now);
        parts.limited(attempt)
    }

    fn poll<O: Types>(
        round: Pin<&mut Limited<O::Attempt, SleepOf<O>>>,
        parts: &mut PartsOf<O>,
        time: Time<'_>,
        cx: &mut Context<'_>,
    ) -> Poll<EndOf<O>> {
        let limit = round.limit;
        let outcome = ready!(round.poll(cx, |state| parts.callback.put_back(state)));
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
