//! The caller's functions that an operation calls after a failed attempt.

use core::time::Duration;

#[cfg(feature = "protection")]
use super::Signal;
use super::{Attempt, AttemptError, Verdict};
use crate::StopReason;

/// A failed attempt and what follows it, for [`Retry::notify`](crate::Retry::notify).
#[derive(Debug)]
#[non_exhaustive]
pub struct FailureEvent<'a, E> {
    /// The failed attempt's number. The first is 1.
    pub attempt: u64,
    /// Whether it was a hedge: see [`Retry::hedge`](crate::Retry::hedge).
    pub hedge: bool,
    /// Whether it made progress: [`Verdict::RetryAnew`].
    pub progressed: bool,
    /// How it failed.
    pub error: &'a AttemptError<E>,
    /// Time since the start of the operation.
    pub elapsed: Duration,
    /// The wait that follows. `None` after the last attempt, with the exceptions of
    /// [`AttemptRecord::delay`](crate::AttemptRecord::delay): then no other event follows.
    pub delay: Option<Duration>,
    /// Why no attempt follows. `None` if a wait does.
    pub reason: Option<StopReason>,
}

/// Callbacks of an operation, each with a default that does nothing.
///
/// [`Retry::when`](crate::Retry::when) and similar methods set single closures. Implement the trait for a type in
/// libraries that share settings between operations, or that must name their types:
///
/// ```
/// use rejitter::testing::VirtualTime;
/// use rejitter::{Attempt, FailureEvent, Hooks, RetryPolicy, Verdict, retry};
///
/// struct Logged(Vec<String>);
///
/// impl Hooks<u16> for &mut Logged {
///     fn when(&mut self, status: &u16, _: &Attempt) -> Verdict {
///         (*status >= 500).into()
///     }
///     fn notify(&mut self, event: &FailureEvent<'_, u16>) {
///         self.0.push(format!("attempt {}: {}", event.attempt, event.error));
///     }
/// }
///
/// let (time, mut log) = (VirtualTime::new(), Logged(Vec::new()));
/// let outcome = time.block_on(
///     retry(RetryPolicy::default(), || async { Err::<(), u16>(404) })
///         .hooks(&mut log)
///         .sleeper(&time),
/// );
/// assert_eq!(outcome, Err(404));
/// assert_eq!(log.0, ["attempt 1: 404"]);
/// ```
pub trait Hooks<E> {
    /// Whether a hook reads times: without any, an operation without a deadline reads no clock.
    #[doc(hidden)]
    const TIMED: bool = true;

    /// Whether [`when`](Self::when) may return [`Verdict::RetryAnew`]: then attempts are measured, from the second on.
    #[doc(hidden)]
    const MAY_BEGIN_AGAIN: bool = true;

    /// Whether there is a hook at all: without any, no time passes between a failure and its decision.
    #[doc(hidden)]
    const CALLS: bool = true;

    /// See [`Retry::when_attempt`](crate::Retry::when_attempt). Defaults to [`Verdict::Retry`].
    fn when(&mut self, error: &E, attempt: &Attempt) -> Verdict {
        let _ = (error, attempt);
        Verdict::Retry
    }

    /// See [`Retry::hint`](crate::Retry::hint). Defaults to `None`.
    fn hint(&mut self, error: &E) -> Option<Duration> {
        let _ = error;
        None
    }

    #[cfg(feature = "protection")]
    /// See [`Retry::signal`](crate::Retry::signal). Defaults to `None`: by the verdict.
    fn signal(&mut self, error: &E) -> Option<Signal> {
        let _ = error;
        None
    }

    #[cfg(feature = "protection")]
    /// See [`Retry::weight`](crate::Retry::weight). Defaults to 1.
    fn weight(&mut self, attempt: u64) -> f64 {
        let _ = attempt;
        1.0
    }

    /// See [`Retry::curve`](crate::Retry::curve). Defaults to `None`: 10 s.
    fn curve(&mut self, k: u64) -> Option<Duration> {
        let _ = k;
        None
    }

    /// See [`Retry::notify_success`](crate::Retry::notify_success). Defaults to nothing.
    fn success(&mut self, attempts: u64, elapsed: Duration) {
        let _ = (attempts, elapsed);
    }

    /// See [`Retry::notify`](crate::Retry::notify). Defaults to nothing.
    fn notify(&mut self, event: &FailureEvent<'_, E>) {
        let _ = event;
    }
}

/// No hooks.
impl<E> Hooks<E> for () {
    const TIMED: bool = false;
    const MAY_BEGIN_AGAIN: bool = false;
    const CALLS: bool = false;
}

/// Passes each hook to a macro: its name, and how a set of hooks asks that of `Inner` instead of one of its own.
macro_rules! each_hook {
    ($each:ident) => {
        $each! { when
        fn when(&mut self, error: &E, attempt: &Attempt) -> Verdict { self.1.when(error, attempt) } }
        $each! { hint
        fn hint(&mut self, error: &E) -> Option<Duration> { self.1.hint(error) } }
        $each! { signal
        #[cfg(feature = "protection")]
        fn signal(&mut self, error: &E) -> Option<Signal> { self.1.signal(error) } }
        $each! { weight
        #[cfg(feature = "protection")]
        fn weight(&mut self, attempt: u64) -> f64 { self.1.weight(attempt) } }
        $each! { curve
        fn curve(&mut self, k: u64) -> Option<Duration> { self.1.curve(k) } }
        $each! { success
        fn success(&mut self, attempts: u64, elapsed: Duration) { self.1.success(attempts, elapsed); } }
        $each! { notify
        fn notify(&mut self, event: &FailureEvent<'_, E>) { self.1.notify(event); } }
    };
}

/// `Inner`, with one hook replaced by a function; the others are passed on. `$timed`: the function reads times.
// Those of a predicate have the conversion with them. Were it a bound of theirs, or were they opaque, each further call
// of a chain would repeat the compiler's message about a predicate of another type.
macro_rules! replaces {
    (@anew $inner:ident) => { $inner::MAY_BEGIN_AGAIN };
    // It returns a `bool` or a verdict, of which the trait has no bound here.
    (@anew $inner:ident $v:ident) => { size_of::<$v>() == size_of::<Verdict>() };
    ($type:ident$(<$v:ident>)? [$($function:tt)*] $timed:literal fn $own:ident $($hook:tt)+) => {
        #[allow(missing_debug_implementations)]
        pub struct $type<F, Inner, $($v)?>(
            pub(super) F,
            pub(super) Inner,
            $(pub(super) fn($v) -> Verdict)?
        );

        macro_rules! unless_own {
            ($own $passed_on:item) => {};
            ($other:ident $passed_on:item) => { $passed_on };
        }

        impl<E, F: $($function)*, Inner: Hooks<E>, $($v)?> Hooks<E> for $type<F, Inner, $($v)?> {
            #[allow(clippy::overly_complex_bool_expr)]
            const TIMED: bool = $timed || Inner::TIMED;
            const MAY_BEGIN_AGAIN: bool = replaces!(@anew Inner $($v)?);
            fn $own $($hook)+
            each_hook!(unless_own);
        }
    };
}

replaces! { When<V> [FnMut(&E) -> V] false
fn when(&mut self, error: &E, _: &Attempt) -> Verdict { (self.2)((self.0)(error)) } }
replaces! { WhenAttempt<V> [FnMut(&E, &Attempt) -> V] true
fn when(&mut self, error: &E, attempt: &Attempt) -> Verdict { (self.2)((self.0)(error, attempt)) } }
replaces! { HintOf [FnMut(&E) -> Option<Duration>] false
fn hint(&mut self, error: &E) -> Option<Duration> { (self.0)(error) } }
#[cfg(feature = "protection")]
replaces! { SignalOf [FnMut(&E) -> Option<Signal>] false
fn signal(&mut self, error: &E) -> Option<Signal> { (self.0)(error) } }
#[cfg(feature = "protection")]
replaces! { Weight [FnMut(u64) -> f64] false
fn weight(&mut self, attempt: u64) -> f64 { (self.0)(attempt) } }
replaces! { Curve [FnMut(u64) -> Duration] false
fn curve(&mut self, k: u64) -> Option<Duration> { Some((self.0)(k)) } }
replaces! { NotifySuccess [FnMut(u64, Duration)] true
fn success(&mut self, attempts: u64, elapsed: Duration) { (self.0)(attempts, elapsed); } }
replaces! { Notify [FnMut(&FailureEvent<'_, E>)] true
fn notify(&mut self, event: &FailureEvent<'_, E>) { (self.0)(event); } }
