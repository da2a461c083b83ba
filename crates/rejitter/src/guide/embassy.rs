//! A task of firmware: no standard library, embassy's timers, a seed of the hardware's. It is built for a Cortex-M4.

#![no_std]

use core::time::Duration;

use embassy_time::{Instant, Timer};
use rejitter::{RetryError, RetryPolicy, Sleeper, retry};

const POLICY: RetryPolicy = RetryPolicy::exponential()
    .with_base(Duration::from_millis(50))
    .with_max_attempts(4);

/// Embassy's timers and clock.
pub struct Timers;

impl Sleeper for Timers {
    type Sleep = Timer;

    fn sleep(&self, duration: Duration) -> Timer {
        // Rounded up: no wait is shorter than decided. The longest is 2^53 − 1 ms, which fits.
        Timer::after_micros(duration.as_nanos().div_ceil(1_000) as u64)
    }

    fn now(&self) -> Option<Duration> {
        Some(Duration::from_micros(Instant::now().as_micros()))
    }
}

pub struct Radio;

impl Radio {
    async fn send(&self, reading: u32) -> Result<u32, u8> {
        if reading > 0 { Ok(reading) } else { Err(1) }
    }
}

/// Sends a reading until the radio takes it, for 2 s at most. `seed`: from the hardware's randomness.
pub async fn report(radio: &Radio, reading: u32, seed: u64) -> Result<u32, RetryError<u8>> {
    retry(POLICY, || radio.send(reading))
        .total_timeout(Duration::from_secs(2))
        .seed(seed)
        .sleeper(Timers)
        .await
}
