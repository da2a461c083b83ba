//! Operations that nobody starts.

#![deny(unused_must_use)]

use rejitter::{RetryPolicy, retry_blocking, retry_with};

const POLICY: RetryPolicy = RetryPolicy::exponential();

fn main() {
    retry_with((), POLICY, |(), _| async { (Ok::<_, ()>(1), ()) });
    //~ error: unused `…` that must be used
    //~ note: futures do nothing unless awaited

    retry_blocking(POLICY, || Ok::<_, ()>(1));
    //~ error: unused `…` that must be used
    //~ note: nothing happens until it is called
}
