//! Headers of a server: whatever they are, a wait is a number between 0 and the longest one.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rejitter::decide::{HintHeaders, MAX_MS, retry_after_ms};

fuzz_target!(|input: (f64, &[u8])| {
    let (now_ms, text) = input;
    let mut parts = text.split(|byte| *byte == b'\n');
    let mut next = || parts.next().unwrap_or_default();
    let headers = HintHeaders {
        retry_after: next(),
        date: next(),
        retry_after_ms: next(),
        x_ms_retry_after_ms: next(),
        x_amz_retry_after: next(),
    };
    if let Some(ms) = retry_after_ms(&headers, now_ms) {
        // Only a clock that shows no time makes a wait that is none, and of that there comes a wait of zero.
        assert!(
            (0.0..=MAX_MS).contains(&ms) || now_ms.is_nan(),
            "{ms} at {now_ms}"
        );
    }
});
