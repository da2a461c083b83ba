//! The program of the guide on the timers of this machine.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use embassy::{Radio, Timers, report};
use rejitter::{RetryPolicy, StopReason, Verdict, retry};

fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return output;
        }
        std::thread::yield_now();
    }
}

#[test]
fn a_reading_is_sent_again_until_the_radio_takes_it() {
    assert_eq!(block_on(report(&Radio, 7, 1)).ok(), Some(7));
    let failed = block_on(report(&Radio, 0, 1)).unwrap_err();
    assert_eq!((failed.reason, failed.report.attempts), (StopReason::Exhausted, 4));
}

#[test]
fn the_longest_wait_is_a_wait() {
    let mut attempts = 0;
    let mut operation = pin!(
        retry(RetryPolicy::default(), || {
            attempts += 1;
            async { Err::<(), _>("busy") }
        })
        .when(|_| Verdict::RetryExactly(Duration::MAX))
        .seed(1)
        .sleeper(Timers)
    );
    for _ in 0..200 {
        let _ = operation.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    }
    assert_eq!(attempts, 1);
}
