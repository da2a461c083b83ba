//! The sleepers that this crate brings, each where its host is.

/// Makes the default of a host's sleeper.
#[allow(unused_macros)] // Where there is none.
macro_rules! default_sleeper {
    ($host:ident) => {
        impl Sleeper for super::DefaultSleeper {
            type Sleep = <$host as Sleeper>::Sleep;

            fn sleep(&self, duration: Duration) -> Self::Sleep {
                $host.sleep(duration)
            }

            fn now(&self) -> Option<Duration> {
                $host.now()
            }
        }
    };
}

#[cfg(all(target_family = "wasm", target_os = "unknown", feature = "js"))]
mod js;
#[cfg(feature = "retry")]
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
mod thread;
#[cfg(feature = "tokio")]
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
mod tokio;

#[cfg(all(target_family = "wasm", target_os = "unknown", feature = "js"))]
pub use js::{JsSleep, JsSleeper};
#[cfg(feature = "retry")]
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use thread::{BlockingSleeper, ThreadSleeper};
#[cfg(feature = "tokio")]
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use tokio::TokioSleeper;

/// The sleeper of an operation that sets no other with [`Retry::sleep`](crate::Retry::sleep) or
/// [`Retry::sleeper`](crate::Retry::sleeper).
///
/// With the feature `tokio` it waits as `TokioSleeper` does; with the feature `js`, in a wasm file for
/// a JavaScript host, as `JsSleeper` does. Without either it does not implement [`Sleeper`](crate::Sleeper).
#[derive(Debug, Clone, Default)]
pub struct DefaultSleeper {
    _private: (),
}

#[cfg(feature = "protection")]
/// The time outside of an operation: that of the default sleeper, or the system's.
pub(super) fn host_now() -> Option<core::time::Duration> {
    #[cfg(feature = "tokio")]
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    return super::Sleeper::now(&TokioSleeper);
    #[allow(unreachable_code)]
    super::clock::now()
}

#[cfg(not(any(
    all(target_family = "wasm", target_os = "unknown", feature = "js"),
    all(
        feature = "tokio",
        not(all(target_family = "wasm", target_os = "unknown"))
    )
)))]
impl super::sleeper::MaybeSleeper for DefaultSleeper {
    type Sleep = core::future::Pending<()>;
}
