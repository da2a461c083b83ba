//! The first attempt takes the value, and there is none for the next.

use rejitter::{RetryPolicy, retry};

async fn send(text: String) -> Result<usize, String> {
    Ok(text.len())
}

fn main() {
    let text = String::from("hello");
    let _ = retry(RetryPolicy::default(), || send(text));
}

//~ error: this callback cannot be retried
//~ note: if it moves a value into its future, it has none for the next: clone it inside, as in `|| { let value = value.clone(); async move { … } }`
