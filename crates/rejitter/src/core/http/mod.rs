//! The rules of HTTP that retries need: the server's hint, the status, the method.
//!
//! For Rust clients of any HTTP library. `rejitter/fetch` has the same rules in JavaScript
//! (src/js/fetch/http.js), because text is expensive to pass to wasm; tests hold the two to one table.
//!
//! Text comes in as the bytes of header values; only ASCII means anything here.

mod date;
mod hint;
mod request;

pub use date::parse_http_date;
pub use hint::{HintHeaders, retry_after_ms};
pub use request::{StatusRule, is_idempotent};
