//! Without a feature that brings timers, and without timers.

use rejitter::{RetryPolicy, retry};

async fn answer() -> Result<u8, String> {
    retry(RetryPolicy::default(), || async { Ok(42) }).await
}

fn main() {
    let _ = answer();
}

//~ error: no timers to wait on: `DefaultSleeper` is not a `Sleeper`
//~ note: enable rejitter's feature `tokio` (`js` on wasm32-unknown-unknown), or pass your runtime's function to `.sleep(…)`, such as `.sleep(async_io::Timer::after)`
