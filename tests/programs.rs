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

impl Error for NotSent {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
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
    // An `anyhow::Error` is not an error, but holds a chain of them.
    let failed = load.retry(POLICY).report().await.unwrap_err();
    let message = "loading user: not sent: connection refused (after 4 attempts: exhausted)";
    assert_eq!(format!("{failed:#}"), message);
    let error = anyhow::Error::from(failed.chained());
    let message = "loading user (after 4 attempts: exhausted)";
    assert_eq!(causes(&error), [message, "not sent", "connection refused"]);
    assert!(error.chain().any(<dyn Error>::is::<NotSent>));

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

trait Db: Send {
    fn run(&mut self, sql: &str) -> impl Future<Output = Result<usize, String>> + Send;
}

impl Db for Connection {
    async fn run(&mut self, sql: &str) -> Result<usize, String> {
        tokio::task::yield_now().await;
        self.queries += 1;
        if self.queries < 3 {
            Err("deadlock".to_owned())
        } else {
            Ok(sql.len())
        }
    }
}

async fn generic<D: Db>(db: &mut D, sql: &str) -> Result<usize, String> {
    retry_with(db, POLICY, |db, _| async move { (db.run(sql).await, db) }).await
}

struct Service {
    connection: Connection,
    name: String,
}

impl Service {
    async fn fields(&mut self) -> Result<usize, RetryError<String>> {
        let name = &self.name;
        retry_with(&mut self.connection, POLICY, |connection, _| async move {
            (connection.run(name).await, connection)
        })
        .total_timeout(60 * SECOND)
        .await
    }
}

/// Handlers and methods retry work on what they borrow, and their futures must be `Send`.
#[tokio::test(start_paused = true)]
async fn work_on_borrowed_state_runs_on_another_thread() {
    let task = tokio::spawn(async move {
        let mut service = Service {
            connection: Connection { queries: 0 },
            name: String::from("delete"),
        };
        assert_eq!(
            generic(&mut Connection { queries: 0 }, "delete").await,
            Ok(6)
        );
        assert_eq!(service.fields().await.ok(), Some(6));
    });
    task.await.unwrap();
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

#[tokio::test]
async fn the_future_has_a_name() {
    assert_eq!(Echo.call(5).await, Ok(5));
}

/// A glob import of the crate leaves the names of other crates, and those of the prelude, what they are. Nor does it
/// compete with another glob for words that programs have.
mod globs {
    use own::*;
    use rejitter::*;

    use alloc::vec::Vec as AllocVec;
    use core::time::Duration as CoreDuration;
    use std::time::Duration;

    extern crate alloc;

    mod own {
        pub enum Outcome {
            Plain,
        }
        pub struct Failure(pub Outcome);
        pub struct Decision;
        pub struct Hint;
        pub struct Draws;
        pub struct Previous;
        pub struct Callback;
        pub struct Plain;
        pub struct Protected;
        pub struct Reported;
    }

    type Words = (
        Decision,
        Hint,
        Draws,
        Previous,
        Callback,
        Plain,
        Protected,
        Reported,
    );

    #[test]
    fn take_no_name() {
        let _: Option<Words> = None;
        let own = Failure(Outcome::Plain);
        assert!(matches!(own, Failure(Outcome::Plain)));
        let waits: Result<_, OptionErrors> = RetryPolicy::from_options(RetryOptions::default());
        let waits: Vec<CoreDuration> = waits.map_or(Vec::new(), |_| Vec::from([Duration::ZERO]));
        let waits: AllocVec<Duration> = core::convert::identity(waits);
        assert_eq!(waits.len(), 1);
    }
}
