//! Rounds: what an operation does between two waits. A round is an attempt, and with hedging also its hedge.

use core::pin::Pin;
use core::task::{Context, Poll, ready};

use super::nanos::Nanos;
use super::parts::Parts;
use super::row::{Begun, Started};
use super::waiting::{Limited, Passed};
use super::{Attempt, AttemptError, Callback, Hooks, Outcome, Sleeper, TryFuture};
use crate::StopReason;

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
pub(super) type ValueOf<O> = <<O as Types>::Attempt as TryFuture>::Ok;
pub(super) type SleepOf<O> = <<O as Types>::Sleeper as Sleeper>::Sleep;
pub(super) type EndOf<O, R> = (
    Result<ValueOf<O>, AttemptError<ErrorOf<O>>>,
    <R as Rounds>::Ended,
);
pub(super) type PartsOf<O> = Parts<
    <O as Types>::Callback,
    <O as Types>::Outcome,
    <O as Types>::Sleeper,
    <O as Types>::Hooks,
>;

/// How the rounds of an operation run: [`Single`], or [`Races`](super::race::Races).
pub trait Rounds {
    /// Whether two attempts may run at a time.
    const PAIRS: bool = false;

    /// Facts about the end of a round, beside its outcome.
    type Ended: Ended;

    /// A round that runs.
    type Round<Fut, Sleep>;

    /// Starts the first attempt of a round.
    fn start<O: Types>(parts: &mut PartsOf<O>, now: Nanos) -> Self::Round<O::Attempt, SleepOf<O>>;

    /// Runs until the round has ended. The caller drops it before anything else happens.
    fn poll<O: Types>(
        round: Pin<&mut Self::Round<O::Attempt, SleepOf<O>>>,
        parts: &mut PartsOf<O>,
        time: Time<'_>,
        cx: &mut Context<'_>,
    ) -> Poll<EndOf<O, Self>>;
}

/// The rounds of an operation with this form of failure.
pub(super) type RoundsOf<M> = <M as Outcome>::Rounds;
pub(super) type Round<M, Fut, Sleep> = <RoundsOf<M> as Rounds>::Round<Fut, Sleep>;

/// Facts about the end of a round, beside its outcome.
pub trait Ended: Copy {
    /// The attempt with that outcome. `last`: the one that was started last.
    fn attempt(self, last: Begun) -> Started;

    /// The attempt that was running beside it.
    fn other(self) -> Option<Started>;

    /// Why and when a failure ended the operation, although another attempt was running.
    fn stopped(self) -> Option<(StopReason, Nanos)>;
}

/// The end of a round of one attempt.
impl Ended for () {
    #[inline]
    fn attempt(self, last: Begun) -> Started {
        last.started(None)
    }

    #[inline]
    fn other(self) -> Option<Started> {
        None
    }

    #[inline]
    fn stopped(self) -> Option<(StopReason, Nanos)> {
        None
    }
}

/// The time of an operation while it is polled.
#[derive(Debug)]
pub struct Time<'a> {
    /// Whether anything needs it.
    pub(super) timed: bool,
    pub(super) passed: &'a mut Passed,
}

impl Time<'_> {
    pub(super) fn now(&self, sleeper: &impl Sleeper) -> Nanos {
        self.passed.read(self.timed, || sleeper.now())
    }
}

/// Rounds of one attempt without limits.
#[derive(Debug)]
pub struct Bare;

impl Rounds for Bare {
    type Ended = ();
    type Round<Fut, Sleep> = Fut;

    #[inline]
    fn start<O: Types>(parts: &mut PartsOf<O>, now: Nanos) -> O::Attempt {
        let attempt = parts.operation.begin(now);
        parts.callback.start(attempt)
    }

    fn poll<O: Types>(
        round: Pin<&mut O::Attempt>,
        parts: &mut PartsOf<O>,
        _: Time<'_>,
        cx: &mut Context<'_>,
    ) -> Poll<EndOf<O, Self>> {
        let (outcome, state) = O::Attempt::split(ready!(round.poll(cx)));
        parts.callback.put_back(state);
        Poll::Ready((outcome.map_err(AttemptError::Error), ()))
    }
}

/// Rounds of one attempt.
#[derive(Debug)]
pub struct Single;

impl Rounds for Single {
    type Ended = ();
    type Round<Fut, Sleep> = Limited<Fut, Sleep>;

    fn start<O: Types>(parts: &mut PartsOf<O>, now: Nanos) -> Limited<O::Attempt, SleepOf<O>> {
        let attempt = parts.operation.begin(now);
        parts.limited(attempt)
    }

    fn poll<O: Types>(
        round: Pin<&mut Limited<O::Attempt, SleepOf<O>>>,
        parts: &mut PartsOf<O>,
        time: Time<'_>,
        cx: &mut Context<'_>,
    ) -> Poll<EndOf<O, Self>> {
        let (callback, operation) = (&mut parts.callback, &parts.operation);
        let put_back = |state| callback.put_back(state);
        let outcome = ready!(round.poll(cx, put_back, |limit| operation.timeout(limit)));
        if let Err(error) = &outcome {
            time.passed.add_limit(error, operation.deadline());
        }
        Poll::Ready((outcome, ()))
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
        let timer = limit.map(|(limit, after)| (limit, self.sleeper.sleep(after)));
        Limited::new(timer, self.callback.start(attempt))
    }
}
