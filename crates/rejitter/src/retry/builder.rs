//! The asynchronous operations, before they run.

use core::borrow::Borrow;
use core::time::Duration;

#[cfg(feature = "protection")]
use super::Signal;
use super::parts::Parts;
#[cfg(feature = "protection")]
use super::protection::{Hedged, Protected, Protection};
use super::settings::setters;
use super::sleeper::{MaybeSleeper, SleepFn, sleep_fn};
use super::verdict::IntoVerdict;
use super::{
    Attempt, Callback, DefaultSleeper, FailureEvent, Hooks, Outcome, Plain, Protect, Reported,
    Retry, Sleeper, TryFuture, WithAttempt, hooks,
};
use crate::core::{RetryPolicy, Seed};

/// Retries an asynchronous operation until it succeeds or the policy stops it.
///
/// The callback is called once per attempt and makes a new future each time: a closure that returns an
/// `async` block, an async closure, or an `async fn`. The result is a future, whose methods set what the
/// policy does not. Its failure is the callback's own last error, so `?` works as without the retry.
///
/// It waits on Tokio's timers with the feature `tokio`, and on the timers of a JavaScript host with the
/// feature `js`. Elsewhere [`Retry::sleep`] sets the timers.
///
/// Dropping the future cancels everything: the running attempt or wait ends there, and no
/// timer stays behind. An operation that succeeds at its first attempt allocates nothing.
///
/// | if the compiler says | then |
/// |---|---|
/// | captured variable cannot escape `FnMut` closure body | pass what is behind `&mut` to [`retry_with`] |
/// | type annotations needed, for a callback with a parameter | call [`retry_with_attempt`] |
///
/// [`retry_with`]: crate::retry_with
///
/// ```ignore-wasm32
/// # #[cfg(feature = "tokio")]
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use rejitter::{RetryPolicy, retry};
/// use std::cell::Cell;
/// use std::io;
/// use std::time::Duration;
///
/// const POLICY: RetryPolicy = RetryPolicy::exponential() // with full jitter
///     .with_base(Duration::from_millis(100))
///     .with_max_attempts(5);
///
/// let calls = Cell::new(0);
/// let answer = retry(POLICY, || async {
///     calls.set(calls.get() + 1);
///     if calls.get() < 3 { Err(io::Error::other("busy")) } else { Ok("hello") }
/// })
/// .when(|error| error.kind() != io::ErrorKind::NotFound)
/// .notify(|event| println!("attempt {}: {}", event.attempt, event.error))
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
/// In a JavaScript host, with the feature `js`:
///
/// ```no_run
/// # #[cfg(all(target_family = "wasm", target_os = "unknown", feature = "js"))]
/// # mod wasm {
/// use rejitter::{RetryPolicy, retry};
/// use wasm_bindgen::JsValue;
/// use wasm_bindgen_futures::JsFuture;
///
/// async fn ready(ask: js_sys::Function) -> Result<JsValue, JsValue> {
///     retry(RetryPolicy::default(), || async {
///         let promise: js_sys::Promise = ask.call0(&JsValue::UNDEFINED)?.into();
///         JsFuture::from(promise).await
///     })
///     .await
/// }
/// # }
/// ```
///
/// A connection that is meant to stay is no operation: see [`reconnect`](crate::reconnect).
#[inline]
pub fn retry<F, Fut>(
    policy: impl Borrow<RetryPolicy>,
    callback: F,
) -> Retry<F, Fut, Plain<Fut::Error>>
where
    F: Callback<Fut>,
    Fut: TryFuture,
{
    Retry::new(Parts::new(
        *policy.borrow(),
        callback,
        DefaultSleeper::default(),
    ))
}

/// Like [`retry()`], for a callback that needs to know which attempt it is.
///
/// ```
/// use rejitter::testing::VirtualTime;
/// use rejitter::{RetryPolicy, retry_with_attempt};
///
/// let time = VirtualTime::new();
/// let third = retry_with_attempt(RetryPolicy::default(), |attempt| async move {
///     if attempt.attempt < 3 { Err("not yet") } else { Ok(attempt) }
/// });
/// let third = time.block_on(third.sleeper(&time)).unwrap();
/// assert_eq!((third.attempt, third.attempts_left), (3, 3));
/// assert!(third.previous_delay.is_some());
/// ```
pub fn retry_with_attempt<F, Fut>(
    policy: impl Borrow<RetryPolicy>,
    callback: F,
) -> Retry<WithAttempt<F>, Fut, Plain<Fut::Error>>
where
    F: FnMut(Attempt) -> Fut,
    Fut: TryFuture,
{
    retry(policy, WithAttempt(callback))
}

/// Adds [`retry`](RetryExt::retry) to every function and closure that [`retry()`] accepts.
///
/// ```
/// use rejitter::testing::VirtualTime;
/// use rejitter::{RetryExt, RetryPolicy};
///
/// async fn fetch() -> Result<&'static str, std::io::Error> {
///     Ok("hello")
/// }
///
/// let time = VirtualTime::new();
/// let answer = time.block_on(fetch.retry(RetryPolicy::default()).sleeper(&time));
/// assert_eq!(answer.unwrap(), "hello");
/// ```
#[doc(alias = "Retryable")]
pub trait RetryExt<Fut: TryFuture>: Callback<Fut> + Sized {
    /// Retries this callback: [`retry()`] in the order of method calls.
    fn retry(self, policy: impl Borrow<RetryPolicy>) -> Retry<Self, Fut, Plain<Fut::Error>> {
        retry(policy, self)
    }
}

impl<F: Callback<Fut>, Fut: TryFuture> RetryExt<Fut> for F {}

impl<F, Fut, M: Outcome, S: MaybeSleeper, H> Retry<F, Fut, M, S, H> {
    #[inline]
    pub(super) fn with<M2: Outcome, S2: MaybeSleeper, H2>(
        self,
        change: impl FnOnce(Parts<F, M, S, H>) -> Parts<F, M2, S2, H2>,
    ) -> Retry<F, Fut, M2, S2, H2> {
        Retry::new(change(self.parts))
    }
}

setters! {
    Retry<F, Fut>,
    sleeper: Sleeper,
    bound: MaybeSleeper,
    deciders: [when, when_attempt](V: IntoVerdict),
}

impl<F, Fut, M: Outcome, S: MaybeSleeper, H> Retry<F, Fut, M, S, H> {
    /// Waits with this function of a runtime, such as `tokio::time::sleep` or `async_io::Timer::after`: from
    /// a duration to a future, whose output is ignored. The clock is the system's. In tests that pause Tokio's time,
    /// use the feature `tokio` instead: of the time that Tokio skips, only waits and timeouts count here.
    ///
    /// Examples: [`guide::runtimes`](crate::guide::runtimes).
    #[inline]
    pub fn sleep<K, Sleep>(self, sleep: K) -> Retry<F, Fut, M, SleepFn<K>, H>
    where
        K: Fn(Duration) -> Sleep,
        Sleep: Future,
    {
        self.sleeper(sleep_fn(sleep))
    }
}

#[cfg(feature = "protection")]
impl<F, Fut: TryFuture<State = ()>, E, S: MaybeSleeper, H>
    Retry<F, Fut, Reported<E, Protected>, S, H>
{
    /// Starts a second attempt, a hedge, while a slow one is running. The first success of both wins, and the other
    /// future is dropped before the output is returned. Set the [`Protection`](crate::Protection) first: its
    /// [`hedge`](crate::Protection::hedge) specifies when a hedge starts, and bounds their number.
    ///
    /// Both futures are polled in the task of the operation, so nothing is spawned. Only hedge what may run twice at
    /// the same time. The callback is called again while its first future is running. For that reason, operations of
    /// [`retry_with`](crate::retry_with), whose attempts share a state, do not have this method. Blocking
    /// operations do not have it either, because a thread makes one attempt at a time.
    ///
    /// An attempt and its hedge are a round. A failure that may be retried starts no hedge, and if the other attempt
    /// of the round is running, the operation waits for that. If both fail, the round's outcome is the later failure,
    /// with the longer [`hint`](Self::hint) of both. Then [`notify`](Self::notify) is called once, and one wait
    /// follows. A failure that is not retried ends the operation at once. A hedge counts as one of `max_attempts`, has
    /// an [`attempt_timeout`](Self::attempt_timeout) of its own, and takes tokens of the
    /// [`budget`](crate::Protection::budget) as a retry does. Without a clock, no hedge starts.
    ///
    /// Examples: [`guide::protection`](crate::guide::protection).
    ///
    /// ```compile_fail
    /// # use rejitter::{HedgeOptions, Protection, RetryPolicy, retry_blocking};
    /// let api = Protection::new().hedge(HedgeOptions::default());
    /// let _ = retry_blocking(RetryPolicy::default(), || Ok::<_, ()>(1)).protection(&api).hedge();
    /// ```
    ///
    /// # Panics
    /// If the protection has no hedge.
    #[track_caller]
    pub fn hedge(self) -> Retry<F, Fut, Reported<E, Hedged>, S, H> {
        Retry::new(self.parts.hedge())
    }
}
