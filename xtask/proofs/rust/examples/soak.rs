//! A day of traffic on a virtual clock: ten million operations under all parts of protection, with timeouts, drops and
//! outages, of which nothing may be left. Counts the bytes that are allocated.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, RefCell};
use std::future::{Future, IntoFuture, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicIsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use rejitter::testing::VirtualTime;
use rejitter::{
    BreakerOptions, BudgetOptions, CooldownOptions, HedgeOptions, LimiterOptions, Protection,
    RetryPolicy, Sleeper, Verdict, retry,
};

const OPERATIONS: u64 = 10_000_000;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const HOUR_MS: u128 = 60 * 60 * 1000;
/// The first minute of each hour, the server is down.
const OUTAGE_MS: u128 = 60_000;
const MARKS: u64 = 12;
/// More than what is under way takes: a hundredth of a byte per operation.
const SPREAD_BYTES: isize = 100_000;
const KEYS: [&str; 3] = ["a", "b", "c"];
const POLICY: RetryPolicy = RetryPolicy::exponential()
    .with_base(Duration::from_millis(50))
    .with_cap(Duration::from_secs(2))
    .with_max_attempts(4);

/// The system's allocator, and how many bytes are in use.
struct Counting;

static IN_USE: AtomicIsize = AtomicIsize::new(0);

#[allow(clippy::cast_possible_wrap)] // No block is half of the address space.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        IN_USE.fetch_add(layout.size() as isize, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size() as isize, Ordering::Relaxed);
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Numbers of a xorshift generator, in [0, 1).
struct Draws(Cell<u64>);

impl Draws {
    #[allow(clippy::cast_precision_loss)] // Of 53 bits, none is lost.
    fn next(&self) -> f64 {
        let mut word = self.0.get();
        word ^= word << 13;
        word ^= word >> 7;
        word ^= word << 17;
        self.0.set(word);
        (word >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// A server: usually quick, sometimes slow, silent, too busy or down.
async fn call(time: &VirtualTime, draws: &Draws) -> Result<(), u16> {
    let chance = draws.next();
    if chance < 0.002 {
        return std::future::pending().await;
    }
    let slow = if chance > 0.99 { 400.0 } else { 0.0 };
    time.sleep(Duration::from_secs_f64(
        (5.0 + 40.0 * draws.next() + slow) / 1000.0,
    ))
    .await;
    let is_down = time.now().as_millis() % HOUR_MS < OUTAGE_MS;
    match chance {
        _ if is_down => Err(503),
        ..0.01 => Err(429),
        ..0.06 => Err(503),
        _ => Ok(()),
    }
}

/// One operation; one of thirty is dropped on its way.
async fn operate(time: &VirtualTime, draws: &Draws, api: &Protection) -> bool {
    let dropped_at = (draws.next() < 0.03).then(|| Duration::from_secs_f64(0.3 * draws.next()));
    let operation = retry(POLICY, || call(time, draws))
        .when(|status: &u16| match status {
            429 => Verdict::RetryAtLeast(Duration::from_millis(500)),
            _ => Verdict::Retry,
        })
        .sleeper(time)
        .attempt_timeout(Duration::from_secs(1))
        .total_timeout(Duration::from_secs(8))
        .protection(api)
        .hedge();
    let mut operation = pin!(operation.into_future());
    let mut drop = pin!(time.sleep(dropped_at.unwrap_or(DAY)));
    poll_fn(|context| match operation.as_mut().poll(context) {
        Poll::Ready(ended) => Poll::Ready(ended.is_ok()),
        Poll::Pending => drop.as_mut().poll(context).map(|()| false),
    })
    .await
}

fn main() {
    let (time, draws) = (VirtualTime::new(), Draws(Cell::new(0x9e37_79b9_7f4a_7c15)));
    let clock = time.clone();
    let api = Protection::new()
        .budget(BudgetOptions::default())
        .breaker(BreakerOptions::default())
        .cooldown(CooldownOptions::default())
        .hedge(HedgeOptions {
            delay_ms: Some(200.0),
            ..HedgeOptions::default()
        })
        .limiter(LimiterOptions {
            limit: Some(60.0),
            burst: Some(10),
            concurrency: Some(40),
            max_queue: Some(200),
            ..LimiterOptions::default()
        })
        .clock(move || clock.now());
    let keys = KEYS.map(|key| api.for_key(key));
    let (resolved, marks) = (Cell::new(0_u64), RefCell::new(Vec::new()));
    time.block_on(async {
        let mut running = FuturesUnordered::new();
        for number in 0..OPERATIONS {
            let mut gap = pin!(time.sleep(DAY / u32::try_from(OPERATIONS).expect("fits")));
            poll_fn(|context| {
                while let Poll::Ready(Some(ok)) = running.poll_next_unpin(context) {
                    resolved.set(resolved.get() + u64::from(ok));
                }
                gap.as_mut().poll(context)
            })
            .await;
            let key = &keys[usize::try_from(number % 3).expect("small")];
            running.push(operate(&time, &draws, key));
            if (number + 1) % (OPERATIONS / MARKS) == 0 {
                let bytes = IN_USE.load(Ordering::Relaxed);
                println!(
                    "{} h: {} resolved, {bytes} B in use",
                    time.now().as_secs() / 3600,
                    resolved.get()
                );
                marks.borrow_mut().push(bytes);
            }
        }
        while let Some(ok) = running.next().await {
            resolved.set(resolved.get() + u64::from(ok));
        }
    });
    assert_eq!(time.waits(), 0, "a wait is left");
    for key in &keys {
        let limiter = key.status().limiter.expect("there is one");
        assert_eq!((limiter.running, limiter.queued), (0, 0));
        assert_eq!(key.status().cooldown.expect("there is one").held, 0);
    }
    let marks = marks.into_inner();
    let grown = marks.iter().max().expect("there are some") - marks[1];
    assert!(grown < SPREAD_BYTES, "{grown} B more are in use");
    println!(
        "{OPERATIONS} operations in 24 h: nothing is left, at most {grown} B more were in use"
    );
}
