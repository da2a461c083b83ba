//! A layer for Tower that retries the requests of a service.

mod call;
mod classify;
mod failed;
mod form;
mod layer;

pub use call::Retried;
pub use classify::Classify;
#[cfg(feature = "protection")]
pub use classify::SignalledBy;
#[cfg(feature = "protection")]
pub use form::{HedgedBy, ProtectedBy};
pub use layer::{RetryLayer, RetryService};
