//! A predicate that decides nothing.

use rejitter::{RetryPolicy, retry};
use std::time::Duration;

async fn answer() -> std::io::Result<u8> {
    retry(RetryPolicy::default(), || async { Ok(42) })
        .when(|error: &std::io::Error| error.kind())
        .notify(|event| println!("{}", event.error))
        .sleep(|_: Duration| std::future::ready(()))
        .await
}

fn main() {
    let _ = answer();
}

//~ error: `ErrorKind` does not say whether to retry
//~ at most 15 lines
