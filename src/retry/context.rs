//! Operations on state behind `&mut`.

use std::borrow::Borrow;
use std::fmt;
use std::pin::pin;
use std::time::Duration;

use super::hooks::{Curve, HintOf, Notify, SignalOf, When, WhenAttempt};
use super::parts::Parts;
use super::protection::{Protect, Protected, Protection};
use super::settings::setters;
use super::sleeper::{MaybeSleeper, SleepFn, sleep_fn};
use super::waiting::{Limited, Passed, Pause};
use super::{
    Attempt, DefaultSleeper, FailureEvent, Hooks, Outcome, Plain, Reported, Signal, Sleeper,
    Verdict,
};
use crate::core::{RetryPolicy, Seed};

/// Retries an asynchronous operation on state behind `&mut`, such as a connection, which every attempt
/// borrows again. Started by [`RetryWith::call`].
///
/// ```
/// use rejitter::testing::VirtualTime;
/// use rejitter::{RetryPolicy, retry_with};
///
/// struct Connection { queries: u32 }
///
/// impl Connection {
///     async fn query(&mut self, sql: &str) -> Result<usize, String> {
///         self.queries += 1;
///         if self.queries < 3 { Err("busy".into()) } else { Ok(sql.len()) }
///     }
/// }
///
/// let mut connection = Connection { queries: 0 };
/// let time = VirtualTime::new();
/// let rows = retry_with(&mut connection, RetryPolicy::default(), async |connection, _| {
///     connection.query("select 1").await
/// })
/// .sleeper(&time)
/// .call();
/// assert_eq!(time.block_on(rows), Ok(8));
/// assert_eq!(connection.queries, 3);
/// ```
///
/// In a future that must be `Send`, as in `tokio::spawn`, the compiler accepts only closures that borrow
/// nothing else: they may own what they use (`async move |connection, _| …`), or find it in the state.
pub fn retry_with<C, F, T, E>(
    context: &mut C,
    policy: impl Borrow<RetryPolicy>,
    callback: F,
) -> RetryWith<'_, C, F, Plain<E>>
where
    F: AsyncFnMut(&mut C, Attempt) -> Result<T, E>,
{
    RetryWith {
        context,
        parts: Parts::new(*policy.borrow(), callback, DefaultSleeper::default()),
    }
}

/// An operation on state behind `&mut`, made by [`retry_with`] and run by [`call`](Self::call).
///
/// Everything else is as in [`Retry`](crate::Retry).
#[must_use = "nothing happens until `call()` is awaited"]
pub struct RetryWith<'c, C, F, M, S = DefaultSleeper, H = ()> {
    context: &'c mut C,
    parts: Parts<F, M, S, H>,
}

impl<C, F, M, S, H> fmt::Debug for RetryWith<'_, C, F, M, S, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts.operation.debug(&mut f.debug_struct("RetryWith"))
    }
}

impl<'c, C, F, M, S, H> RetryWith<'c, C, F, M, S, H> {
    fn with<M2, S2, H2>(
        self,
        change: impl FnOnce(Parts<F, M, S, H>) -> Parts<F, M2, S2, H2>,
    ) -> RetryWith<'c, C, F, M2, S2, H2> {
        RetryWith {
            context: self.context,
            parts: change(self.parts),
        }
    }
}

setters! {
    RetryWith<'c, C, F>,
    sleeper: Sleeper,
    bound: MaybeSleeper,
    start: "time.block_on(rejitter::retry_with(&mut (), POLICY, async |(), _| send())",
    end: ".call())",
}

impl<'c, C, F, M: Outcome, S: MaybeSleeper, H> RetryWith<'c, C, F, M, S, H> {
    /// Waits with this function of a runtime: see [`Retry::sleep`](crate::Retry::sleep).
    pub fn sleep<K, Sleep>(self, sleep: K) -> RetryWith<'c, C, F, M, SleepFn<K>, H>
    where
        K: Fn(Duration) -> Sleep,
        Sleep: Future,
    {
        self.sleeper(sleep_fn(sleep))
    }

    /// Sets the time for the whole operation: see [`Retry::total_timeout`](crate::Retry::total_timeout).
    pub fn total_timeout(self, timeout: Duration) -> Self {
        self.with(|mut parts| {
            parts.operation.total_timeout = Some(timeout);
            parts
        })
    }

    /// Sets the time for each attempt: see [`Retry::attempt_timeout`](crate::Retry::attempt_timeout). The
    /// state must still be usable after an attempt was dropped.
    pub fn attempt_timeout(
        self,
        timeout: Duration,
    ) -> RetryWith<'c, C, F, Reported<M::Attempt, M::Protection>, S, H> {
        self.with(|parts| {
            let mut parts = parts.report();
            parts.operation.outcome.set_attempt_timeout(timeout);
            parts
        })
    }

    /// Runs the operation. The future allocates nothing for a success at the first attempt.
    ///
    /// # Errors
    /// If the operation did not succeed: the callback's last error, or after [`report`](Self::report) a
    /// [`RetryError`](crate::RetryError).
    pub async fn call<T>(self) -> Result<T, M::Error>
    where
        F: AsyncFnMut(&mut C, Attempt) -> Result<T, M::Attempt>,
        S: Sleeper,
        H: Hooks<M::Attempt>,
    {
        let Parts {
            mut callback,
            sleeper,
            mut hooks,
            mut operation,
        } = self.parts;
        let mut passed = Passed::default();
        let mut now = operation.start(passed.start(true, || sleeper.now()));
        loop {
            while let Some(hold) = operation.ready(now)? {
                passed.add(hold);
                pin!(Pause::new(sleeper.sleep(hold))).await;
                now = passed.read(true, || sleeper.now());
            }
            let attempt = operation.begin(now);
            let limit = operation.limit();
            let timer = limit.map(|limit| sleeper.sleep(limit.after));
            let outcome = {
                let future = callback(&mut *self.context, attempt);
                pin!(Limited::new(limit, timer, future)).await
            };
            let error = match outcome {
                Ok(value) => {
                    operation.succeed(|| passed.read(true, || sleeper.now()));
                    return Ok(value);
                }
                Err(error) => error,
            };
            passed.add_limit(&error, limit);
            let delay =
                operation.fail(error, &mut hooks, || passed.read(true, || sleeper.now()))?;
            passed.add(delay);
            pin!(Pause::new(sleeper.sleep(delay))).await;
            now = passed.read(true, || sleeper.now());
        }
    }
}

impl<C, F, E, P, S: MaybeSleeper, H> RetryWith<'_, C, F, Reported<E, P>, S, H> {
    /// Sets whether timeouts are retried: see [`Retry::retry_timeouts`](crate::Retry::retry_timeouts).
    pub fn retry_timeouts(self, retry: bool) -> Self {
        self.with(|mut parts| {
            parts.operation.outcome.set_retry_timeouts(retry);
            parts
        })
    }
}
