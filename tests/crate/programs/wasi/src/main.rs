//! A program for WASI: threads' sleep and the system's clock, the system's randomness, a sleeper of its own.

use std::cell::Cell;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use rejitter::{RetryOptions, RetryPolicy, Seed, retry, retry_blocking};

fn main() {
    let policy = RetryPolicy::new(RetryOptions {
        base_ms: Some(5.0),
        min_ms: Some(5.0),
        max_attempts: Some(3),
        ..RetryOptions::default()
    });
    let policy = policy.expect("the options are valid");
    assert_ne!(Seed::random().unwrap(), Seed::random().unwrap());

    let started = Instant::now();
    let failed = retry_blocking(policy, || Err::<(), _>("busy")).call();
    assert!(failed.is_err());
    assert!(started.elapsed() >= Duration::from_millis(10), "it did not wait");

    let attempts = Cell::new(0);
    let operation = || {
        attempts.set(attempts.get() + 1);
        async { Err::<(), _>("busy") }
    };
    let mut operation = pin!(retry(policy, operation)
        .sleep(|wait| async move { std::thread::sleep(wait) }));
    let mut context = Context::from_waker(Waker::noop());
    while let Poll::Pending = operation.as_mut().poll(&mut context) {}
    assert_eq!(attempts.get(), 3);
}
