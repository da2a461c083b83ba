//! The sleepers that this crate brings, each where its host is.

#[cfg(all(target_family = "wasm", target_os = "unknown", feature = "js"))]
mod js;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
mod thread;
#[cfg(all(
    feature = "tokio",
    not(all(target_family = "wasm", target_os = "unknown"))
))]
mod tokio;

#[cfg(all(target_family = "wasm", target_os = "unknown", feature = "js"))]
pub use js::{JsSleep, JsSleeper};
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use thread::ThreadSleeper;
#[cfg(all(
    feature = "tokio",
    not(all(target_family = "wasm", target_os = "unknown"))
))]
pub use tokio::TokioSleeper;

#[cfg(all(target_family = "wasm", target_os = "unknown", feature = "js"))]
use js::JsSleeper as Host;
#[cfg(all(
    feature = "tokio",
    not(all(target_family = "wasm", target_os = "unknown"))
))]
use tokio::TokioSleeper as Host;

/// The sleeper of [`retry`](crate::retry) unless [`with_sleeper`](crate::Retry::with_sleeper) sets another.
///
/// With the feature `tokio` it waits as `TokioSleeper` does; with the feature `js`, in a wasm file for
/// a JavaScript host, as `JsSleeper` does. Without either it is no [`Sleeper`](crate::Sleeper).
#[derive(Debug, Clone, Default)]
pub struct DefaultSleeper {
    #[cfg(any(
        all(target_family = "wasm", target_os = "unknown", feature = "js"),
        all(
            feature = "tokio",
            not(all(target_family = "wasm", target_os = "unknown"))
        )
    ))]
    host: Host,
}

#[cfg(any(
    all(target_family = "wasm", target_os = "unknown", feature = "js"),
    all(
        feature = "tokio",
        not(all(target_family = "wasm", target_os = "unknown"))
    )
))]
impl super::Sleeper for DefaultSleeper {
    type Sleep = <Host as super::Sleeper>::Sleep;

    fn sleep(&self, duration: std::time::Duration) -> Self::Sleep {
        self.host.sleep(duration)
    }

    fn now(&self) -> std::time::Duration {
        self.host.now()
    }
}
