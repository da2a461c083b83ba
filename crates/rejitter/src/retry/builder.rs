//! The asynchronous operations, before they run.

use core::borrow::Borrow;
use core::time::Duration;

use super::hooks::{Curve, HintOf, Notify, NotifySuccess, When, WhenAttempt};
use super::outcome::Cuts;
use super::parts::Parts;
use super::settings::setters;
use super::sleeper::{MaybeSleeper, SleepFn, sleep_fn};
use super::verdict::IntoVerdict;
use super::{
    Attempt, Callback, DefaultSleeper, FailureEvent, Hooks, Outcome, Plain, Protect, Reported,
    Retry, Sleeper, StatefulFuture, TryFuture, WithAttempt, WithState,
};
#[cfg(feature = "protection")]
use super::{
    Signal,
    hooks::{SignalOf, Weight},
    protection::{Hedged, Protected, Protection},
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

/// Retries an asynchronous operation on state that one attempt has at a time, such as a connection behind `&mut`.
///
/// The callback receives the state and returns it beside the result, for the next attempt. An attempt that is dropped
/// returns no state, so these operations have no [`attempt_timeout`](Retry::attempt_timeout) and no
/// [`hedge`](Retry::hedge): a limit within the attempt returns both. Where each attempt can borrow what it needs with
/// `&`, or makes it, [`retry()`] is shorter.
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
/// let rows = retry_with(&mut connection, RetryPolicy::default(), |connection, _| async move {
///     (connection.query("select 1").await, connection)
/// });
/// assert_eq!(time.block_on(rows.sleeper(&time)), Ok(8));
/// assert_eq!(connection.queries, 3);
/// ```
///
/// The operation drops a state that it owns. [`with_state`](Retry::with_state) returns it.
///
/// ```compile_fail
/// # use rejitter::{RetryPolicy, retry_with};
/// # use std::time::Duration;
/// let _ = retry_with((), RetryPolicy::default(), |state, _| async move { (Ok::<_, ()>(1), state) })
///     .attempt_timeout(Duration::ZERO);
/// ```
#[doc(alias = "context")]
pub fn retry_with<C, F: FnMut(C, Attempt) -> Fut, Fut: StatefulFuture<C>>(
    state: C,
    policy: impl Borrow<RetryPolicy>,
    callback: F,
) -> Fut::Operation<F> {
    let state = Some(state);
    Fut::operation(*policy.borrow(), WithState { state, callback })
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
    fn with<M2: Outcome, S2: MaybeSleeper, H2>(
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

    /// Sets the time for the whole operation, from the start of its first attempt to its deadline.
    /// Defaults to no limit.
    ///
    /// A wait that would end at or after the deadline is not started
    /// ([`StopReason::Deadline`](crate::StopReason::Deadline)), and no attempt but the first
    /// starts at or after it. An attempt that is running at the deadline is dropped
    /// ([`StopReason::Timeout`](crate::StopReason::Timeout)).
    ///
    /// The failure becomes a [`RetryError`](crate::RetryError), as with [`report`](Self::report), because a timeout is
    /// not an error of the callback. Its [`into_inner`](crate::RetryError::into_inner) returns the callback's last
    /// error. With a zero timeout, the first attempt is polled once and must be ready.
    ///
    /// To leave running attempts alone, and the error as it is, set [`retry_for`](Self::retry_for) instead.
    ///
    /// Examples: [`guide::deadlines`](crate::guide::deadlines).
    #[doc(alias = "with_total_delay")]
    pub fn total_timeout(
        self,
        timeout: Duration,
    ) -> Retry<F, Fut, Reported<M::Attempt, M::Protection>, S, H> {
        self.with(|parts| parts.report().deadline(timeout, Cuts::All))
    }

    /// Sets the time, from the start of the first attempt, after which no other attempt starts. Defaults to no limit.
    ///
    /// A wait that would end at or after it is not started ([`StopReason::Deadline`](crate::StopReason::Deadline)). An
    /// attempt that is running then goes on, however long it takes: use it for uploads and for transactions. So the
    /// failure is the callback's last error, as without a limit, or the [`RetryError`](crate::RetryError) that an
    /// earlier method made of it. It replaces [`total_timeout`](Self::total_timeout), and that replaces it.
    ///
    /// Examples: [`guide::deadlines`](crate::guide::deadlines).
    #[doc(alias = "max_elapsed_time")]
    pub fn retry_for(self, time: Duration) -> Retry<F, Fut, M::Timed, S, H> {
        self.with(|parts| {
            let parts = parts.outcome(M::into_timed);
            parts.deadline(time, Cuts::None)
        })
    }
}

impl<C, F, Fut, M: Outcome, S: MaybeSleeper, H> Retry<WithState<C, F>, Fut, M, S, H>
where
    Self: Future,
{
    /// Returns the state beside the output, for a state that [`retry_with`](crate::retry_with) took by value. `None` if
    /// the deadline dropped an attempt, and with it the state.
    ///
    /// ```
    /// use rejitter::testing::VirtualTime;
    /// use rejitter::{RetryPolicy, retry_with};
    ///
    /// let time = VirtualTime::new();
    /// let read = retry_with(vec![0], RetryPolicy::default(), |mut bytes, attempt| async move {
    ///     bytes.push(attempt.attempt);
    ///     (if bytes.len() < 4 { Err("more to read") } else { Ok("done") }, bytes)
    /// });
    /// let (result, bytes) = time.block_on(read.sleeper(&time).with_state());
    /// assert_eq!((result, bytes), (Ok("done"), Some(vec![0, 1, 2, 3])));
    /// ```
    pub async fn with_state(self) -> (<Self as Future>::Output, Option<C>) {
        let mut operation = core::pin::pin!(self);
        let output = operation.as_mut().await;
        (output, operation.parts().callback.state.take())
    }
}

impl<F, Fut: TryFuture<State = ()>, M: Outcome, S: MaybeSleeper, H> Retry<F, Fut, M, S, H> {
    /// Sets the time for each attempt, from its start. Defaults to no limit.
    ///
    /// An attempt that outlives it, or the deadline if that comes first, is dropped. One that is ready counts, however
    /// long ago the limit passed: the process may have been stopped. A timeout is
    /// retried like an error; see [`retry_timeouts`](Self::retry_timeouts). With a zero timeout, an
    /// attempt is polled once and must be ready. The failure becomes a [`RetryError`](crate::RetryError),
    /// as with [`report`](Self::report), because a timeout is not an error of the callback.
    ///
    /// Blocking operations cannot be ended from outside and do not have this method.
    ///
    /// Examples: [`guide::deadlines`](crate::guide::deadlines).
    pub fn attempt_timeout(
        self,
        timeout: Duration,
    ) -> Retry<F, Fut, Reported<M::Attempt, M::Protection>, S, H> {
        self.with(|parts| {
            let mut parts = parts.report();
            parts.operation.outcome.attempt_timeout = timeout.into();
            parts
        })
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

/// For Tower, whose requests must end with an outcome of the service.
#[cfg(feature = "tower")]
impl<F, Fut, E, S: MaybeSleeper, H> Retry<F, Fut, Plain<E>, S, H> {
    /// Sets the form of the failure, and a deadline that spares a first attempt.
    pub(crate) fn sparing<M: Outcome>(
        self,
        timeout: Option<Duration>,
        form: impl FnOnce(Plain<E>) -> M,
    ) -> Retry<F, Fut, M, S, H> {
        self.with(|parts| {
            let parts = parts.outcome(form);
            match timeout {
                Some(timeout) => parts.deadline(timeout, Cuts::Later),
                None => parts,
            }
        })
    }
}

impl<F, Fut, E, P: Protect, S: MaybeSleeper, H> Retry<F, Fut, Reported<E, P>, S, H> {
    /// Sets whether an attempt that outlived [`attempt_timeout`](Self::attempt_timeout) is retried.
    /// Defaults to true. If false, the operation ends with
    /// [`StopReason::NotRetryable`](crate::StopReason::NotRetryable): for work that must not be
    /// done twice, when a timeout leaves open whether it was done.
    ///
    /// Examples: [`guide::errors`](crate::guide::errors).
    pub fn retry_timeouts(self, retry: bool) -> Self {
        self.with(|mut parts| {
            parts.operation.outcome.retry_timeouts = retry;
            parts
        })
    }
}
