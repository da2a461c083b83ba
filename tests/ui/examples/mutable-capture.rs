//! An async closure lends what it captures to its future, so that two attempts could share it.

use rejitter::{RetryPolicy, retry};

struct Connection;

impl Connection {
    async fn query(&mut self) -> Result<u8, String> {
        Ok(42)
    }
}

fn main() {
    let mut connection = Connection;
    let _ = retry(RetryPolicy::default(), async || connection.query().await);
}

//~ error: this callback cannot be retried
//~ note: for state behind `&mut`, such as a connection, call `retry_with(&mut state, policy, |state, _| async move { (…, state) })`
