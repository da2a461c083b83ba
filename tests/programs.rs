//! Programs as users write them, as far as the guide's have not their shapes.

use std::error::Error;
use std::fmt;
use std::future::{Future, Ready, ready};
use std::time::Duration;

use anyhow::Context as _;
use rejitter::types::Plain;
use rejitter::{Retry, RetryError, RetryExt, RetryPolicy, retry, retry_with, retry_with_attempt};

const POLICY: RetryPolicy = RetryPolicy::exponential().with_max_attempts(4);
const SECOND: Duration = Duration::from_secs(1);

/// Has a source.
#[derive(Debug)]
struct Outer;

impl fmt::Display for Outer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("own")
    }
}

impl Error for Outer {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&fmt::Error)
    }
}

#[tokio::test]
async fn an_error_of_any_kind_passes_a_deadline_with_its_source() {
    /// The text and the source of what `?` passes on.
    macro_rules! passed {
        ($own:expr => $target:ty, $by:expr) => {{
            let pass = async || -> Result<(), $target> {
                let call = retry(RetryPolicy::no_retries(), || ready(Err($own)));
                Ok(call.total_timeout(SECOND).await.map_err($by)?)
            };
            let passed = pass().await.unwrap_err();
            (passed.to_string(), passed.source().map(ToString::to_string))
        }};
    }
    type Boxed = Box<dyn Error>;
    type Sent = Box<dyn Error + Send + Sync>;
    let (text, source) = ("own (after 1 attempt: exhausted)", fmt::Error.to_string());
    for alone in [
        passed!("own" => Boxed, RetryError::into_boxed),
        passed!("own".to_owned() => Sent, RetryError::into_boxed),
        passed!("own" => anyhow::Error, RetryError::into_boxed),
    ] {
        assert_eq!(alone, (text.to_owned(), None));
    }
    for chained in [
        passed!(Outer => Boxed, |failed| failed),
        passed!(Boxed::from(Outer) => Boxed, RetryError::into_boxed),
        passed!(Sent::from(Outer) => anyhow::Error, RetryError::into_boxed),
        passed!(anyhow::Error::new(Outer) => Sent, RetryError::chained),
    ] {
        assert_eq!(chained, (text.to_owned(), Some(source.clone())));
    }
}

/// An error that prints itself and has causes, as those of HTTP clients.
#[derive(Debug)]
struct NotSent(std::io::Error);

impl fmt::Display for NotSent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not sent")
    }
}

impl std::error::Error for NotSent {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

#[tokio::test(start_paused = true)]
async fn a_retry_error_keeps_the_causes_of_the_caller_s() {
    async fn send() -> Result<(), NotSent> {
        Err(NotSent(std::io::Error::other("connection refused")))
    }
    async fn load() -> anyhow::Result<()> {
        send().await.context("loading user")
    }
    fn causes(error: &anyhow::Error) -> Vec<String> {
        error.chain().map(ToString::to_string).collect()
    }
    let failed = send.retry(POLICY).report().await.unwrap_err();
    let error = anyhow::Error::from(failed);
    let message = "not sent (after 4 attempts: exhausted)";
    assert_eq!(causes(&error), [message, "connection refused"]);
    assert!(
        error
            .chain()
            .any(<dyn std::error::Error>::is::<std::io::Error>)
    );

    // An `anyhow::Error` is not an error, but holds a chain of them.
    let failed = load.retry(POLICY).report().await.unwrap_err();
    assert_eq!(
        failed.to_string(),
        "loading user (after 4 attempts: exhausted)"
    );
    let message = "loading user: not sent: connection refused (after 4 attempts: exhausted)";
    assert_eq!(format!("{failed:#}"), message);
    let error = anyhow::Error::from(failed.chained());
    let message = "loading user (after 4 attempts: exhausted)";
    assert_eq!(causes(&error), [message, "not sent", "connection refused"]);
    assert!(error.chain().any(<dyn std::error::Error>::is::<NotSent>));

    // After a timeout, the causes are those of the failure before.
    let call = retry_with_attempt(POLICY, |attempt| async move {
        if attempt.attempt == 4 {
            tokio::time::sleep(60 * SECOND).await;
        }
        send().await
    });
    let failed = call.attempt_timeout(SECOND).await.unwrap_err();
    let message = "the attempt timed out after 1s (after 4 attempts: exhausted; before: not sent)";
    assert_eq!(causes(&failed.into()), [message, "connection refused"]);
}

struct Connection {
    queries: u32,
}

impl Connection {
    async fn execute(&mut self, sql: &str) -> Result<usize, String> {
        tokio::task::yield_now().await;
        self.queries += 1;
        if self.queries < 3 {
            Err("deadlock".to_owned())
        } else {
            Ok(sql.len())
        }
    }
}

/// The shapes in which handlers and methods retry work on state: their futures must be `Send`, and borrow.
mod shapes {
    use super::*;

    trait Db: Send {
        fn run(&mut self, sql: &str) -> impl Future<Output = Result<usize, String>> + Send;
    }

    impl Db for Connection {
        async fn run(&mut self, sql: &str) -> Result<usize, String> {
            self.execute(sql).await
        }
    }

    struct Service {
        connection: Connection,
        name: String,
    }

    async fn borrowed(connection: &mut Connection, sql: &str) -> Result<usize, String> {
        retry_with(connection, POLICY, |connection, _| async move {
            (connection.execute(sql).await, connection)
        })
        .await
    }

    async fn owned(connection: &mut Connection, sql: String) -> Result<usize, String> {
        retry_with(connection, POLICY, |connection, _| async {
            (connection.execute(&sql).await, connection)
        })
        .await
    }

    async fn generic<D: Db>(db: &mut D, sql: &str) -> Result<usize, String> {
        retry_with(db, POLICY, |db, _| async move { (db.run(sql).await, db) }).await
    }

    async fn both_in_the_state(connection: &mut Connection, sql: &str) -> Result<usize, String> {
        retry_with((connection, sql), POLICY, |(connection, sql), _| async move {
            (connection.execute(sql).await, (connection, sql))
        })
        .await
    }

    async fn limited(connection: &mut Connection, sql: &str) -> Result<usize, RetryError<String>> {
        retry_with(connection, POLICY, |connection, _| async move {
            (connection.execute(sql).await, connection)
        })
        .total_timeout(60 * SECOND)
        .await
    }

    impl Service {
        async fn fields(&mut self) -> Result<usize, String> {
            let name = &self.name;
            retry_with(&mut self.connection, POLICY, |connection, _| async move {
                (connection.execute(name).await, connection)
            })
            .await
        }

        async fn whole(&mut self) -> Result<usize, String> {
            retry_with(self, POLICY, |this, _| async move {
                (this.connection.execute(&this.name).await, this)
            })
            .await
        }
    }

    #[tokio::test(start_paused = true)]
    async fn compile_and_run_on_another_thread() {
        let new = || Connection { queries: 0 };
        let task = tokio::spawn(async move {
            let (sql, name) = ("delete", String::from("delete"));
            let mut service = Service {
                connection: new(),
                name: name.clone(),
            };
            let rows = [
                borrowed(&mut new(), &name).await,
                owned(&mut new(), name.clone()).await,
                generic(&mut new(), sql).await,
                both_in_the_state(&mut new(), sql).await,
                limited(&mut new(), sql)
                    .await
                    .map_err(|failed| failed.to_string()),
                service.fields().await,
                service.whole().await,
            ];
            assert!(rows.iter().all(|rows| *rows == Ok(6)), "{rows:?}");
        });
        task.await.unwrap();
    }
}

/// A service with a named future: without a box, and without `impl Trait` in its type.
struct Echo;

type Answer = Ready<Result<u32, String>>;
type Call = Retry<Box<dyn FnMut() -> Answer + Send>, Answer, Plain<String>>;

impl Echo {
    fn call(&self, request: u32) -> Call {
        let attempt: Box<dyn FnMut() -> Answer + Send> = Box::new(move || ready(Ok(request)));
        retry(POLICY, attempt)
    }
}

/// backon: Retry<ExponentialBackoff, T, E, Fut, F, ..nine parameters..>
#[tokio::test]
async fn the_future_has_a_name() {
    assert_eq!(Echo.call(5).await, Ok(5));
}
