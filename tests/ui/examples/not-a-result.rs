//! A future that cannot fail.

use rejitter::{RetryPolicy, retry};

fn main() {
    let _ = retry(RetryPolicy::default(), || async { 42 });
}

//~ error: `…` is not a future of a `Result`, so it cannot be retried
//~ note: write the callback as `|| async { … }`, `async || …` or the name of an `async fn`, and return `Ok` or `Err`
