//! Rounds: what an operation does between two waits. A round is an attempt, and with hedging also its hedge.

use core::pin::Pin;
use core::task::{Context, Poll, ready};
use core::time::Duration;

use super::limits::{Limit, LimitTimer};
use super::nanos::Nanos;
use super::protection::Pass;
use super::row::{Begun, Started};
use super::waiting::{Limited, Passed};
use super::{Attempt, AttemptError, Sleeper, TryFuture};
use crate::StopReason;

/// An operation as its rounds know it.
pub trait Attempts<Fut: TryFuture> {
    type Sleeper: Sleeper;

    /// The timer of an attempt.
    type Timer: LimitTimer;

    fn sleeper(&self) -> &Self::Sleeper;

    /// The attempt that was started last.
    fn last(&self) -> Begun;

    /// The end of the operation.
    fn deadline(&self) -> Nanos;

    /// Counts an attempt, with which a round starts.
    fn begin(&mut self, now: Nanos) -> Attempt;

    /// Calls the callback for it.
    fn call(&mut self, attempt: Attempt) -> Limited<Fut, Self::Timer>;

    /// The outcome of an attempt that has ended, or of its limit.
    fn ended(&mut self, end: Result<Fut::Output, Limit>) -> OutcomeOf<Fut>;

    /// How long after the attempt that starts its hedge is due. `None` if none may start.
    fn hedge_delay(&mut self, now: Nanos) -> Option<Duration>;

    /// Starts the hedge that is due, unless something forbids it.
    fn start_hedge(&mut self, now: Nanos) -> Option<(Pass, Limited<Fut, Self::Timer>)>;

    /// After an attempt failed while another of its round is running. Returns its error, and why, if the operation
    /// ends.
    fn fail_in_round(
        &mut self,
        started: Started,
        error: AttemptError<Fut::Error>,
        ended: Nanos,
    ) -> Result<(), (StopReason, AttemptError<Fut::Error>)>;

    /// The deadline's timer for an attempt of the first round that goes on after the other one has failed, if it had no
    /// such limit.
    fn late_timer(&mut self, now: Nanos) -> Option<Self::Timer>;
}

pub(super) type OutcomeOf<Fut> =
    Result<<Fut as TryFuture>::Ok, AttemptError<<Fut as TryFuture>::Error>>;

/// How the rounds of an operation run: [`Single`], or [`Races`](super::race::Races).
pub trait Rounds {
    /// Whether two attempts may run at a time.
    const PAIRS: bool = false;

    /// Facts about the end of a round, beside its outcome.
    type Ended: Ended;

    /// A round that runs.
    type Round<Fut, Timer, Sleep>;

    /// Starts the first attempt of a round.
    fn start<Fut: TryFuture, O: Attempts<Fut>>(
        operation: &mut O,
        now: Nanos,
    ) -> RoundOf<Self, Fut, O>;

    /// Runs until the round has ended. The caller drops it before anything else happens.
    fn poll<Fut: TryFuture, O: Attempts<Fut>>(
        round: Pin<&mut RoundOf<Self, Fut, O>>,
        operation: &mut O,
        time: Time<'_>,
        cx: &mut Context<'_>,
    ) -> Poll<(OutcomeOf<Fut>, Self::Ended)>;
}

pub(super) type RoundOf<R, Fut, O> = <R as Rounds>::Round<
    Fut,
    <O as Attempts<Fut>>::Timer,
    <<O as Attempts<Fut>>::Sleeper as Sleeper>::Sleep,
>;

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

/// Rounds of one attempt.
#[derive(Debug)]
pub struct Single;

impl Rounds for Single {
    type Ended = ();
    type Round<Fut, Timer, Sleep> = Limited<Fut, Timer>;

    #[inline]
    fn start<Fut: TryFuture, O: Attempts<Fut>>(
        operation: &mut O,
        now: Nanos,
    ) -> Limited<Fut, O::Timer> {
        let attempt = operation.begin(now);
        operation.call(attempt)
    }

    fn poll<Fut: TryFuture, O: Attempts<Fut>>(
        round: Pin<&mut Limited<Fut, O::Timer>>,
        operation: &mut O,
        time: Time<'_>,
        cx: &mut Context<'_>,
    ) -> Poll<(OutcomeOf<Fut>, ())> {
        let outcome = operation.ended(ready!(round.poll(cx)));
        if let Err(error) = &outcome {
            time.passed.add_limit(error, operation.deadline());
        }
        Poll::Ready((outcome, ()))
    }
}
