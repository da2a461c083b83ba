//! The configuration of a retry, before it runs.

use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use super::hooks::{DefaultCurve, DefaultHint, DefaultNotify, DefaultWhen, Hooks};
use super::{Attempt, DefaultSleeper, FailureEvent, Verdict};
use crate::core::{RetryPolicy, Seed};

/// Retries an asynchronous operation until it succeeds or the policy says stop.
///
/// The operation is called once per attempt and makes a new future each time: a closure that
/// returns an `async` block, an async closure, or an `async fn`. Options are set on the returned
/// [`Retry`], which is then awaited; nothing happens before.
///
/// It waits on Tokio's timers with the feature `tokio`, on the timers of a JavaScript host with the feature `js`.
/// Elsewhere [`Retry::with_sleeper`] sets the timers; without one, [`Retry`] does not implement `IntoFuture`
/// and `.await` does not compile.
///
/// Dropping the future cancels everything: the running attempt or wait ends there, and no
/// timer stays behind.
///
/// ```ignore-wasm32
/// # #[cfg(feature = "tokio")]
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use rejitter::{RetryOptions, RetryPolicy, retry};
/// use std::cell::Cell;
/// use std::io;
/// use std::time::Duration;
///
/// let policy = RetryPolicy::new(RetryOptions {
///     base_ms: Some(100.0),
///     max_attempts: Some(5),
///     ..RetryOptions::default() // exponential backoff, full jitter
/// })?;
///
/// let calls = Cell::new(0);
/// let answer = retry(policy, || async {
///     calls.set(calls.get() + 1);
///     if calls.get() < 3 { Err(io::Error::other("busy")) } else { Ok("hello") }
/// })
/// .when(|error| error.kind() != io::ErrorKind::NotFound)
/// .notify(|event| println!("attempt {}: {}", event.attempt, event.error))
/// .attempt_timeout(Duration::from_secs(2))
/// .total_timeout(Duration::from_secs(10))
/// .await?;
///
/// assert_eq!((answer, calls.get()), ("hello", 3));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "tokio"))]
/// # fn main() {}
/// ```
///
/// On wasm it waits on the host's timers:
///
/// ```no_run
/// # #[cfg(all(target_family = "wasm", target_os = "unknown"))]
/// # mod wasm {
/// use rejitter::{RetryPolicy, retry};
/// use wasm_bindgen::JsValue;
/// use wasm_bindgen_futures::JsFuture;
///
/// async fn ready(policy: RetryPolicy, ask: js_sys::Function) -> Result<JsValue, JsValue> {
///     let result = retry(policy, || async {
///         let promise: js_sys::Promise = ask.call0(&JsValue::UNDEFINED)?.into();
///         JsFuture::from(promise).await
///     });
///     result.await.map_err(|failed| failed.into_own_error().unwrap_or(JsValue::NULL))
/// }
/// # }
/// ```
pub fn retry<F, Fut, T, E>(
    policy: RetryPolicy,
    mut operation: F,
) -> Retry<impl FnMut(Attempt) -> Fut, E>
where
    F: FnMut() -> Fut,
    Fut: Future<Output = Result<T, E>>,
{
    Retry::new(policy, move |_| operation(), DefaultSleeper::default())
}

/// Like [`retry()`], for an operation that needs to know which attempt it is.
///
/// ```ignore-wasm32
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use rejitter::{RetryOptions, RetryPolicy, retry_with_attempt};
///
/// let policy = RetryPolicy::new(RetryOptions { base_ms: Some(1.0), ..RetryOptions::default() })?;
/// let third = retry_with_attempt(policy, |attempt| async move {
///     if attempt.attempt < 3 { Err("not yet") } else { Ok(attempt) }
/// })
/// .with_sleeper(tokio::time::sleep)
/// .await
/// .unwrap();
/// assert_eq!(third.attempt, 3);
/// assert!(third.previous_delay.is_some());
/// # Ok(())
/// # }
/// ```
pub fn retry_with_attempt<F, Fut, T, E>(policy: RetryPolicy, operation: F) -> Retry<F, E>
where
    F: FnMut(Attempt) -> Fut,
    Fut: Future<Output = Result<T, E>>,
{
    Retry::new(policy, operation, DefaultSleeper::default())
}

/// An operation to be retried, and how: made by [`retry()`], [`retry_with_attempt`],
/// `retry_blocking` and `retry_blocking_with_attempt`.
///
/// The first two are started by `.await`, the last two by `call`. Either gives the
/// operation's value or a [`RetryError`](crate::RetryError).
///
/// After each failed attempt, in this order: [`when`](Self::when) is called, then
/// [`hint`](Self::hint); then the attempt limit is checked, the wait is computed and compared with
/// the deadline, and [`notify`](Self::notify) is called.
///
/// Each method may be called in any order; called again, it replaces what it set before.
///
/// The type parameters are the operation, its error, the sleeper, and the functions that the
/// methods set.
#[must_use = "nothing is done until it is awaited, or called"]
pub struct Retry<
    F,
    E,
    S = DefaultSleeper,
    W = DefaultWhen<E>,
    H = DefaultHint<E>,
    C = DefaultCurve,
    N = DefaultNotify<E>,
> {
    pub(super) policy: RetryPolicy,
    pub(super) operation: F,
    pub(super) sleeper: S,
    pub(super) hooks: Hooks<W, H, C, N>,
    pub(super) seed: Option<Seed>,
    pub(super) attempt_timeout: Option<Duration>,
    pub(super) total_timeout: Option<Duration>,
    pub(super) error: PhantomData<fn() -> E>,
}

// Not derived, because an error need not be anything to be retried.
impl<F: Clone, E, S: Clone, W: Clone, H: Clone, C: Clone, N: Clone> Clone
    for Retry<F, E, S, W, H, C, N>
{
    fn clone(&self) -> Self {
        Self {
            policy: self.policy,
            operation: self.operation.clone(),
            sleeper: self.sleeper.clone(),
            hooks: self.hooks.clone(),
            seed: self.seed,
            attempt_timeout: self.attempt_timeout,
            total_timeout: self.total_timeout,
            error: PhantomData,
        }
    }
}

impl<F, E, S, W, H, C, N> fmt::Debug for Retry<F, E, S, W, H, C, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retry")
            .field("policy", &self.policy)
            .field("seed", &self.seed)
            .field("attempt_timeout", &self.attempt_timeout)
            .field("total_timeout", &self.total_timeout)
            .finish_non_exhaustive()
    }
}

impl<F, E, S> Retry<F, E, S> {
    pub(super) fn new(policy: RetryPolicy, operation: F, sleeper: S) -> Self {
        Self {
            policy,
            operation,
            sleeper,
            hooks: Hooks::default(),
            seed: None,
            attempt_timeout: None,
            total_timeout: None,
            error: PhantomData,
        }
    }
}

impl<F, E, S, W, H, C, N> Retry<F, E, S, W, H, C, N> {
    /// Asks whether an error of the operation's is worth a further attempt: `bool`, or a
    /// [`Verdict`], which may also name the wait. Default: every error is.
    ///
    /// It is called once after each attempt that failed with an error, the last one included, and
    /// not about timeouts: see [`retry_timeouts`](Self::retry_timeouts).
    ///
    /// ```ignore-wasm32
    /// use rejitter::{RetryOptions, RetryPolicy, StopReason, Verdict, retry_blocking};
    /// use std::time::Duration;
    ///
    /// # fn send() -> Result<(), u16> { Err(404) }
    /// let policy = RetryPolicy::new(RetryOptions::default())?;
    /// let failed = retry_blocking(policy, send)
    ///     .when(|status| match status {
    ///         409 => Verdict::RetryAfter(Duration::from_millis(5)),
    ///         500.. => Verdict::Retry,
    ///         _ => Verdict::Stop,
    ///     })
    ///     .call()
    ///     .unwrap_err();
    /// assert_eq!(failed.reason, StopReason::NotRetryable);
    /// assert_eq!(failed.report.attempts, 1);
    /// # Ok::<(), rejitter::OptionErrors>(())
    /// ```
    pub fn when<V: Into<Verdict>>(
        self,
        mut condition: impl FnMut(&E) -> V,
    ) -> Retry<F, E, S, impl FnMut(&E) -> Verdict, H, C, N> {
        self.with_hooks(|hooks| Hooks {
            when: move |error: &E| condition(error).into(),
            hint: hooks.hint,
            curve: hooks.curve,
            notify: hooks.notify,
            retry_timeouts: hooks.retry_timeouts,
        })
    }

    /// Whether an attempt that outlived [`attempt_timeout`](Self::attempt_timeout) is retried.
    /// Default: yes. If not, the operation then ends with
    /// [`StopReason::NotRetryable`](crate::StopReason::NotRetryable): for work that must not be
    /// done twice, when a timeout does not tell whether it was done.
    pub fn retry_timeouts(mut self, retry: bool) -> Self {
        self.hooks.retry_timeouts = retry;
        self
    }

    /// Reads the wait that a server requested from an error, as in HTTP's `Retry-After`.
    /// Default: none.
    ///
    /// Called after each attempt that failed with an error at which [`when`](Self::when) does not
    /// stop. `None` and zero mean no hint. The wait is the longer of `h + r·max(base, h/2)`, with r in
    /// [0, 1), and the policy's own computed wait: never less than the server asks for, spread out
    /// because a server gives many clients the same hint, and never shorter than without the hint. A
    /// hint above the policy's `max_retry_after_ms` ends the operation with
    /// [`StopReason::Hint`](crate::StopReason::Hint). [`Verdict::RetryAfter`] overrides a hint.
    ///
    /// ```ignore-wasm32
    /// use rejitter::{RetryOptions, RetryPolicy, StopReason, retry_blocking};
    /// use std::time::Duration;
    ///
    /// struct Busy { retry_after: Option<Duration> }
    ///
    /// let policy = RetryPolicy::new(RetryOptions::default())?; // follows hints up to 60 s
    /// let hour = Duration::from_secs(3_600);
    /// let failed = retry_blocking(policy, || Err::<(), _>(Busy { retry_after: Some(hour) }))
    ///     .hint(|error| error.retry_after)
    ///     .call()
    ///     .map_err(|failed| (failed.reason, failed.report.hint));
    /// assert_eq!(failed, Err((StopReason::Hint, Some(hour))));
    /// # Ok::<(), rejitter::OptionErrors>(())
    /// ```
    pub fn hint<K: FnMut(&E) -> Option<Duration>>(self, hint: K) -> Retry<F, E, S, W, K, C, N> {
        self.with_hooks(|hooks| Hooks {
            when: hooks.when,
            hint,
            curve: hooks.curve,
            notify: hooks.notify,
            retry_timeouts: hooks.retry_timeouts,
        })
    }

    /// Sets the curve of [`Backoff::Custom`](crate::Backoff::Custom): the ceiling of wait k, which
    /// follows failed attempt k (the first is number 1), before cap and jitter. Only policies with that backoff call
    /// it, once for each wait that is not exact. Without it the ceiling
    /// is 10 s.
    pub fn curve(
        self,
        mut curve: impl FnMut(u64) -> Duration,
    ) -> Retry<F, E, S, W, H, impl FnMut(u64) -> Option<Duration>, N> {
        self.with_hooks(|hooks| Hooks {
            when: hooks.when,
            hint: hooks.hint,
            curve: move |k| Some(curve(k)),
            notify: hooks.notify,
            retry_timeouts: hooks.retry_timeouts,
        })
    }

    /// Tells about each failed attempt, timeouts and the last one included, after it is decided
    /// what follows.
    ///
    /// ```ignore-wasm32
    /// use rejitter::{RetryOptions, RetryPolicy, Seed, retry_blocking};
    ///
    /// let policy = RetryPolicy::new(RetryOptions { base_ms: Some(1.0), ..RetryOptions::default() })?;
    /// let mut waits = Vec::new();
    /// let _ = retry_blocking(policy, || Err::<(), _>("busy"))
    ///     .seed(Seed::new(7))
    ///     .notify(|event| waits.push(event.delay))
    ///     .call();
    /// let expected: Vec<_> = policy.delays(Seed::new(7)).map(rejitter::duration_from_ms).collect();
    /// assert_eq!(waits.iter().flatten().copied().collect::<Vec<_>>(), expected);
    /// assert_eq!(waits.last(), Some(&None)); // no wait after the last attempt
    /// # Ok::<(), rejitter::OptionErrors>(())
    /// ```
    pub fn notify<K: FnMut(&FailureEvent<'_, E>)>(self, notify: K) -> Retry<F, E, S, W, H, C, K> {
        self.with_hooks(|hooks| Hooks {
            when: hooks.when,
            hint: hooks.hint,
            curve: hooks.curve,
            notify,
            retry_timeouts: hooks.retry_timeouts,
        })
    }

    /// Time for the whole operation, from the start of its first attempt to its deadline.
    /// Default: no limit.
    ///
    /// An asynchronous attempt that is running at the deadline is dropped
    /// ([`StopReason::Timeout`](crate::StopReason::Timeout)); a blocking one cannot be ended. A
    /// wait that would end at or after the deadline is not begun
    /// ([`StopReason::Deadline`](crate::StopReason::Deadline)), and no attempt but the first
    /// starts at or after it. With a zero timeout, an asynchronous first attempt is polled once and must
    /// be ready.
    pub fn total_timeout(mut self, timeout: Duration) -> Self {
        self.total_timeout = Some(timeout);
        self
    }

    /// Makes the waits reproducible: those of [`RetryPolicy::delays`] with this seed. Default:
    /// [`Seed::random`], taken when the first wait is drawn; should the system have no
    /// randomness to give, the operation ends with
    /// [`StopReason::Randomness`](crate::StopReason::Randomness).
    ///
    /// Clients and operations that share a seed wait equally long, which is what jitter is there
    /// to prevent: for tests and simulations.
    pub fn seed(mut self, seed: impl Into<Seed>) -> Self {
        self.seed = Some(seed.into());
        self
    }

    /// Waits and reads the time with this: a [`Sleeper`](crate::Sleeper) where the operation is awaited, a
    /// `BlockingSleeper` where it is called.
    pub fn with_sleeper<R>(self, sleeper: R) -> Retry<F, E, R, W, H, C, N> {
        Retry {
            policy: self.policy,
            operation: self.operation,
            sleeper,
            hooks: self.hooks,
            seed: self.seed,
            attempt_timeout: self.attempt_timeout,
            total_timeout: self.total_timeout,
            error: PhantomData,
        }
    }

    fn with_hooks<W2, H2, C2, N2>(
        self,
        change: impl FnOnce(Hooks<W, H, C, N>) -> Hooks<W2, H2, C2, N2>,
    ) -> Retry<F, E, S, W2, H2, C2, N2> {
        Retry {
            policy: self.policy,
            operation: self.operation,
            sleeper: self.sleeper,
            hooks: change(self.hooks),
            seed: self.seed,
            attempt_timeout: self.attempt_timeout,
            total_timeout: self.total_timeout,
            error: PhantomData,
        }
    }
}

impl<F, Fut, E, S, W, H, C, N> Retry<F, E, S, W, H, C, N>
where
    F: FnMut(Attempt) -> Fut,
    Fut: Future,
{
    /// Time for each attempt, from its start, or until the deadline if that comes
    /// first. Default: no limit. An attempt that outlives it is dropped, and retried like one
    /// that failed; see [`retry_timeouts`](Self::retry_timeouts). With zero, an attempt has as
    /// long as it needs not wait.
    ///
    /// Blocking operations cannot be ended from outside and do not have it:
    ///
    /// ```compile_fail
    /// # use rejitter::{RetryOptions, RetryPolicy, retry_blocking};
    /// # use std::time::Duration;
    /// let policy = RetryPolicy::new(RetryOptions::default()).unwrap();
    /// let _ = retry_blocking(policy, || Ok::<_, ()>(1)).attempt_timeout(Duration::ZERO);
    /// ```
    pub fn attempt_timeout(mut self, timeout: Duration) -> Self {
        self.attempt_timeout = Some(timeout);
        self
    }
}
