//! backon's order: the context before the result.

use rejitter::testing::VirtualTime;
use rejitter::{RetryPolicy, retry_with};

fn main() {
    let time = VirtualTime::new();
    let _ = time.block_on(async {
        retry_with((), RetryPolicy::default(), |state, _| async move {
            (state, Ok::<_, String>(1))
        })
        .sleeper(&time)
        .await
    });
}

//~ error: the callback of `retry_with` must return `(result, state)`
//~ note: end it with both, in this order: `|state, _| async move { let result = …; (result, state) }`
//~ at most 15 lines
