//! One operation beside a loop by hand and other crates: its time, its allocations and the bytes of its future. Prints
//! the table of docs/guide/rust.md.
//!
//! The attempts and the waits are ready at once, so that nothing but the retry is measured. All take turns, so that
//! what else the machine does is the same for all. The best of many rounds counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::future::{Ready, ready};
use std::hint::black_box;
use std::mem::size_of_val;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use backon::{ExponentialBuilder, Retryable};
use rejitter::{BreakerOptions, BudgetOptions, Protection, RetryPolicy, retry};

const POLICY: RetryPolicy = RetryPolicy::exponential();
const ROUNDS: usize = 60;
const OPERATIONS: u32 = 5_000;

type Answer = Result<u64, u64>;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
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

fn backoff() -> ExponentialBuilder {
    ExponentialBuilder::new()
        .with_jitter()
        .with_min_delay(Duration::from_millis(100))
        .with_max_times(5)
}

/// Runs an operation with so many failures.
type Run = Box<dyn Fn(u64)>;

/// The name of an operation, the bytes of its future as users build it, on Tokio's timers, and how it is measured.
macro_rules! contender {
    ($name:literal, |$failures:ident, $sleep:ident| $operation:expr) => {{
        let size = {
            let ($failures, $sleep) = (&Cell::new(0), tokio::time::sleep);
            size_of_val(&$operation)
        };
        let run = Box::new(move |count: u64| {
            let failures = Cell::new(count);
            let ($failures, $sleep) = (black_box(&failures), now);
            black_box(block_on($operation).is_ok());
        }) as Run;
        ($name, size, run)
    }};
}

/// The best time of an operation in ns, and its allocations, for each contender.
fn measure(contenders: &[(&'static str, usize, Run)], failures: u64) -> Vec<(f64, u64)> {
    let mut best = vec![(f64::INFINITY, 0); contenders.len()];
    for _ in 0..ROUNDS {
        for ((_, _, run), best) in contenders.iter().zip(&mut best) {
            let before = ALLOCATIONS.get();
            let start = Instant::now();
            for _ in 0..OPERATIONS {
                run(failures);
            }
            let ns = start.elapsed().as_secs_f64() * 1e9 / f64::from(OPERATIONS);
            let allocations = (ALLOCATIONS.get() - before) / u64::from(OPERATIONS);
            *best = (best.0.min(ns), allocations);
        }
    }
    best
}

fn main() {
    let enough = BudgetOptions {
        per_success: Some(3.0),
        refund: false,
        ..BudgetOptions::DEFAULT
    };
    let api = Protection::new()
        .budget(enough)
        .breaker(BreakerOptions::DEFAULT);
    let contenders = [
        contender!("loop by hand", |failures, _sleep| by_hand(failures)),
        contender!("backon, with jitter", |failures, sleep| {
            (|| attempt(failures)).retry(backoff()).sleep(sleep)
        }),
        contender!("rejitter", |failures, sleep| {
            retry(POLICY, || attempt(failures)).sleep(sleep)
        }),
        contender!("with a breaker and a budget", |failures, sleep| {
            let operation = retry(POLICY, || attempt(failures)).sleep(sleep);
            operation.protection(&api)
        }),
    ];
    let (success, failures) = (measure(&contenders, 0), measure(&contenders, 3));
    println!(
        "| one operation | future, B | success, ns | allocations | 3 failures, ns | allocations |"
    );
    println!("|---|---|---|---|---|---|");
    for (i, (name, size, _)) in contenders.iter().enumerate() {
        let ((first, made), (third, then)) = (success[i], failures[i]);
        println!("| {name} | {size} | {first:.1} | {made} | {third:.0} | {then} |");
    }
}
