//! An async function in a blocking operation.

use rejitter::{RetryPolicy, retry_blocking};

async fn send() -> Result<u8, String> {
    Ok(42)
}

fn main() {
    let _ = retry_blocking(RetryPolicy::default(), send).call();
}

//~ error: the callback of `retry_blocking` must return a `Result`
//~ note: for an `async fn`, or another function that returns a future, call `retry`
//~ at most 15 lines
