//! A program for WASI: threads' sleep and the system's clock, the system's randomness, a sleeper of its own.

use std::cell::Cell;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use rejitter::{RetryPolicy, Seed, retry, retry_blocking};

const POLICY: RetryPolicy = RetryPolicy::exponential()
    .with_base(Duration::from_millis(5))
    .with_min(Duration::from_millis(5))
    .with_max_attempts(3);

fn main() {
    assert_ne!(Seed::random().unwrap(), Seed::random().unwrap());

    let started = Instant::now();
    let failed = retry_blocking(POLICY, || Err::<(), _>("busy")).call();
    assert!(failed.is_err());
    assert!(started.elapsed() >= Duration::from_millis(10), "it did not wait");

    let attempts = Cell::new(0);
    let operation = || {
        attempts.set(attempts.get() + 1);
        async { Err::<(), _>("busy") }
    };
    let mut operation = pin!(retry(POLICY, operation)
        .sleep(|wait| async move { std::thread::sleep(wait) }));
    let mut context = Context::from_waker(Waker::noop());
    while let Poll::Pending = operation.as_mut().poll(&mut context) {}
    assert_eq!(attempts.get(), 3);
}
