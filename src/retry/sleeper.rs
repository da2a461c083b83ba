//! How an operation waits and knows the time.

use std::time::Duration;

/// Sleeps and reads the clock for asynchronous operations: [`retry`](crate::retry).
///
/// The default, [`DefaultSleeper`](crate::DefaultSleeper), has the timers of Tokio or of a JavaScript host,
/// with the feature `tokio` or `js`. A function from a duration to a future is a sleeper too; its clock is then
/// the system's monotonic one. (On `wasm32-unknown-unknown` without `js` there is none: time stands still.)
///
/// ```ignore-wasm32
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use rejitter::{RetryOptions, RetryPolicy, retry};
///
/// let policy = RetryPolicy::new(RetryOptions::default())?;
/// let answer = retry(policy, || async { Ok::<_, std::io::Error>(42) })
///     .with_sleeper(tokio::time::sleep) // or async_io::Timer::after, or …
///     .await?;
/// assert_eq!(answer, 42);
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "no timers to wait on: `{Self}` is no `Sleeper`",
    note = "enable rejitter's feature `tokio`, or give `.with_sleeper(…)` your runtime's `sleep` function"
)]
pub trait Sleeper {
    /// A wait. Dropping it cancels it: no timer stays behind.
    type Sleep: Future<Output = ()>;

    /// A wait that ends `duration` from now, never earlier by the clock of [`now`](Self::now).
    fn sleep(&self, duration: Duration) -> Self::Sleep;

    /// The time since some moment in the past. Monotonic: it never goes back, also when the
    /// system's wall clock is set.
    fn now(&self) -> Duration;
}

impl<F, Sleep> Sleeper for F
where
    F: Fn(Duration) -> Sleep,
    Sleep: Future<Output = ()>,
{
    type Sleep = Sleep;

    fn sleep(&self, duration: Duration) -> Sleep {
        self(duration)
    }

    fn now(&self) -> Duration {
        super::clock::now()
    }
}
