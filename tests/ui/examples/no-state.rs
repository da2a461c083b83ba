//! A callback that keeps the state.

use rejitter::testing::VirtualTime;
use rejitter::{RetryPolicy, retry_with};

fn main() {
    let time = VirtualTime::new();
    let _ = time.block_on(async {
        retry_with(7, RetryPolicy::default(), |state, _| async move {
            Ok::<_, String>(state)
        })
        .sleeper(&time)
        .await
    });
}

//~ error: the callback of `retry_with` must return `(result, state)`
//~ note: end it with both, in this order: `|state, _| async move { let result = …; (result, state) }`
//~ at most 15 lines
