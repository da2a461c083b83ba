//! How an operation waits and knows the time.

use alloc::boxed::Box;
use alloc::rc::Rc;
#[cfg(target_has_atomic = "ptr")]
use alloc::sync::Arc;
use core::time::Duration;

use super::clock;
use crate::core::MAX_MS;
use crate::policy::duration_from_ms;

/// Longest time that a sleeper gets: 2^53 − 1 ms, as in the core.
pub(super) const LONGEST: Duration = duration_from_ms(MAX_MS);

/// Sleeps and reads the clock for asynchronous operations: [`retry()`](crate::retry()).
///
/// [`Retry::sleep`](crate::Retry::sleep) takes a runtime's function, which needs no sleeper.
/// Implement this trait for timers with a clock of their own, then pass the value, or a reference, `Box`, `Rc` or
/// `Arc` of it, to [`Retry::sleeper`](crate::Retry::sleeper):
///
/// ```
/// use rejitter::testing::{VirtualSleep, VirtualTime};
/// use rejitter::{RetryPolicy, Sleeper, retry};
/// use std::sync::atomic::{AtomicU32, Ordering};
/// use std::time::Duration;
///
/// #[derive(Default)]
/// struct Counted { time: VirtualTime, sleeps: AtomicU32 }
///
/// impl Sleeper for Counted {
///     type Sleep = VirtualSleep;
///     fn sleep(&self, duration: Duration) -> VirtualSleep {
///         self.sleeps.fetch_add(1, Ordering::Relaxed);
///         Sleeper::sleep(&self.time, duration)
///     }
///     fn now(&self) -> Option<Duration> {
///         Sleeper::now(&self.time)
///     }
/// }
///
/// let timers = Counted::default();
/// let policy = RetryPolicy::default().with_max_attempts(3);
/// let operation = retry(policy, || async { Err::<(), _>("busy") }).sleeper(&timers);
/// assert_eq!(timers.time.block_on(operation), Err("busy"));
/// assert_eq!(timers.sleeps.load(Ordering::Relaxed), 2);
/// ```
#[diagnostic::on_unimplemented(
    message = "no timers to wait on: `{Self}` is not a `Sleeper`",
    label = "cannot wait between attempts",
    note = "enable rejitter's feature `tokio` (`js` on wasm32-unknown-unknown), or pass your \
            runtime's function to `.sleep(…)`, such as `.sleep(async_io::Timer::after)`"
)]
pub trait Sleeper {
    /// A wait. Dropping it cancels it: no timer stays behind.
    type Sleep: Future;

    /// Returns a wait that ends `duration` from now, never earlier by the clock of [`now`](Self::now). Its
    /// output is ignored. No duration exceeds 2^53 − 1 ms.
    fn sleep(&self, duration: Duration) -> Self::Sleep;

    /// Returns the time since some moment in the past. Monotonic: it never goes back, also when the
    /// system's wall clock is set. Always `None` if there is no clock: the sum of the waits then stands for
    /// the time. Defaults to the system's monotonic clock, if the host has one.
    fn now(&self) -> Option<Duration> {
        clock::now()
    }
}

/// Passes the types of sleepers that are lent or shared to a macro. Not every `Deref`: a type around a runtime's handle
/// may have a sleep of its own.
macro_rules! pointers {
    ($implement:ident) => {
        $implement! { &S }
        $implement! { &mut S }
        $implement! { Box<S> }
        $implement! { Rc<S> }
        #[cfg(target_has_atomic = "ptr")]
        $implement! { Arc<S> }
    };
}

macro_rules! lent {
    ($pointer:ty) => {
        #[diagnostic::do_not_recommend]
        impl<S: Sleeper + ?Sized> Sleeper for $pointer {
            type Sleep = S::Sleep;

            fn sleep(&self, duration: Duration) -> S::Sleep {
                (**self).sleep(duration)
            }

            fn now(&self) -> Option<Duration> {
                (**self).now()
            }
        }
    };
}
pointers!(lent);

#[cfg(feature = "retry")]
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub(super) use pointers;

/// A function as a sleeper, in the types that [`Retry::sleep`](crate::Retry::sleep) and
/// `BlockingRetry::sleep` return. Made by [`sleep_fn`].
#[derive(Debug, Clone, Copy)]
pub struct SleepFn<F>(pub(super) F);

/// Makes a sleeper of a function. For a [`Sleeper`] the function returns a future, for a `BlockingSleeper` it returns
/// after the wait. The clock is the system's.
pub fn sleep_fn<F>(sleep: F) -> SleepFn<F> {
    SleepFn(sleep)
}

impl<F, Sleep> Sleeper for SleepFn<F>
where
    F: Fn(Duration) -> Sleep,
    Sleep: Future,
{
    type Sleep = Sleep;

    #[inline]
    fn sleep(&self, duration: Duration) -> Sleep {
        (self.0)(duration)
    }
}

/// A sleeper, or a [`DefaultSleeper`](super::DefaultSleeper) that cannot wait: an operation can be written before it
/// is known whether it can wait.
#[doc(hidden)]
pub trait MaybeSleeper {
    type Sleep: Future;
}

#[diagnostic::do_not_recommend]
impl<S: Sleeper> MaybeSleeper for S {
    type Sleep = S::Sleep;
}
