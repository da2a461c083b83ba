//! Callbacks of other shapes.

use std::time::Duration;

use rejitter::reconnect::keep_connected;
use rejitter::testing::VirtualTime;
use rejitter::{RetryPolicy, retry, retry_blocking, retry_with};

const POLICY: RetryPolicy = RetryPolicy::exponential();

async fn send() -> Result<u8, String> {
    Ok(42)
}

// An async function in a blocking operation.
fn blocking_future() {
    let _ = retry_blocking(POLICY, send).call();
}
//~ error: the callback of `retry_blocking` must return a `Result`
//~ note: for an `async fn`, or another function that returns a future, call `retry`
//~ at most 15 lines

// Without a feature that brings timers, and without timers.
async fn missing_sleeper() -> Result<u8, String> {
    retry(POLICY, || async { Ok(42) }).await
}
//~ error: no timers to wait on: `DefaultSleeper` is not a `Sleeper`
//~ note: enable rejitter's feature `tokio` (`js` on wasm32-unknown-unknown), or pass your runtime's function to `.sleep(…)`, such as `.sleep(async_io::Timer::after)`

// The same for a connection.
async fn missing_sleeper_of_a_connection() {
    keep_connected(POLICY, |_| async { Ok::<_, String>(()) })
        .run()
        .await;
}
//~ error: no timers to wait on: `DefaultSleeper` is not a `Sleeper`
//~ note: enable rejitter's feature `tokio` (`js` on wasm32-unknown-unknown), or pass your runtime's function to `.sleep(…)`, such as `.sleep(async_io::Timer::after)`

// A callback that keeps the state.
async fn no_state(time: &VirtualTime) {
    let call = retry_with(7, POLICY, |state, _| async move { Ok::<_, String>(state) });
    let _ = call.sleeper(time).await;
}
//~ error: the callback of `retry_with` must return `(result, state)`
//~ note: end it with both, in this order: `|state, _| async move { let result = …; (result, state) }`
//~ at most 15 lines

// backon's order: the context before the result.
async fn state_before_result(time: &VirtualTime) {
    let call = retry_with((), POLICY, |(), _| async { ((), Ok::<_, String>(1)) });
    let _ = call.sleeper(time).await;
}
//~ error: the callback of `retry_with` must return `(result, state)`
//~ note: end it with both, in this order: `|state, _| async move { let result = …; (result, state) }`
//~ at most 15 lines

// A blocking callback.
fn not_a_future() {
    let _ = retry(POLICY, || Ok::<_, String>(42));
}
//~ error: `Result<{integer}, String>` is not a future of a `Result`, so it cannot be retried
//~ note: for a function that returns a `Result` without a future, call `retry_blocking`

// A future that cannot fail.
fn not_a_result() {
    let _ = retry(POLICY, || async { 42 });
}
//~ error: `…` is not a future of a `Result`, so it cannot be retried
//~ note: write the callback as `|| async { … }`, `async || …` or the name of an `async fn`, and return `Ok` or `Err`

// A predicate that decides nothing.
async fn wrong_predicate() -> std::io::Result<u8> {
    retry(POLICY, || async { Ok(42) })
        .when(|error: &std::io::Error| error.kind())
        .notify(|event| println!("{}", event.error))
        .sleep(|_: Duration| std::future::ready(()))
        .await
}
//~ error: `ErrorKind` does not say whether to retry
//~ at most 15 lines

fn main() {}
