//! Operations that need no memory take none: counted by the allocator.

#![cfg(not(target_family = "wasm"))]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::future::ready;
use std::time::Duration;

use rejitter::testing::VirtualTime;
use rejitter::{
    BreakerOptions, BudgetOptions, CooldownOptions, HedgeOptions, Jitter, Protection, RetryPolicy,
    retry, retry_blocking, retry_with,
};

/// The system's allocator, which counts the calls of each thread.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: the system's allocator does the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // The thread may be ending.
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations<T>(run: impl FnOnce() -> T) -> (T, usize) {
    let before = ALLOCATIONS.get();
    let output = run();
    (output, ALLOCATIONS.get() - before)
}

/// Polls a future that is ready at its first poll.
fn at_once<F: Future>(future: F) -> F::Output {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::pin!(future).poll(&mut context) {
        std::task::Poll::Ready(output) => output,
        std::task::Poll::Pending => panic!("pending"),
    }
}

#[test]
fn the_allocator_counts() {
    assert_eq!(allocations(|| Box::new(1)).1, 1);
}

#[test]
fn a_success_at_the_first_attempt_allocates_nothing() {
    let policy = RetryPolicy::default();
    let timers = |_: Duration| ready(());
    let (output, count) = allocations(|| {
        let operation = retry(policy, || ready(Ok::<_, String>(1)));
        at_once(
            operation
                .when(|error| error == "busy")
                .hint(|_| None)
                .notify(|event| println!("{event:?}"))
                .total_timeout(Duration::from_secs(1))
                .attempt_timeout(Duration::from_secs(1))
                .sleep(timers),
        )
    });
    assert_eq!((output.unwrap(), count), (1, 0));

    let (output, count) = allocations(|| retry_blocking(policy, || Ok::<_, String>(1)).call());
    assert_eq!((output, count), (Ok(1), 0));

    let mut state = 1;
    let (output, count) = allocations(|| {
        let operation = retry_with(&mut state, policy, async |state: &mut i32, _| {
            (Ok::<_, String>(*state), state)
        });
        at_once(operation.sleep(timers))
    });
    assert_eq!((output, count), (Ok(1), 0));
}

#[test]
fn a_protected_success_at_the_first_attempt_allocates_nothing_either() {
    let policy = RetryPolicy::default();
    let api = Protection::new()
        .budget(BudgetOptions::default())
        .breaker(BreakerOptions::default())
        .cooldown(CooldownOptions::default());
    let (output, count) = allocations(|| {
        let operation = retry(policy, || ready(Ok::<_, String>(1)));
        at_once(operation.protection(&api).sleep(|_| ready(())))
    });
    assert_eq!((output.unwrap(), count), (1, 0));
    let key = api.for_key("eu");
    // The first operation of a key enters it in the list.
    let first = retry_blocking(policy, || Ok::<_, String>(1));
    assert_eq!(first.protection(&key).call().ok(), Some(1));
    let (output, count) = allocations(|| {
        let operation = retry_blocking(policy, || Ok::<_, String>(1));
        operation.protection(&key).call()
    });
    assert_eq!((output.unwrap(), count), (1, 0));
}

#[test]
fn a_hedged_success_allocates_for_the_histogram_of_the_protection_alone() {
    let policy = RetryPolicy::default();
    let learns = Protection::new().hedge(HedgeOptions::default());
    let call = || {
        let operation = retry(policy, || ready(Ok::<_, String>(1)));
        at_once(operation.protection(&learns).hedge().sleep(|_| ready(())))
    };
    assert_eq!(allocations(call).1, 1);
    let (output, count) = allocations(call);
    assert_eq!((output.unwrap(), count), (1, 0));
}

#[test]
fn retries_without_a_report_allocate_nothing_either() {
    let policy = RetryPolicy::fixed(Duration::ZERO).with_jitter(Jitter::None);
    let mut calls = 0;
    let (output, count) = allocations(|| {
        let flaky = || {
            calls += 1;
            if calls < 5 { Err("busy") } else { Ok(calls) }
        };
        retry_blocking(policy, flaky).seed(1).sleep(|_| ()).call()
    });
    assert_eq!((output, count), (Ok(5), 0));
}

/// An error may hold a response or a connection, which must not stay open while the operation waits.
#[test]
fn a_failed_attempt_s_error_is_dropped_before_the_wait() {
    struct Held<'a>(&'a Cell<usize>);
    impl<'a> Held<'a> {
        fn new(alive: &'a Cell<usize>) -> Self {
            alive.set(alive.get() + 1);
            Self(alive)
        }
    }
    impl Drop for Held<'_> {
        fn drop(&mut self) {
            self.0.set(self.0.get() - 1);
        }
    }

    let policy = RetryPolicy::default().with_max_attempts(30);
    let (alive, time) = (Cell::new(0), VirtualTime::new());
    let most_while = |deadline: bool, report: bool| {
        let most = Cell::new(0);
        let sleep = |_: Duration| most.set(most.get().max(alive.get()));
        let operation = retry_blocking(policy, || Err::<(), _>(Held::new(&alive))).sleep(sleep);
        let late = Duration::from_secs(1_000_000);
        let kept = if report {
            let failed = operation.report().call().err().unwrap();
            assert_eq!(failed.report.records.len(), 10);
            alive.get()
        } else {
            let failed = if deadline {
                operation.total_timeout(late).call()
            } else {
                operation.call()
            };
            let kept = alive.get();
            drop(failed);
            kept
        };
        (most.get(), kept)
    };
    assert_eq!(most_while(false, false), (0, 1));
    // The deadline may need it.
    assert_eq!(most_while(true, false), (1, 1));
    assert_eq!(most_while(false, true), (1, 1));

    let failed = retry_blocking(policy, || Err::<(), _>(Held::new(&alive)))
        .report()
        .keep_errors(3)
        .sleeper(&time)
        .call();
    assert_eq!(alive.get(), 3);
    drop(failed);
    assert_eq!(alive.get(), 0);
}
