//! One operation beside a loop by hand and another crate: the bytes of its future, its time and its allocations, without
//! a failure and with three. docs/guide/rust.md has the figures in a table.
//!
//! The attempts and the waits are ready at once, so that nothing but the retry is measured.

use std::cell::Cell;
use std::future::{Ready, ready};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use backon::{ExponentialBuilder, Retryable};
use divan::{AllocProfiler, black_box};
use rejitter::{BreakerOptions, BudgetOptions, Protection, RetryPolicy, retry};

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

const POLICY: RetryPolicy = RetryPolicy::exponential();

/// Polls until it is ready: wakes come before the next poll.
fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
    }
}

fn now(_: Duration) -> Ready<()> {
    ready(())
}

/// Fails that number of times, then succeeds.
async fn attempt(failures: &Cell<u64>) -> Result<u64, u64> {
    let left = failures.get();
    if left == 0 {
        Ok(black_box(42))
    } else {
        failures.set(left - 1);
        Err(black_box(left))
    }
}

async fn by_hand(failures: &Cell<u64>) -> Result<u64, u64> {
    let mut delay = Duration::from_millis(100);
    let mut number = 1;
    loop {
        match attempt(failures).await {
            Ok(value) => return Ok(value),
            Err(error) if number == 6 => return Err(error),
            Err(_) => now(black_box(delay)).await,
        }
        delay = (delay * 2).min(Duration::from_secs(10));
        number += 1;
    }
}

fn backoff() -> ExponentialBuilder {
    ExponentialBuilder::new()
        .with_jitter()
        .with_min_delay(Duration::from_millis(100))
        .with_max_times(5)
}

fn protection() -> Protection {
    let enough = BudgetOptions {
        per_success: Some(3.0),
        refund: false,
        ..BudgetOptions::DEFAULT
    };
    Protection::new()
        .budget(enough)
        .breaker(BreakerOptions::DEFAULT)
}

/// How an operation is measured, after the bytes of its future as users build it, on Tokio's timers.
macro_rules! contenders {
    ($($name:ident, |$failures:ident, $sleep:ident, $api:ident| $operation:expr;)*) => {
        $(#[divan::bench(args = [0, 3])]
        fn $name(bencher: divan::Bencher, count: u64) {
            let ($api, $sleep) = (&protection(), now);
            let _ = ($api, $sleep);
            // Called as a caller elsewhere would, and not a part of the loop around it.
            let once = |count| {
                let failures = Cell::new(count);
                let $failures = black_box(&failures);
                block_on($operation).is_ok()
            };
            let run: &dyn Fn(u64) -> bool = black_box(&once);
            bencher.bench_local(|| run(count));
        })*

        fn main() {
            $({
                let ($failures, $sleep, $api) = (&Cell::new(0), tokio::time::sleep, &protection());
                let _ = ($sleep, $api);
                println!("{}: a future of {} B", stringify!($name), size_of_val(&$operation));
            })*
            divan::main();
        }
    };
}

contenders! {
    loop_by_hand, |failures, sleep, api| by_hand(failures);
    backon_with_jitter, |failures, sleep, api| (|| attempt(failures)).retry(backoff()).sleep(sleep);
    rejitter, |failures, sleep, api| retry(POLICY, || attempt(failures)).sleep(sleep);
    with_breaker_and_budget, |failures, sleep, api| {
        retry(POLICY, || attempt(failures)).sleep(sleep).protection(api)
    };
}
