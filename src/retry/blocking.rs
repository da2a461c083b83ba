//! The blocking form, for threads.

use std::time::Duration;

use super::clock;
use super::operation::Operation;
use super::{Attempt, AttemptError, FailureEvent, Retry, RetryError, ThreadSleeper, Verdict};
use crate::core::RetryPolicy;

/// Retries a blocking operation until it succeeds or the policy says stop; between attempts the
/// thread sleeps. Works like [`retry()`](crate::retry()), but is started by [`Retry::call`]. Not on wasm,
/// where a thread cannot sleep.
///
/// ```ignore-wasm32
/// use rejitter::{RetryOptions, RetryPolicy, retry_blocking};
/// use std::io;
/// use std::time::Duration;
///
/// let policy = RetryPolicy::new(RetryOptions {
///     base_ms: Some(1.0),
///     max_attempts: Some(4),
///     ..RetryOptions::default()
/// })?;
/// let mut calls = 0;
/// let answer = retry_blocking(policy, || {
///     calls += 1;
///     if calls < 3 { Err(io::Error::other("busy")) } else { Ok("hello") }
/// })
/// .when(|error| error.kind() != io::ErrorKind::NotFound)
/// .total_timeout(Duration::from_secs(10))
/// .call()?;
/// assert_eq!((answer, calls), ("hello", 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn retry_blocking<F, T, E>(
    policy: RetryPolicy,
    mut operation: F,
) -> Retry<impl FnMut(Attempt) -> Result<T, E>, E, ThreadSleeper>
where
    F: FnMut() -> Result<T, E>,
{
    Retry::new(policy, move |_| operation(), ThreadSleeper)
}

/// Like [`retry_blocking`], for an operation that needs to know which attempt it is.
///
/// ```ignore-wasm32
/// use rejitter::{RetryOptions, RetryPolicy, retry_blocking_with_attempt};
///
/// let policy = RetryPolicy::new(RetryOptions { base_ms: Some(1.0), ..RetryOptions::default() })?;
/// let number = retry_blocking_with_attempt(policy, |attempt| {
///     if attempt.attempt < 3 { Err("not yet") } else { Ok(attempt.attempt) }
/// })
/// .call();
/// assert_eq!(number.unwrap(), 3);
/// # Ok::<(), rejitter::OptionErrors>(())
/// ```
pub fn retry_blocking_with_attempt<F, T, E>(
    policy: RetryPolicy,
    operation: F,
) -> Retry<F, E, ThreadSleeper>
where
    F: FnMut(Attempt) -> Result<T, E>,
{
    Retry::new(policy, operation, ThreadSleeper)
}

/// Sleeps and reads the clock for blocking operations: [`retry_blocking`].
///
/// A function that takes a duration and returns after it is one too; its clock is then the
/// system's monotonic one.
pub trait BlockingSleeper {
    /// Returns after `duration`, never earlier by the clock of [`now`](Self::now).
    fn sleep(&self, duration: Duration);

    /// The time since some moment in the past. Monotonic, as [`Sleeper::now`](crate::Sleeper::now).
    fn now(&self) -> Duration;
}

impl<F: Fn(Duration)> BlockingSleeper for F {
    fn sleep(&self, duration: Duration) {
        self(duration);
    }

    fn now(&self) -> Duration {
        clock::now()
    }
}

impl<F, T, E, S, W, H, C, N> Retry<F, E, S, W, H, C, N>
where
    F: FnMut(Attempt) -> Result<T, E>,
    S: BlockingSleeper,
    W: FnMut(&E) -> Verdict,
    H: FnMut(&E) -> Option<Duration>,
    C: FnMut(u64) -> Option<Duration>,
    N: FnMut(&FailureEvent<'_, E>),
{
    /// Runs a blocking operation.
    ///
    /// # Errors
    /// When the operation did not succeed: its last error, the reason, and the report.
    pub fn call(mut self) -> Result<T, RetryError<E>> {
        let mut operation = Operation::new(self.policy, self.seed, self.total_timeout);
        let mut now = self.sleeper.now();
        loop {
            let error = match (self.operation)(operation.begin(now)) {
                Ok(value) => return Ok(value),
                Err(error) => AttemptError::Error(error),
            };
            let delay = operation.fail(error, &mut self.hooks, || self.sleeper.now())?;
            self.sleeper.sleep(delay);
            now = self.sleeper.now();
            operation.wake(now)?;
        }
    }
}
