//! reqwest retries a request if its method allows that, by the response's status and headers, and errors of
//! connections. What comes out is a response, as without retries.

use std::error::Error;
use std::time::{Duration, Instant};

use rejitter::{RetryPolicy, StatusRule, is_idempotent, retry, retry_after};
use reqwest::{Client, Method, Response};

const POLICY: RetryPolicy = RetryPolicy::exponential().with_base(Duration::from_millis(1));

/// A response that may be retried, or an error.
enum Failed {
    Response(Response),
    Error(reqwest::Error),
}

impl Failed {
    fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Response(response) => retry_after(response.headers()),
            Self::Error(_) => None,
        }
    }
}

async fn send(client: &Client, method: Method, url: &str) -> reqwest::Result<Response> {
    let outcome = retry(POLICY, || async {
        match client.request(method.clone(), url).send().await {
            Ok(response) if StatusRule::Transient.retries(response.status()) => {
                Err(Failed::Response(response))
            }
            Ok(response) => Ok(response),
            Err(error) => Err(Failed::Error(error)),
        }
    })
    .when(|_| is_idempotent(&method))
    .hint(Failed::retry_after)
    .await;
    match outcome {
        Ok(response) | Err(Failed::Response(response)) => Ok(response),
        Err(Failed::Error(error)) => Err(error),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = Client::new();
    let started = Instant::now();
    let url = services::serve(["503 Busy\r\nretry-after: 1", "503 Busy", "200 OK"]);
    assert_eq!(send(&client, Method::GET, &url).await?.status(), 200);
    assert!(started.elapsed() >= Duration::from_secs(1));
    assert!(
        send(&client, Method::GET, &url)
            .await
            .is_err_and(|error| error.is_connect())
    );

    let url = services::serve(["503 Busy", "200 OK"]);
    assert_eq!(send(&client, Method::POST, &url).await?.status(), 503);
    Ok(())
}
