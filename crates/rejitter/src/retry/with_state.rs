//! Attempts on a state that one of them has at a time.

use core::borrow::Borrow;

use super::parts::Parts;
use super::sleeper::MaybeSleeper;
use super::{Attempt, DefaultSleeper, Outcome, Plain, Retry, WithState};
use crate::core::RetryPolicy;

/// Retries an asynchronous operation on state that one attempt has at a time, such as a connection behind `&mut`.
///
/// The callback receives the state and returns it beside the result, for the next attempt. An attempt that is dropped
/// returns no state, so these operations have no [`attempt_timeout`](Retry::attempt_timeout) and no
/// [`hedge`](Retry::hedge): a limit within the attempt returns both. Where each attempt can borrow what it needs with
/// `&`, or makes it, [`retry()`](crate::retry()) is shorter.
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

/// The future of an attempt of [`retry_with`](crate::retry_with), whose output is a `Result` and the state, a `C`.
///
/// It is implemented by those alone.
#[diagnostic::on_unimplemented(
    message = "the callback of `retry_with` must return `(result, state)`",
    label = "returns another type than a `Result` and the state behind it",
    note = "end it with both, in this order: \
            `|state, _| async move {{ let result = …; (result, state) }}`"
)]
pub trait StatefulFuture<C>: Sized {
    /// The [`Retry`](crate::Retry) of such attempts. Without it, the compiler would also tell what follows from a
    /// callback of another type.
    type Operation<F>;

    #[doc(hidden)]
    fn operation<F>(policy: RetryPolicy, callback: WithState<C, F>) -> Self::Operation<F>;
}

#[diagnostic::do_not_recommend]
impl<C, Fut: Future<Output: WithResult<C>>> StatefulFuture<C> for Fut {
    type Operation<F> = <Fut::Output as WithResult<C>>::Operation<F, Fut>;

    #[inline]
    fn operation<F>(policy: RetryPolicy, callback: WithState<C, F>) -> Self::Operation<F> {
        Fut::Output::operation(policy, callback)
    }
}

/// The output of a [`StatefulFuture`]. A trait, because the type of the operation names the error.
pub trait WithResult<C>: Sized {
    type Operation<F, Fut>;

    fn operation<F, Fut>(policy: RetryPolicy, callback: WithState<C, F>)
    -> Self::Operation<F, Fut>;
}

#[diagnostic::do_not_recommend]
impl<T, E, C> WithResult<C> for (Result<T, E>, C) {
    type Operation<F, Fut> = Retry<WithState<C, F>, Fut, Plain<E>>;

    #[inline]
    fn operation<F, Fut>(
        policy: RetryPolicy,
        callback: WithState<C, F>,
    ) -> Self::Operation<F, Fut> {
        Retry::new(Parts::new(policy, callback, DefaultSleeper::default()))
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
