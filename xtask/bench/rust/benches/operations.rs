//! One operation: a success at the first attempt, three failures and a success, and the bytes of its future.
//!
//! The attempts are ready at once, so that nothing but the retry is measured, and so are the waits. tokio-retry
//! has Tokio's timers only: its waits are zero, in a runtime.

use std::cell::Cell;
use std::future::{Ready, ready};
use std::hint::black_box;
use std::mem::size_of_val;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use backon::{ExponentialBuilder, Retryable};
use divan::{AllocProfiler, Bencher};
use rejitter::RetryPolicy;

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

const POLICY: RetryPolicy = RetryPolicy::exponential();

type Answer = Result<u64, u64>;

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
async fn attempt(failures: &Cell<u64>) -> Answer {
    let left = failures.get();
    if left == 0 {
        Ok(black_box(42))
    } else {
        failures.set(left - 1);
        Err(black_box(left))
    }
}

async fn by_hand(failures: &Cell<u64>) -> Answer {
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

fn with_rejitter(failures: &Cell<u64>) -> impl Future<Output = Answer> {
    rejitter::retry(POLICY, || attempt(failures))
        .seed(7)
        .sleep(now)
}

fn with_rejitter_reported(failures: &Cell<u64>) -> impl Future<Output = Answer> {
    let operation = rejitter::retry(POLICY, || attempt(failures))
        .seed(7)
        .sleep(now);
    async {
        operation
            .report()
            .await
            .map_err(|failed| failed.into_inner().unwrap_or(0))
    }
}

fn with_backon(failures: &Cell<u64>) -> impl Future<Output = Answer> {
    let policy = ExponentialBuilder::new()
        .with_jitter()
        .with_jitter_seed(7)
        .with_min_delay(Duration::from_millis(100))
        .with_max_times(5);
    (|| attempt(failures)).retry(policy).sleep(now)
}

fn with_tokio_retry(failures: &Cell<u64>) -> impl Future<Output = Answer> {
    let policy = std::iter::repeat_n(Duration::ZERO, 5);
    tokio_retry::Retry::start(policy, || attempt(failures))
}

macro_rules! group {
    ($name:ident, $failures:literal) => {
        #[divan::bench_group(sample_count = 300, max_time = 2)]
        mod $name {
            use super::*;

            #[divan::bench]
            fn bare(bencher: Bencher<'_, '_>) {
                let failures = Cell::new(0);
                bencher.bench_local(|| block_on(attempt(black_box(&failures))));
            }

            #[divan::bench]
            fn loop_by_hand(bencher: Bencher<'_, '_>) {
                bencher.bench_local(|| block_on(by_hand(black_box(&Cell::new($failures)))));
            }

            #[divan::bench]
            fn rejitter(bencher: Bencher<'_, '_>) {
                bencher.bench_local(|| block_on(with_rejitter(black_box(&Cell::new($failures)))));
            }

            #[divan::bench]
            fn rejitter_with_report(bencher: Bencher<'_, '_>) {
                bencher.bench_local(|| {
                    block_on(with_rejitter_reported(black_box(&Cell::new($failures))))
                });
            }

            #[divan::bench]
            fn backon(bencher: Bencher<'_, '_>) {
                bencher.bench_local(|| block_on(with_backon(black_box(&Cell::new($failures)))));
            }

            #[divan::bench]
            fn tokio_retry(bencher: Bencher<'_, '_>) {
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .enable_time()
                    .build()
                    .expect("a runtime");
                bencher.bench_local(|| {
                    runtime.block_on(with_tokio_retry(black_box(&Cell::new($failures))))
                });
            }
        }
    };
}

group!(success, 0);
group!(three_failures, 3);

/// A first attempt that yields once to a runtime, as every real one does.
#[divan::bench_group(sample_count = 300, max_time = 2)]
mod success_in_tokio {
    use super::*;

    async fn call() -> Answer {
        tokio::task::yield_now().await;
        Ok(black_box(42))
    }

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread()
            .build()
            .expect("a runtime")
    }

    #[divan::bench]
    fn bare(bencher: Bencher<'_, '_>) {
        let runtime = runtime();
        bencher.bench_local(|| runtime.block_on(call()));
    }

    #[divan::bench]
    fn rejitter(bencher: Bencher<'_, '_>) {
        let runtime = runtime();
        bencher.bench_local(|| runtime.block_on(rejitter::retry(POLICY, call).sleep(now)));
    }

    #[divan::bench]
    fn backon(bencher: Bencher<'_, '_>) {
        let runtime = runtime();
        let policy = ExponentialBuilder::new().with_jitter();
        bencher.bench_local(|| runtime.block_on(call.retry(policy).sleep(now)));
    }
}

fn main() {
    let failures = Cell::new(0);
    println!(
        "bytes per future, whose attempt has {}:",
        size_of_val(&attempt(&failures))
    );
    println!(
        "  loop by hand           {}",
        size_of_val(&by_hand(&failures))
    );
    println!(
        "  rejitter               {}",
        size_of_val(&with_rejitter(&failures))
    );
    println!(
        "  rejitter, with report  {}",
        size_of_val(&with_rejitter_reported(&failures))
    );
    println!(
        "  backon                 {}",
        size_of_val(&with_backon(&failures))
    );
    println!(
        "  tokio-retry            {}",
        size_of_val(&with_tokio_retry(&failures))
    );
    divan::main();
}
