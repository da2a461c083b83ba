//! The asynchronous form: attempts and waits as one future.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use super::hooks::Hooks;
use super::operation::{Limit, Operation};
use super::{Attempt, AttemptError, FailureEvent, Retry, RetryError, Sleeper, Verdict};

/// A running retry: what awaiting a [`Retry`] polls. `Send` when the operation, its futures, its
/// errors, the sleeper and the functions given to [`Retry`] are.
#[must_use = "futures do nothing unless awaited"]
pub struct RetryFuture<F, Fut, E, S: Sleeper, W, H, C, N> {
    callback: F,
    sleeper: S,
    hooks: Hooks<W, H, C, N>,
    attempt_timeout: Option<Duration>,
    operation: Operation<E>,
    stage: Stage,
    // Boxed once per operation: whatever the futures are, this one can be moved.
    attempt: Pin<Box<Option<Fut>>>,
    /// The attempt's limit, or the wait: there is never both.
    timer: Pin<Box<Option<S::Sleep>>>,
}

#[derive(Debug)]
enum Stage {
    /// Before the first attempt.
    Ready,
    /// During one.
    Attempting(Option<Limit>),
    /// Pause between two attempts; whether other tasks could run since.
    Waiting { yielded: bool },
    /// The outcome was returned.
    Over,
}

impl<F, Fut, E, S: Sleeper, W, H, C, N> fmt::Debug for RetryFuture<F, Fut, E, S, W, H, C, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RetryFuture")
            .field("attempt_timeout", &self.attempt_timeout)
            .field("stage", &self.stage)
            .finish_non_exhaustive()
    }
}

// The only fields whose address matters are boxed.
impl<F, Fut, E, S: Sleeper, W, H, C, N> Unpin for RetryFuture<F, Fut, E, S, W, H, C, N> {}

impl<F, Fut, T, E, S, W, H, C, N> IntoFuture for Retry<F, E, S, W, H, C, N>
where
    F: FnMut(Attempt) -> Fut,
    Fut: Future<Output = Result<T, E>>,
    S: Sleeper,
    W: FnMut(&E) -> Verdict,
    H: FnMut(&E) -> Option<Duration>,
    C: FnMut(u64) -> Option<Duration>,
    N: FnMut(&FailureEvent<'_, E>),
{
    type Output = Result<T, RetryError<E>>;
    type IntoFuture = RetryFuture<F, Fut, E, S, W, H, C, N>;

    fn into_future(self) -> Self::IntoFuture {
        RetryFuture {
            callback: self.operation,
            sleeper: self.sleeper,
            hooks: self.hooks,
            attempt_timeout: self.attempt_timeout,
            operation: Operation::new(self.policy, self.seed, self.total_timeout),
            stage: Stage::Ready,
            attempt: Box::pin(None),
            timer: Box::pin(None),
        }
    }
}

impl<F, Fut, T, E, S, W, H, C, N> Future for RetryFuture<F, Fut, E, S, W, H, C, N>
where
    F: FnMut(Attempt) -> Fut,
    Fut: Future<Output = Result<T, E>>,
    S: Sleeper,
    W: FnMut(&E) -> Verdict,
    H: FnMut(&E) -> Option<Duration>,
    C: FnMut(u64) -> Option<Duration>,
    N: FnMut(&FailureEvent<'_, E>),
{
    type Output = Result<T, RetryError<E>>;

    /// # Panics
    /// When it is polled again after it has given its outcome.
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        loop {
            match &mut this.stage {
                Stage::Ready => this.begin(this.sleeper.now()),
                Stage::Attempting(limit) => {
                    let error = match poll_in(&mut this.attempt, cx) {
                        Poll::Ready(Some(Ok(value))) => {
                            this.clear();
                            return Poll::Ready(Ok(value));
                        }
                        Poll::Ready(Some(Err(error))) => AttemptError::Error(error),
                        // Looked at second: an attempt that has ended has ended in time.
                        _ => match limit {
                            Some(limit) if poll_in(&mut this.timer, cx).is_ready() => limit.error(),
                            _ => return Poll::Pending,
                        },
                    };
                    this.clear();
                    let clock = || this.sleeper.now();
                    match this.operation.fail(error, &mut this.hooks, clock) {
                        Ok(delay) => {
                            this.timer.set(Some(this.sleeper.sleep(delay)));
                            this.stage = Stage::Waiting { yielded: false };
                        }
                        Err(error) => return Poll::Ready(Err(error)),
                    }
                }
                Stage::Waiting { yielded } => {
                    if poll_in(&mut this.timer, cx).is_pending() {
                        *yielded = true;
                        return Poll::Pending;
                    }
                    if !std::mem::replace(yielded, true) {
                        // A wait of zero lets other tasks run, too.
                        cx.waker().wake_by_ref();
                        return Poll::Pending;
                    }
                    this.clear();
                    let now = this.sleeper.now();
                    if let Err(error) = this.operation.wake(now) {
                        return Poll::Ready(Err(error));
                    }
                    this.begin(now);
                }
                Stage::Over => panic!("a retry was polled after it had given its outcome"),
            }
        }
    }
}

impl<F, Fut, E, S, W, H, C, N> RetryFuture<F, Fut, E, S, W, H, C, N>
where
    F: FnMut(Attempt) -> Fut,
    S: Sleeper,
{
    /// Begins the next attempt, whose limit counts from here.
    fn begin(&mut self, now: Duration) {
        let attempt = self.operation.begin(now);
        let limit = self.operation.limit(self.attempt_timeout);
        self.timer
            .set(limit.map(|limit| self.sleeper.sleep(limit.after)));
        self.attempt.set(Some((self.callback)(attempt)));
        self.stage = Stage::Attempting(limit);
    }

    /// Drops the running attempt or wait. The operation has finished unless another stage is set.
    fn clear(&mut self) {
        self.attempt.set(None);
        self.timer.set(None);
        self.stage = Stage::Over;
    }
}

/// Polls the future in the slot and removes it when it is ready. An empty slot is a timer that is
/// over.
fn poll_in<Fut: Future>(
    slot: &mut Pin<Box<Option<Fut>>>,
    cx: &mut Context<'_>,
) -> Poll<Option<Fut::Output>> {
    let Some(future) = slot.as_mut().as_pin_mut() else {
        return Poll::Ready(None);
    };
    let output = std::task::ready!(future.poll(cx));
    slot.set(None);
    Poll::Ready(Some(output))
}
