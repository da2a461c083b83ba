//! The facts about an attempt, and the callbacks that make one.

use std::time::Duration;

/// One attempt of an operation, when it starts.
///
/// [`retry_with_attempt`](crate::retry_with_attempt), [`retry_with`](crate::retry_with) and
/// [`Retry::when_attempt`](crate::Retry::when_attempt) pass it to their callbacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attempt {
    /// The attempt's number. The first is 1.
    pub attempt: u64,
    /// How many attempts may follow this one. [`UNLIMITED`](crate::UNLIMITED) if the policy has no limit.
    pub attempts_left: u64,
    /// Time between the start of the operation and the start of this attempt. Zero for the first.
    pub elapsed: Duration,
    /// Time left until the operation's deadline at the start of this attempt. `None` without a total
    /// timeout.
    pub remaining: Option<Duration>,
    /// The wait that preceded this attempt. `None` for the first.
    pub previous_delay: Option<Duration>,
}

/// A callback that makes attempts: a function without parameters that returns `Output`, or a
/// [`WithAttempt`].
///
/// It is implemented by those alone.
#[diagnostic::on_unimplemented(
    message = "this callback cannot be retried",
    label = "not a function without parameters that can be called again and again",
    note = "a callback must return a new, independent future for each attempt",
    note = "for state behind `&mut`, such as a connection, call `retry_with(&mut state, policy, async |state, _| …)`",
    note = "for a callback that needs the number of its attempt, call `retry_with_attempt`"
)]
pub trait Callback<Output>: private::Sealed<Output> {
    /// Whether it reads the times of an attempt.
    #[doc(hidden)]
    const TIMED: bool;

    /// Starts an attempt.
    #[doc(hidden)]
    fn start(&mut self, attempt: Attempt) -> Output;

    /// Whether it can start an attempt while another is running.
    #[doc(hidden)]
    fn can_hedge(&mut self) -> bool {
        true
    }
}

#[diagnostic::do_not_recommend]
impl<F: FnMut() -> Output, Output> Callback<Output> for F {
    const TIMED: bool = false;

    fn start(&mut self, _: Attempt) -> Output {
        self()
    }
}

/// A callback that receives its [`Attempt`], in the types that
/// [`retry_with_attempt`](crate::retry_with_attempt) and `retry_blocking_with_attempt` return.
#[derive(Debug, Clone, Copy)]
pub struct WithAttempt<F>(pub(super) F);

#[diagnostic::do_not_recommend]
impl<F: FnMut(Attempt) -> Output, Output> Callback<Output> for WithAttempt<F> {
    const TIMED: bool = true;

    fn start(&mut self, attempt: Attempt) -> Output {
        (self.0)(attempt)
    }
}

/// The future of one attempt: any future of a `Result`.
///
/// It is implemented by those alone.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a future of a `Result`, so it cannot be retried",
    label = "the callback must return a future of a `Result`",
    note = "write the callback as `|| async {{ … }}`, `async || …` or the name of an `async fn`, \
            and return `Ok` or `Err`",
    note = "for a function that returns a `Result` without a future, call `retry_blocking`"
)]
pub trait TryFuture: Future<Output = Result<Self::Ok, Self::Error>> {
    /// The value of a successful attempt.
    type Ok;
    /// The error of a failed attempt.
    type Error;
}

#[diagnostic::do_not_recommend]
impl<Fut, T, E> TryFuture for Fut
where
    Fut: Future<Output = Result<T, E>>,
{
    type Ok = T;
    type Error = E;
}

pub(crate) mod private {
    pub trait Sealed<Output> {}
    #[diagnostic::do_not_recommend]
    impl<F: FnMut() -> Output, Output> Sealed<Output> for F {}
    #[diagnostic::do_not_recommend]
    impl<F: FnMut(super::Attempt) -> Output, Output> Sealed<Output> for super::WithAttempt<F> {}
}
