//! The core's answers about HTTP, for the `fetch` wrapper.
//!
//! Strings cross through one static buffer: the driver writes the bytes there and passes their
//! lengths. A `&str` in an export would bring an allocator and glue of 4 kB along. These functions
//! are a wasm file of their own (`http.wasm`), because only they need a memory.

use std::sync::atomic::{AtomicU8, Ordering};

#[cfg(feature = "http")]
use wasm_bindgen::prelude::wasm_bindgen;

use crate::core::http::{HintHeaders, NetworkFailure, StatusRule, is_idempotent, retry_after_ms};

/// Three texts of 256 bytes: `src/js/http.js` cuts what is longer.
const CAPACITY: usize = 768;

/// Atomics make a mutable static safe; in wasm without threads they are plain bytes.
static BUFFER: [AtomicU8; CAPACITY] = [const { AtomicU8::new(0) }; CAPACITY];

/// Where the driver writes texts, one after the other.
#[must_use]
#[cfg_attr(feature = "http", wasm_bindgen(skip_typescript))]
pub fn http_buffer() -> u32 {
    // Addresses have 32 bits here.
    #[allow(clippy::cast_possible_truncation)]
    let address = BUFFER.as_ptr().addr() as u32;
    address
}

/// The wait that three headers ask for, in ms: `retry-after-ms`, `Retry-After` and `Date` stand in
/// the buffer, with these lengths (0: no such header). NaN when they ask for none.
#[must_use]
#[cfg_attr(feature = "http", wasm_bindgen(skip_typescript))]
pub fn http_hint(
    retry_after_ms_length: u32,
    retry_after_length: u32,
    date_length: u32,
    now_ms: f64,
) -> f64 {
    let bytes = bytes();
    let [retry_after_ms_text, retry_after, date] = texts(
        &bytes,
        [retry_after_ms_length, retry_after_length, date_length],
    );
    let headers = HintHeaders {
        retry_after_ms: retry_after_ms_text,
        retry_after,
        date,
    };
    retry_after_ms(&headers, now_ms).unwrap_or(f64::NAN)
}

/// Whether a status is worth another attempt, by rule 0 (transient), 1 (transient, in browsers) or
/// 2 (go-retryablehttp).
#[must_use]
#[cfg_attr(feature = "http", wasm_bindgen(skip_typescript))]
pub fn http_status(rule: u32, status: u32) -> bool {
    let rule = match rule {
        0 => StatusRule::Transient,
        1 => StatusRule::TransientInBrowsers,
        _ => StatusRule::GoRetryableHttp,
    };
    rule.retries(status)
}

/// Whether the method in the buffer is idempotent.
#[must_use]
#[cfg_attr(feature = "http", wasm_bindgen(skip_typescript))]
pub fn http_method(length: u32) -> bool {
    let bytes = bytes();
    let [method] = texts(&bytes, [length]);
    is_idempotent(method)
}

/// What an error's code, syscall and message in the buffer say: 0 nothing, 1 the network, 2 that
/// nothing was processed, 3 that no attempt can succeed.
#[must_use]
#[cfg_attr(feature = "http", wasm_bindgen(skip_typescript))]
pub fn http_failure(code_length: u32, syscall_length: u32, message_length: u32) -> u32 {
    let bytes = bytes();
    let [code, syscall, message] = texts(&bytes, [code_length, syscall_length, message_length]);
    match NetworkFailure::of(code, syscall, message) {
        NetworkFailure::Unknown => 0,
        NetworkFailure::Network => 1,
        NetworkFailure::Unprocessed => 2,
        NetworkFailure::Hopeless => 3,
    }
}

#[inline(never)]
fn bytes() -> [u8; CAPACITY] {
    let mut bytes = [0; CAPACITY];
    for (byte, shared) in bytes.iter_mut().zip(&BUFFER) {
        *byte = shared.load(Ordering::Relaxed);
    }
    bytes
}

/// The texts of these lengths, one after the other; empty where the lengths lie.
fn texts<const N: usize>(bytes: &[u8], lengths: [u32; N]) -> [&[u8]; N] {
    let mut rest = bytes;
    lengths.map(|length| {
        let (text, after) = rest.split_at_checked(length as usize).unwrap_or_default();
        rest = after;
        text
    })
}
