//! The blocking form, for threads.

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;
use std::task::{Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

#[cfg(feature = "protection")]
use super::Signal;
use super::limits::Cuts;
use super::nanos::Nanos;
use super::operation::Step;
use super::parts::Parts;
use super::protection::Turn;
#[cfg(feature = "protection")]
use super::protection::{Protected, Protection};
use super::settings::setters;
use super::sleeper::{SleepFn, sleep_fn};
use super::verdict::IntoVerdict;
use super::waiting::Passed;
use super::{
    Attempt, AttemptError, BlockingSleeper, Callback, FailureEvent, Hooks, Outcome, Plain, Protect,
    Reported, ThreadSleeper, WithAttempt, hooks,
};
use crate::core::{RetryPolicy, Seed};

/// Retries a blocking operation until it succeeds or the policy stops it. Between attempts the
/// thread sleeps. As [`retry()`](crate::retry()), but started by [`BlockingRetry::call`]. Not in wasm
/// files for JavaScript hosts, where a thread cannot sleep.
///
/// ```
/// use rejitter::{RetryPolicy, retry_blocking};
/// use std::io;
/// use std::time::Duration;
///
/// const POLICY: RetryPolicy = RetryPolicy::exponential()
///     .with_base(Duration::from_millis(1))
///     .with_max_attempts(4);
/// let mut calls = 0;
/// let answer = retry_blocking(POLICY, || {
///     calls += 1;
///     if calls < 3 { Err(io::Error::other("busy")) } else { Ok("hello") }
/// })
/// .when(|error| error.kind() != io::ErrorKind::NotFound)
/// .total_timeout(Duration::from_secs(10))
/// .call()?;
/// assert_eq!((answer, calls), ("hello", 3));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn retry_blocking<F: FnMut() -> R, R: BlockingOutput>(
    policy: impl Borrow<RetryPolicy>,
    callback: F,
) -> R::Operation<F> {
    R::operation(*policy.borrow(), callback)
}

/// The output of an attempt of [`retry_blocking`]. Only `Result` implements it.
#[diagnostic::on_unimplemented(
    message = "the callback of `retry_blocking` must return a `Result`",
    label = "returns no `Result`",
    note = "for an `async fn`, or another function that returns a future, call `retry`"
)]
pub trait BlockingOutput: Sized {
    /// The [`BlockingRetry`] of such attempts: see [`StatefulFuture::Operation`](super::StatefulFuture::Operation).
    type Operation<F>;

    #[doc(hidden)]
    fn operation<F>(policy: RetryPolicy, callback: F) -> Self::Operation<F>;
}

#[diagnostic::do_not_recommend]
impl<T, E> BlockingOutput for Result<T, E> {
    type Operation<F> = BlockingRetry<F, Plain<E>>;

    #[inline]
    fn operation<F>(policy: RetryPolicy, callback: F) -> Self::Operation<F> {
        BlockingRetry {
            parts: Parts::new(policy, callback, ThreadSleeper),
        }
    }
}

/// Like [`retry_blocking`], for a callback that needs to know which attempt it is.
///
/// ```
/// use rejitter::{RetryPolicy, retry_blocking_with_attempt};
/// use std::time::Duration;
///
/// let policy = RetryPolicy::fixed(Duration::from_millis(1));
/// let number = retry_blocking_with_attempt(policy, |attempt| {
///     if attempt.attempt < 3 { Err("not yet") } else { Ok(attempt.attempt) }
/// })
/// .call();
/// assert_eq!(number, Ok(3));
/// ```
pub fn retry_blocking_with_attempt<F, T, E>(
    policy: impl Borrow<RetryPolicy>,
    callback: F,
) -> BlockingRetry<WithAttempt<F>, Plain<E>>
where
    F: FnMut(Attempt) -> Result<T, E>,
{
    <Result<T, E>>::operation(*policy.borrow(), WithAttempt(callback))
}

/// Adds [`retry_blocking`](BlockingRetryExt::retry_blocking) to every function and closure that
/// [`retry_blocking()`] accepts.
///
/// ```
/// use rejitter::{BlockingRetryExt, RetryPolicy};
///
/// let read = || std::fs::read_to_string("Cargo.toml");
/// let text = read.retry_blocking(RetryPolicy::default()).call()?;
/// assert!(text.contains("rejitter"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub trait BlockingRetryExt<T, E>: FnMut() -> Result<T, E> + Sized {
    /// Retries this callback: [`retry_blocking()`] in the order of method calls.
    fn retry_blocking(self, policy: impl Borrow<RetryPolicy>) -> BlockingRetry<Self, Plain<E>> {
        <Result<T, E>>::operation(*policy.borrow(), self)
    }
}

impl<F: FnMut() -> Result<T, E>, T, E> BlockingRetryExt<T, E> for F {}

/// A blocking operation to be retried, made by [`retry_blocking`] and run by [`call`](Self::call).
///
/// Everything else is as in [`Retry`](crate::Retry), except that nothing can end an attempt from outside:
/// there is no attempt timeout.
///
/// ```compile_fail
/// # use rejitter::{RetryPolicy, retry_blocking};
/// # use std::time::Duration;
/// let _ = retry_blocking(RetryPolicy::default(), || Ok::<_, ()>(1)).attempt_timeout(Duration::ZERO);
/// ```
#[must_use = "nothing happens until it is called"]
pub struct BlockingRetry<F, M, S = ThreadSleeper, H = ()> {
    parts: Parts<F, M, S, H>,
}

impl<F, M: Outcome, S, H> fmt::Debug for BlockingRetry<F, M, S, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts
            .operation
            .debug(&mut f.debug_struct("BlockingRetry"))
    }
}

/// Wakes a thread that waits for a turn.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

impl Unpark {
    fn waker() -> Waker {
        Waker::from(Arc::new(Self(thread::current())))
    }

    /// Sleeps until the turn, if that is known, or until it is woken. Returns whether it has slept.
    fn wait(turn: Turn, sleeper: &impl BlockingSleeper) -> bool {
        let sleeps = turn.is_known();
        if sleeps {
            sleeper.sleep(turn.longest());
        } else {
            thread::park_timeout(turn.longest());
        }
        sleeps
    }
}

impl<F, M, S, H> BlockingRetry<F, M, S, H> {
    fn with<M2, S2, H2>(
        self,
        change: impl FnOnce(Parts<F, M, S, H>) -> Parts<F, M2, S2, H2>,
    ) -> BlockingRetry<F, M2, S2, H2> {
        BlockingRetry {
            parts: change(self.parts),
        }
    }
}

setters! {
    BlockingRetry<F>,
    sleeper: BlockingSleeper,
    bound: BlockingSleeper,
    deciders: [when, when_attempt](V: IntoVerdict),
}

impl<F, M: Outcome, S: BlockingSleeper, H> BlockingRetry<F, M, S, H> {
    /// Waits with this function, which returns after the duration. The clock is the system's.
    ///
    /// Examples: [`guide::runtimes`](crate::guide::runtimes).
    pub fn sleep<K: Fn(Duration)>(self, sleep: K) -> BlockingRetry<F, M, SleepFn<K>, H> {
        self.sleeper(sleep_fn(sleep))
    }

    /// Sets the time for the whole operation, from the start of its first attempt to its deadline.
    /// Defaults to no limit.
    ///
    /// A wait that would end at or after the deadline is not started
    /// ([`StopReason::Deadline`](crate::StopReason::Deadline)), and no attempt but the first starts at or
    /// after it. A running attempt is not ended.
    ///
    /// Examples: [`guide::deadlines`](crate::guide::deadlines).
    pub fn total_timeout(self, timeout: Duration) -> BlockingRetry<F, M::Limited, S, H> {
        self.with(|parts| parts.deadline(timeout, Cuts::None))
    }

    /// Runs the operation.
    ///
    /// # Errors
    /// If the operation did not succeed: the callback's last error, or after [`report`](Self::report) a
    /// [`RetryError`](crate::RetryError).
    pub fn call<T>(self) -> Result<T, M::Error>
    where
        F: Callback<Result<T, M::Attempt>>,
        H: Hooks<M::Attempt>,
    {
        let mut callback = self.parts.callback;
        let (sleeper, mut hooks) = (self.parts.sleeper, self.parts.hooks);
        let mut operation = self.parts.operation;
        let mut timed = operation.is_timed::<H>(F::TIMED);
        let mut passed = Passed::ZERO;
        let mut now = if timed {
            operation.start(passed.start(|| sleeper.now()))
        } else {
            Nanos::ZERO
        };
        loop {
            loop {
                match operation.ready(now, &mut hooks, &Unpark::waker)? {
                    Step::Begin => break,
                    Step::Hold(hold) => {
                        sleeper.sleep(hold);
                        passed.add(hold);
                    }
                    Step::Queue(turn) => {
                        if Unpark::wait(turn, &sleeper) {
                            passed.add(turn.longest());
                        }
                    }
                }
                now = passed.read(timed, || sleeper.now());
            }
            let outcome = callback.start(operation.begin(now));
            let clock = || passed.read(timed, || sleeper.now());
            let error = match outcome {
                Ok(value) => {
                    operation.succeed((), clock);
                    if H::TIMED {
                        hooks.success(operation.attempts, operation.since_start(clock()));
                    }
                    return Ok(value);
                }
                Err(error) => AttemptError::Error(error),
            };
            let delay = operation.fail_round(error, (), &mut hooks, clock)?;
            sleeper.sleep(delay);
            passed.add(delay);
            timed = operation.is_timed::<H>(F::TIMED);
            now = passed.read(timed, || sleeper.now());
        }
    }
}
