//! The facts about an attempt, and the callbacks that make one.

use core::time::Duration;

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
/// [`WithAttempt`] or [`WithState`].
///
/// It is implemented by those alone.
#[diagnostic::on_unimplemented(
    message = "this callback cannot be retried",
    label = "not a function without parameters that can be called again and again",
    note = "a callback must return a new, independent future for each attempt",
    note = "if it moves a value into its future, it has none for the next: clone it inside, as in \
            `|| {{ let value = value.clone(); async move {{ … }} }}`",
    note = "for state behind `&mut`, such as a connection, call \
            `retry_with(&mut state, policy, |state, _| async move {{ (…, state) }})`",
    note = "for a callback that needs the number of its attempt, call `retry_with_attempt`"
)]
pub trait Callback<Output>: private::Sealed<Output> {
    /// Whether it reads the times of an attempt.
    #[doc(hidden)]
    const TIMED: bool;

    /// Starts an attempt.
    #[doc(hidden)]
    fn start(&mut self, attempt: Attempt) -> Output;

    /// Keeps the state for the next attempt.
    #[doc(hidden)]
    fn put_back(&mut self, state: Output::State)
    where
        Output: TryFuture,
    {
        drop(state);
    }

    /// Its first attempt is held: releases what was reserved for it.
    #[doc(hidden)]
    fn held(&mut self) {}

    /// Whether it can start an attempt while another is running.
    #[doc(hidden)]
    fn can_hedge(&mut self) -> bool {
        true
    }
}

#[diagnostic::do_not_recommend]
impl<F: FnMut() -> Output, Output> Callback<Output> for F {
    const TIMED: bool = false;

    #[inline]
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

/// A callback with the state that it receives and that its futures return, in the type that
/// [`retry_with`](crate::retry_with) returns.
#[derive(Debug, Clone, Copy)]
pub struct WithState<C, F> {
    /// `None` while an attempt has it.
    pub(super) state: Option<C>,
    pub(super) callback: F,
}

#[diagnostic::do_not_recommend]
impl<C, F, Fut> Callback<Fut> for WithState<C, F>
where
    F: FnMut(C, Attempt) -> Fut,
    Fut: TryFuture<State = (C,)>,
{
    const TIMED: bool = true;

    fn start(&mut self, attempt: Attempt) -> Fut {
        let state = self.state.take();
        let state = state.expect("an attempt is followed by another only if it returned the state");
        (self.callback)(state, attempt)
    }

    fn put_back(&mut self, (state,): (C,)) {
        self.state = Some(state);
    }
}

/// The future of one attempt: any future of a `Result`, or of a `Result` and a state.
///
/// It is implemented by those alone.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a future of a `Result`, so it cannot be retried",
    label = "the callback must return a future of a `Result`",
    note = "write the callback as `|| async {{ … }}`, `async || …` or the name of an `async fn`, \
            and return `Ok` or `Err`",
    note = "for a function that returns a `Result` without a future, call `retry_blocking`"
)]
pub trait TryFuture: Future {
    /// The value of a successful attempt.
    type Ok;
    /// The error of a failed attempt.
    type Error;
    /// `(C,)` if the future returns a state beside its result: see [`retry_with`](crate::retry_with). Otherwise `()`.
    type State;

    #[doc(hidden)]
    fn split(output: Self::Output) -> (Result<Self::Ok, Self::Error>, Self::State);
}

#[diagnostic::do_not_recommend]
impl<Fut: Future<Output: Answer>> TryFuture for Fut {
    type Ok = <Fut::Output as Answer>::Ok;
    type Error = <Fut::Output as Answer>::Error;
    type State = <Fut::Output as Answer>::State;

    #[inline]
    fn split(output: Fut::Output) -> (Result<Self::Ok, Self::Error>, Self::State) {
        output.split()
    }
}

/// The output of an attempt. A trait, because two of [`TryFuture`] for all futures of an output would overlap.
pub trait Answer {
    type Ok;
    type Error;
    type State;

    fn split(self) -> (Result<Self::Ok, Self::Error>, Self::State);
}

impl<T, E> Answer for Result<T, E> {
    type Ok = T;
    type Error = E;
    type State = ();

    #[inline]
    fn split(self) -> (Self, ()) {
        (self, ())
    }
}

impl<T, E, C> Answer for (Result<T, E>, C) {
    type Ok = T;
    type Error = E;
    type State = (C,);

    #[inline]
    fn split(self) -> (Result<T, E>, (C,)) {
        (self.0, (self.1,))
    }
}

pub(crate) mod private {
    pub trait Sealed<Output> {}
    #[diagnostic::do_not_recommend]
    impl<F: FnMut() -> Output, Output> Sealed<Output> for F {}
    #[diagnostic::do_not_recommend]
    impl<F: FnMut(super::Attempt) -> Output, Output> Sealed<Output> for super::WithAttempt<F> {}
    #[diagnostic::do_not_recommend]
    impl<C, F: FnMut(C, super::Attempt) -> Output, Output> Sealed<Output> for super::WithState<C, F> {}
}
