//! A blocking callback.

use rejitter::{RetryPolicy, retry};

fn main() {
    let _ = retry(RetryPolicy::default(), || Ok::<_, String>(42));
}

//~ error: `Result<{integer}, String>` is not a future of a `Result`, so it cannot be retried
//~ note: for a function that returns a `Result` without a future, call `retry_blocking`
