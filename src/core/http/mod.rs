//! What HTTP says about a retry: the server's hint, the status, the method, the network failure.
//!
//! Text comes in as the bytes of header values and messages; only ASCII means anything here.
//! Nothing is asked of the host, so the answers are the same in every engine.

mod date;
mod failure;
mod hint;
mod request;

pub use date::parse_http_date;
pub use failure::NetworkFailure;
pub use hint::{HintHeaders, retry_after_ms};
pub use request::{StatusRule, is_idempotent};
