//! The sleepers that this crate brings, each where its host is.

#[cfg(all(target_family = "wasm", target_os = "unknown", feature = "js"))]
mod js;
#[cfg(all(
    feature = "tokio",
    not(all(target_family = "wasm", target_os = "unknown"))
))]
mod tokio;

#[cfg(all(target_family = "wasm", target_os = "unknown", feature = "js"))]
pub use js::{JsSleep, JsSleeper};
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

/// The sleeper of an operation that sets no other with [`Retry::sleep`](crate::Retry::sleep) or
/// [`Retry::sleeper`](crate::Retry::sleeper).
///
/// With the feature `tokio` it waits as `TokioSleeper` does; with the feature `js`, in a wasm file for
/// a JavaScript host, as `JsSleeper` does. Without either it does not implement [`Sleeper`](crate::Sleeper).
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

    fn sleep(&self, duration: core::time::Duration) -> Self::Sleep {
        self.host.sleep(duration)
    }

    fn now(&self) -> Option<core::time::Duration> {
        self.host.now()
    }
}

#[cfg(feature = "protection")]
/// The time outside of an operation: that of the default sleeper, or the system's.
pub(super) fn host_now() -> Option<core::time::Duration> {
    #[cfg(all(
        feature = "tokio",
        not(all(target_family = "wasm", target_os = "unknown"))
    ))]
    return super::Sleeper::now(&Host::default());
    #[cfg(not(all(
        feature = "tokio",
        not(all(target_family = "wasm", target_os = "unknown"))
    )))]
    return super::clock::now();
}

#[cfg(not(any(
    all(target_family = "wasm", target_os = "unknown", feature = "js"),
    all(
        feature = "tokio",
        not(all(target_family = "wasm", target_os = "unknown"))
    )
)))]
impl super::sleeper::MaybeSleeper for DefaultSleeper {
    type Sleep = core::convert::Infallible;
}
