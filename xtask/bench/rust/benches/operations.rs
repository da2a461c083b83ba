//! One operation beside a loop by hand and backon: the bytes of its future, its time and its allocations, without a
//! failure, with one and with three. docs/guide/rust.md has the figures in a table.
//!
//! The attempts and the waits are ready at once, so that nothing but the retry is measured. The contenders take turns,
//! and the best of many batches counts, so the ratios hold on a busy machine, too. `cargo bench -- 3000` sets the
//! number of batches.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::future::{Ready, ready};
use std::hint::black_box;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use backon::{BlockingRetryable, ExponentialBuilder, Retryable};
use rejitter::{BreakerOptions, BudgetOptions, Protection, RetryPolicy, retry, retry_blocking};

const POLICY: RetryPolicy = RetryPolicy::exponential();
const LONG: Duration = Duration::from_secs(20);
/// Operations of a batch, and batches without another number.
const BATCH: u32 = 1_000;
const BATCHES: u32 = 1_000;

/// The system's allocator, which counts.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: the system's allocator does the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

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
fn attempt_blocking(failures: &Cell<u64>) -> Result<u64, u64> {
    let left = failures.get();
    if left == 0 {
        Ok(black_box(42))
    } else {
        failures.set(left - 1);
        Err(black_box(left))
    }
}

async fn attempt(failures: &Cell<u64>) -> Result<u64, u64> {
    attempt_blocking(failures)
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

/// Something that is measured. Bytes are those of the future as users build it, on Tokio's timers.
struct Contender<'a> {
    name: &'static str,
    bytes: Option<usize>,
    /// Runs one operation that fails so many times. Called as a caller elsewhere would, and not a part of the loop.
    run: Box<dyn Fn(u64) -> bool + 'a>,
}

/// The contenders, with the function that waits.
macro_rules! contenders {
    ($($name:literal, |$failures:ident, $sleep:ident| $operation:expr;)*) => {
        [$(Contender {
            name: $name,
            bytes: {
                let ($failures, $sleep) = (&Cell::new(0), tokio::time::sleep);
                let _ = $sleep;
                Some(size_of_val(&$operation))
            },
            run: black_box(Box::new(|count| {
                let failures = Cell::new(count);
                let ($failures, $sleep) = (black_box(&failures), now);
                let _ = $sleep;
                block_on($operation).is_ok()
            })),
        }),*]
    };
}

macro_rules! blocking {
    ($($name:literal, |$failures:ident, $sleep:ident| $operation:expr;)*) => {
        [$(Contender {
            name: $name,
            bytes: None,
            run: black_box(Box::new(|count| {
                let failures = Cell::new(count);
                let ($failures, $sleep) = (black_box(&failures), |_: Duration| ());
                $operation.call().is_ok()
            })),
        }),*]
    };
}

/// The best time of each, in ns, in the order of the contenders.
fn times(contenders: &[Contender<'_>], failures: u64, batches: u32) -> Vec<f64> {
    let mut best = vec![f64::INFINITY; contenders.len()];
    for _ in 0..batches {
        for (best, contender) in best.iter_mut().zip(contenders) {
            let start = Instant::now();
            for _ in 0..BATCH {
                black_box((contender.run)(failures));
            }
            let ns = start.elapsed().as_secs_f64() * 1e9 / f64::from(BATCH);
            *best = best.min(ns);
        }
    }
    best
}

fn main() {
    let mut arguments = std::env::args();
    let batches = arguments.find_map(|each| each.parse().ok());
    let api = &protection();
    let futures = contenders! {
        "loop by hand", |failures, sleep| by_hand(failures);
        "backon", |failures, sleep| (|| attempt(failures)).retry(backoff()).sleep(sleep);
        "rejitter", |failures, sleep| retry(POLICY, || attempt(failures)).sleep(sleep);
        "backon, when", |failures, sleep|
            (|| attempt(failures)).retry(backoff()).sleep(sleep).when(|error| *error < 100);
        "rejitter, when", |failures, sleep|
            retry(POLICY, || attempt(failures)).sleep(sleep).when(|error| *error < 100);
        "with a report", |failures, sleep| retry(POLICY, || attempt(failures)).sleep(sleep).report();
        "with a deadline", |failures, sleep|
            retry(POLICY, || attempt(failures)).sleep(sleep).total_timeout(LONG);
        "with a breaker and a budget", |failures, sleep|
            retry(POLICY, || attempt(failures)).sleep(sleep).protection(api);
    };
    let threads = blocking! {
        "backon, blocking", |failures, sleep|
            (|| attempt_blocking(failures)).retry(backoff()).sleep(sleep);
        "rejitter, blocking", |failures, sleep|
            retry_blocking(POLICY, || attempt_blocking(failures)).sleep(sleep);
    };
    let contenders: Vec<_> = futures.into_iter().chain(threads).collect();
    println!("failures | ns | × backon | allocations | future, B");
    for failures in [0, 1, 3] {
        let times = times(&contenders, failures, batches.unwrap_or(BATCHES));
        for (contender, ns) in contenders.iter().zip(&times) {
            let before = ALLOCATIONS.get();
            (contender.run)(failures);
            let allocations = ALLOCATIONS.get() - before;
            let bytes = contender
                .bytes
                .map_or(String::new(), |bytes| bytes.to_string());
            let ratio = ns / times[1];
            println!(
                "{failures} | {ns:8.2} | {ratio:6.2} | {allocations} | {bytes:>4} | {}",
                contender.name
            );
        }
    }
}
