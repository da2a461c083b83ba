//! The decisions, in a file whose panics call a function of the host: the linker leaves that import out if none can.
#![no_std]

use core::alloc::{GlobalAlloc, Layout};
use core::panic::PanicInfo;

use rejitter::decide::{Decision, Failure, Hint};
use rejitter::{Backoff, Jitter, RetryOptions, RetryPolicy, Seed, StatusRule, is_idempotent};

/// Has no memory to give: a decision takes none.
struct Nothing;

// SAFETY: null says that there is no memory.
unsafe impl GlobalAlloc for Nothing {
    unsafe fn alloc(&self, _: Layout) -> *mut u8 {
        core::ptr::null_mut()
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static ALLOCATOR: Nothing = Nothing;

#[link(wasm_import_module = "host")]
unsafe extern "C" {
    fn panicked() -> !;
}

#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    // SAFETY: it takes nothing and does not return.
    unsafe { panicked() }
}

/// A policy that the compiler cannot know, of each backoff and each jitter.
fn policy(kind: u32, base: f64, cap: f64, attempts: u64) -> RetryPolicy {
    RetryPolicy::resolve(&RetryOptions {
        base_ms: Some(base),
        cap_ms: Some(cap),
        max_attempts: Some(attempts),
        backoff: match kind % 6 {
            0 => Backoff::Fixed,
            1 => Backoff::Linear,
            2 => Backoff::Exponential,
            3 => Backoff::Truncated,
            4 => Backoff::Fibonacci,
            _ => Backoff::Custom,
        },
        jitter: match kind / 6 {
            0 => Jitter::None,
            1 => Jitter::Full,
            2 => Jitter::Equal,
            3 => Jitter::Decorrelated,
            4 => Jitter::DecorrelatedBounded,
            5 => Jitter::Proportional { ratio: base },
            6 => Jitter::Additive { ratio: base },
            7 => Jitter::Slotted,
            _ => Jitter::PollyV2,
        },
        ..RetryOptions::DEFAULT
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn decide(kind: u32, base: f64, cap: f64, attempt: u64, seed: u64, hint: f64) -> f64 {
    let failure = Failure {
        hint: Hint::Server(hint),
        ..Failure::of_attempt(attempt)
    };
    let draws = Seed::new(seed).draws(0, attempt);
    match policy(kind, base, cap, u64::MAX).decide(&failure, draws) {
        Decision::Retry { delay_ms } => delay_ms,
        _ => -1.0,
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn delay(kind: u32, base: f64, cap: f64, k: u64, seed: u64) -> u64 {
    policy(kind, base, cap, u64::MAX).delay(k, Seed::new(seed)).as_secs()
}

#[unsafe(no_mangle)]
pub extern "C" fn delays(kind: u32, base: f64, cap: f64, attempts: u64, seed: u64) -> u64 {
    let delays = policy(kind, base, cap, attempts).delays(Seed::new(seed));
    delays.fold(0, |sum, delay| sum ^ u64::from(delay.subsec_nanos()))
}

#[unsafe(no_mangle)]
pub extern "C" fn retries(status: u16) -> bool {
    StatusRule::Transient.retries(status) && is_idempotent("GET")
}

#[cfg(feature = "control")]
#[unsafe(no_mangle)]
pub extern "C" fn quotient(one: u32, other: u32) -> u32 {
    one / other
}
