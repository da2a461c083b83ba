//! The asynchronous form: attempts and waits as one future.

use core::fmt;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use super::limits::MaybeLimits;
use super::nanos::Nanos;
use super::operation::Step;
use super::parts::Parts;
use super::rounds::{Rounds, Time};
use super::sleeper::MaybeSleeper;
use super::waiting::{Passed, Pause};
use super::{Callback, DefaultSleeper, Hooks, Outcome, Protect, Sleeper, TryFuture};

type RoundsOf<M> = <<M as Outcome>::Protection as Protect>::Rounds;
type Round<M, Fut, Sleep> = <RoundsOf<M> as Rounds>::Round<
    Fut,
    <<M as Outcome>::Limits as MaybeLimits>::Timer<Sleep>,
    Sleep,
>;

pin_project! {
    /// An operation to be retried, and the future that does it: made by [`retry()`](crate::retry()),
    /// [`RetryExt::retry`](crate::RetryExt::retry),
    /// [`retry_with_attempt`](crate::retry_with_attempt) and [`retry_with`](crate::retry_with).
    ///
    /// Its output is `Result<T, E>` with the callback's own error, or `Result<T, RetryError<E>>` after
    /// [`report`](Self::report), [`protection`](Self::protection) or a timeout. It is `Send` if its callback,
    /// futures, sleeper, hooks and errors are. Nothing happens before it is polled,
    /// except that [`protection`](Self::protection) looks up the numbers of its key.
    ///
    /// After each failed attempt, in this order: [`when`](Self::when) is called, then
    /// [`hint`](Self::hint); then the attempt limit is checked, the wait is computed and compared with
    /// the deadline, and [`notify`](Self::notify) is called.
    ///
    /// Methods may be called in any order. Called again, they replace what they set before.
    ///
    /// The type parameters are the callback, its future, the form of the failure ([`Plain`](crate::Plain) or
    /// [`Reported`](crate::Reported)), the sleeper and the hooks.
    ///
    /// # Panics
    /// If it is polled after it returned its output.
    #[must_use = "futures do nothing unless awaited"]
    pub struct Retry<F, Fut, M, S = DefaultSleeper, H = ()>
    where
        M: Outcome,
        S: MaybeSleeper,
    {
        // Dropped first: what protects the operation outlives its attempts.
        #[pin]
        stage: Stage<Round<M, Fut, S::Sleep>, S::Sleep>,
        pub(super) parts: Parts<F, M, S, H>,
        passed: Passed,
    }
}

pin_project! {
    #[project = StageProjection]
    enum Stage<Round, Sleep> {
        // Before the first attempt.
        Ready,
        // During one, or two of a round.
        Attempting { #[pin] round: Round },
        // The wait between two rounds, or the hold before one.
        Waiting { #[pin] pause: Pause<Sleep> },
        // The output was returned.
        Over,
    }
}

impl<F, Fut, M: Outcome, S: MaybeSleeper, H> Retry<F, Fut, M, S, H> {
    #[inline]
    pub(super) fn new(parts: Parts<F, M, S, H>) -> Self {
        Self {
            stage: Stage::Ready,
            parts,
            passed: Passed::ZERO,
        }
    }

    pub(super) fn parts(self: Pin<&mut Self>) -> &mut Parts<F, M, S, H> {
        self.project().parts
    }
}

// The rest is printed by the operation, or cannot be printed.
#[allow(clippy::missing_fields_in_debug)]
impl<F, Fut, M: Outcome, S: MaybeSleeper, H> fmt::Debug for Retry<F, Fut, M, S, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stage = match self.stage {
            Stage::Ready => "Ready",
            Stage::Attempting { .. } => "Attempting",
            Stage::Waiting { .. } => "Waiting",
            Stage::Over => "Over",
        };
        let mut debug = f.debug_struct("Retry");
        debug.field("stage", &format_args!("{stage}"));
        self.parts.operation.debug(&mut debug)
    }
}

impl<F, Fut, M, S, H> Future for Retry<F, Fut, M, S, H>
where
    F: Callback<Fut>,
    Fut: TryFuture<Error = M::Attempt>,
    S: Sleeper,
    M: Outcome,
    H: Hooks<M::Attempt>,
{
    type Output = Result<Fut::Ok, M::Error>;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let parts = this.parts;
        let timed = parts.operation.is_timed::<H>(F::TIMED);
        // Before the loop, in which the compiler would have to forget what it knows of a new operation.
        // Through its projection: a shared reference to the whole stage would reach into the callback's future, which
        // may have references into itself.
        let mut due = match this.stage.as_mut().project() {
            StageProjection::Ready if timed => {
                let reading = this.passed.start(|| parts.sleeper.now());
                Some(parts.operation.start(reading))
            }
            StageProjection::Ready => Some(Nanos::ZERO),
            _ => None,
        };
        loop {
            if let Some(now) = due {
                let waker = || cx.waker().clone();
                match parts.operation.ready(now, &mut parts.hooks, &waker) {
                    Ok(Step::Begin) => {
                        let round = RoundsOf::<M>::start::<Fut, _>(parts, now);
                        this.stage.set(Stage::Attempting { round });
                    }
                    Ok(Step::Queue(turn)) => {
                        parts.callback.held();
                        let pause = Pause::for_turn(turn, &parts.sleeper);
                        this.stage.set(Stage::Waiting { pause });
                    }
                    Ok(Step::Hold(hold)) => {
                        parts.callback.held();
                        this.passed.add(hold);
                        let pause = Pause::new(hold, &parts.sleeper);
                        this.stage.set(Stage::Waiting { pause });
                    }
                    Err(error) => {
                        this.stage.set(Stage::Over);
                        return Poll::Ready(Err(error));
                    }
                }
            }
            due = match this.stage.as_mut().project() {
                StageProjection::Attempting { round } => {
                    let time = Time {
                        timed,
                        passed: this.passed,
                    };
                    let polled = RoundsOf::<M>::poll::<Fut, _>(round, parts, time, cx);
                    let (outcome, end) = ready!(polled);
                    // The attempts are dropped before anything else happens.
                    this.stage.set(Stage::Over);
                    let Parts {
                        sleeper,
                        hooks,
                        operation,
                        ..
                    } = &mut *parts;
                    // Known when it is compiled for who needs no time.
                    let clock = || {
                        if H::TIMED || H::MAY_BEGIN_AGAIN || F::TIMED || M::TIMED || M::Limits::ANY
                        {
                            this.passed.read(timed, || sleeper.now())
                        } else {
                            Nanos::ZERO
                        }
                    };
                    let error = match outcome {
                        Ok(value) => {
                            operation.succeed(end, clock);
                            if H::TIMED {
                                let elapsed = operation.since_start(clock());
                                hooks.success(operation.attempts, elapsed);
                            }
                            return Poll::Ready(Ok(value));
                        }
                        Err(error) => error,
                    };
                    let delay = match operation.fail_round(error, end, hooks, clock) {
                        Ok(delay) => delay,
                        Err(error) => return Poll::Ready(Err(error)),
                    };
                    if timed {
                        this.passed.add(delay);
                    }
                    let pause = Pause::new(delay, sleeper);
                    this.stage.set(Stage::Waiting { pause });
                    None
                }
                StageProjection::Waiting { pause } => {
                    if ready!(pause.poll(cx)) {
                        this.passed.add(parts.operation.waited_for_turn());
                    }
                    this.stage.set(Stage::Over);
                    Some(this.passed.read(timed, || parts.sleeper.now()))
                }
                StageProjection::Ready | StageProjection::Over => {
                    panic!("a retry was polled after it returned its output")
                }
            };
        }
    }
}
