//! What a callback has for one attempt alone.

use rejitter::{RetryPolicy, retry};

async fn send(text: String) -> Result<usize, String> {
    Ok(text.len())
}

// The first attempt takes the value, and there is none for the next.
fn moved_value(text: String) {
    let _ = retry(RetryPolicy::default(), || send(text));
}
//~ error: this callback cannot be retried
//~ note: if it moves a value into its future, it has none for the next: clone it inside, as in `|| { let value = value.clone(); async move { … } }`

struct Connection;

impl Connection {
    async fn query(&mut self) -> Result<u8, String> {
        Ok(42)
    }
}

// An async closure lends what it captures to its future, so that two attempts could share it.
fn mutable_capture(mut connection: Connection) {
    let _ = retry(RetryPolicy::default(), async || connection.query().await);
}
//~ error: this callback cannot be retried
//~ note: for state behind `&mut`, such as a connection, call `retry_with(&mut state, policy, |state, _| async move { (…, state) })`

fn main() {}
