//! The policy and the rules of HTTP for other crates, each behind a feature of its name.
//!
//! No module here is public, so that a glob import hides none of these crates.

#[cfg(all(feature = "http", feature = "std"))]
mod headers;
#[cfg(feature = "retry-policies")]
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
mod retry_policies;
#[cfg(feature = "tower")]
mod tower;

#[cfg(all(feature = "http", feature = "std"))]
pub use headers::retry_after;
#[cfg(feature = "tower")]
pub use tower::{Classify, Retried, RetryLayer, RetryService};
#[cfg(all(feature = "tower", feature = "protection"))]
pub use tower::{HedgedBy, ProtectedBy, SignalledBy};
