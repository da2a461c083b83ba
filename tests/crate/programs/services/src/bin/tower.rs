//! A layer of Tower retries the requests of a client: those that can be copied, by the status and headers of HTTP.

use std::convert::Infallible;
use std::error::Error;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, Response, StatusCode};
use rejitter::{RetryLayer, RetryPolicy, StatusRule, Verdict, retry_after};
use tower::{Layer, ServiceExt, service_fn};

const POLICY: RetryPolicy = RetryPolicy::exponential().with_base(Duration::from_millis(1));

fn verdict(outcome: Result<&Response<Body>, &Infallible>) -> Verdict {
    let response = outcome.unwrap();
    match retry_after(response.headers()) {
        Some(wait) => Verdict::RetryAtLeast(wait),
        None => StatusRule::Transient.retries(response.status()).into(),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    let server = service_fn(async |_: Request<String>| {
        let response = Response::builder();
        Ok::<_, Infallible>(match CALLS.fetch_add(1, Ordering::Relaxed) {
            0 => response
                .status(StatusCode::BAD_GATEWAY)
                .body(Body::empty())
                .unwrap(),
            1 => response
                .status(429)
                .header("retry-after-ms", "5")
                .body(Body::empty())
                .unwrap(),
            _ => response.body(Body::from("hello")).unwrap(),
        })
    });
    let service = RetryLayer::new(POLICY, verdict).layer(server);
    let response = service
        .oneshot(Request::get("/").body(String::new())?)
        .await?;
    assert_eq!(
        (response.status(), CALLS.load(Ordering::Relaxed)),
        (StatusCode::OK, 3)
    );
    Ok(())
}
