//! reqwest's middleware retries by our policy: a server of this process answers the third request. Errors of reqwest,
//! anyhow and eyre keep their causes.

use std::time::Duration;

use rejitter::{Jitter, RetryPolicy, retry};
use reqwest_middleware::ClientBuilder;
use reqwest_retry::RetryTransientMiddleware;

const POLICY: RetryPolicy = RetryPolicy::exponential()
    .with_base(Duration::from_millis(1))
    .with_jitter(Jitter::Decorrelated);

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let url = services::serve(["503 Busy", "503 Busy", "200 OK"]);
    let client = ClientBuilder::new(reqwest::Client::new())
        .with(RetryTransientMiddleware::new_with_policy(POLICY))
        .build();
    assert_eq!(client.get(url).send().await.unwrap().status(), 200);
    causes().await;
}

/// The server is gone: the reason is the last cause, also after a deadline.
async fn causes() {
    async fn get() -> reqwest::Result<reqwest::Response> {
        reqwest::get("http://127.0.0.1:1/").await
    }
    fn refused(chain: impl Iterator<Item = String>) {
        let chain: Vec<_> = chain.collect();
        let after = " (after 6 attempts: exhausted)";
        assert!(chain[0].ends_with(after), "{chain:?}");
        let reason = "Connection refused";
        assert!(
            chain.len() > 2 && chain.last().unwrap().starts_with(reason),
            "{chain:?}"
        );
    }
    let limit = Duration::from_secs(60);
    let failed = retry(POLICY, get).total_timeout(limit).await.unwrap_err();
    refused(anyhow::Error::from(failed).chain().map(ToString::to_string));

    async fn by_anyhow() -> anyhow::Result<reqwest::Response> {
        anyhow::Context::context(get().await, "loading user")
    }
    let failed = retry(POLICY, by_anyhow).total_timeout(limit).await;
    let failed: anyhow::Error = failed.unwrap_err().chained().into();
    refused(failed.chain().map(ToString::to_string));
    assert!(format!("{failed:#}").contains("Connection refused"));

    async fn by_eyre() -> eyre::Result<reqwest::Response> {
        eyre::WrapErr::wrap_err(get().await, "loading user")
    }
    let failed = retry(POLICY, by_eyre).total_timeout(limit).await;
    let failed: eyre::Report = failed.unwrap_err().chained().into();
    refused(failed.chain().map(ToString::to_string));
}
