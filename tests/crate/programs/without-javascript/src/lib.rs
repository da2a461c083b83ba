//! A wasm file for a host without JavaScript: it brings the sleeper and the seed.

use std::cell::Cell;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use rejitter::{RetryPolicy, retry};

/// Returns how many attempts it took.
#[unsafe(no_mangle)]
pub extern "C" fn attempts() -> u32 {
    let attempts = Cell::new(0);
    let operation = || {
        attempts.set(attempts.get() + 1);
        let failed = attempts.get() < 3;
        async move { if failed { Err("busy") } else { Ok(()) } }
    };
    let operation = retry(RetryPolicy::default(), operation)
        .seed(7)
        .sleep(|_| async {});
    let mut operation = pin!(operation);
    let mut context = Context::from_waker(Waker::noop());
    let result = loop {
        if let Poll::Ready(result) = operation.as_mut().poll(&mut context) {
            break result;
        }
    };
    assert!(result.is_ok());
    attempts.get()
}
