//! The table "Beside other crates" of the crate's README: a run of each crate, or a look into its source for what it
//! has not, gives the texts of each row.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::fs;
use std::future::{Ready, pending, ready};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, SystemTime};

use backon::{BackoffBuilder, BlockingRetryable, ExponentialBuilder, Retryable};
use rejitter::{BudgetOptions, Jitter, Protection, RetryPolicy, StopReason, retry, retry_blocking};
use reqwest_middleware::{ClientBuilder, ClientWithMiddleware, Middleware, Next};
use reqwest_retry::policies::ExponentialBackoff;
use reqwest_retry::{RetryDecision, RetryPolicy as _, RetryTransientMiddleware};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::time::Instant;
use tokio_retry2::strategy::{ExponentialBackoff as Powers, FixedInterval, MaxInterval, jitter};
use tower::retry::backoff::{Backoff, ExponentialBackoffMaker, MakeBackoff};
use tower::retry::budget::{Budget, TpsBudget};
use tower::util::rng::{HasherRng, Rng};
use tower::{ServiceExt, service_fn};

const README: &str = include_str!("../../../../crates/rejitter/README.md");

const S: Duration = Duration::from_secs(1);
const MS: Duration = Duration::from_millis(1);

/// Waits of a second.
const STEADY: RetryPolicy = RetryPolicy::fixed(S)
    .with_jitter(Jitter::None)
    .with_max_attempts(rejitter::UNLIMITED);

/// The columns, and the packages that they are about.
const COLUMNS: [(&str, &str); 6] = [
    ("rejitter", "rejitter"),
    ("backon", "backon"),
    ("tokio-retry2", "tokio-retry2"),
    ("tower", "tower"),
    ("reqwest-retry", "reqwest-retry"),
    ("reqwest", "reqwest"),
];

/// Compares a row of the table with what the runs gave.
fn row(name: &str, cells: [&str; 6]) {
    let row = format!("| {name} | {} |", cells.join(" | "));
    assert!(
        README.lines().any(|line| line == row),
        "no run gives another row than\n{row}"
    );
}

const YES: &str = "yes";
const NO: &str = "–";

/// The packages of this build: their versions and their folders.
static PACKAGES: LazyLock<BTreeMap<String, (String, PathBuf)>> = LazyLock::new(|| {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--manifest-path"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap().iter();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let found = packages.map(|package| {
        let folder = Path::new(&text(&package["manifest_path"]))
            .parent()
            .unwrap()
            .to_owned();
        (text(&package["name"]), (text(&package["version"]), folder))
    });
    found.collect()
});

/// The source of a package, in small letters, without comments and tests. `part`: of its folder.
fn source(package: &str, part: &str) -> String {
    fn read(path: &Path, text: &mut String) {
        if path.is_dir() {
            for entry in fs::read_dir(path).unwrap() {
                read(&entry.unwrap().path(), text);
            }
        } else {
            let source = fs::read_to_string(path).unwrap().to_lowercase();
            let source = source.split("#[cfg(test)]").next().unwrap();
            let code = source
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"));
            code.for_each(|line| text.extend([line, "\n"]));
        }
    }
    let mut text = String::new();
    read(&PACKAGES[package].1.join(part), &mut text);
    assert!(text.len() > 500);
    text
}

/// That packages have nothing whose name has one of these words.
#[track_caller]
fn none_has(packages: &[&str], words: &[&str]) -> &'static str {
    for package in packages {
        // Tower and reqwest have much else.
        let part = match *package {
            "tower" => "src/retry",
            "reqwest" => "src/retry.rs",
            _ => "src",
        };
        let source = source(package, part);
        for word in words {
            assert!(!source.contains(word), "{package} has {word}");
        }
    }
    NO
}

#[test]
fn the_versions_are_those_of_this_build() {
    let mut heading = String::new();
    for (column, package) in COLUMNS {
        heading += &format!(" {column} |");
        if package != "rejitter" {
            let named = format!("{package} {}", PACKAGES[package].0);
            assert!(README.replace('\n', " ").contains(&named), "{named}");
        }
    }
    assert!(README.lines().any(|line| line == format!("| |{heading}")));
}

/// A range in whole seconds.
fn range(waits: impl Iterator<Item = Duration>) -> String {
    let seconds = waits.map(|wait| wait.as_secs_f64());
    let (least, most) = seconds.fold((f64::INFINITY, 0.0), |(least, most), wait| {
        (f64::min(least, wait), f64::max(most, wait))
    });
    if most - least < 0.01 {
        format!("all {most:.0} s")
    } else {
        format!("{least:.0}–{most:.0} s")
    }
}

#[tokio::test(start_paused = true)]
async fn jittered_waits_at_the_cap() {
    let policy = RetryPolicy::exponential()
        .with_base(S)
        .with_cap(10 * S)
        .with_max_attempts(3_000);
    let ours = range(policy.random_delays().skip(10));
    let theirs = ExponentialBuilder::new()
        .with_jitter()
        .with_max_delay(10 * S)
        .with_max_times(3_000);
    let backon = range(theirs.build().skip(10));
    let tokio_retry = range(FixedInterval::new(10 * S).map(jitter).take(3_000));
    let maker = ExponentialBackoffMaker::new(S, 10 * S, 0.99, HasherRng::default());
    let mut backoff = maker.unwrap().make_backoff();
    let waits = std::iter::repeat_with(|| backoff.next_backoff().deadline() - Instant::now());
    let tower = range(waits.take(100).skip(10));
    let theirs = ExponentialBackoff::builder()
        .retry_bounds(S, 10 * S)
        .build_with_max_retries(100);
    let waits = (0..3_000).map(|_| match theirs.should_retry(SystemTime::now(), 50) {
        RetryDecision::Retry { execute_after: at } => {
            at.duration_since(SystemTime::now()).unwrap_or_default()
        }
        RetryDecision::DoNotRetry => unreachable!("it may retry 100 times"),
    });
    let reqwest_retry = range(waits);
    let (requests, waited) = reqwest_waits().await;
    assert_eq!((requests, waited), (3, Duration::ZERO));
    row(
        "jittered waits at a cap of 10 s",
        [
            &ours,
            &backon,
            &tokio_retry,
            &tower,
            &reqwest_retry,
            "no waits",
        ],
    );
}

/// A server that answers each request so, and counts them. It closes the connection.
async fn server(answer: &'static str) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let requests = Arc::new(AtomicUsize::new(0));
    let counted = requests.clone();
    tokio::spawn(async move {
        loop {
            let (mut socket, _) = listener.accept().await.unwrap();
            let counted = counted.clone();
            tokio::spawn(async move {
                let mut bytes = [0; 4_096];
                let _ = socket.read(&mut bytes).await;
                counted.fetch_add(1, Ordering::SeqCst);
                if answer.is_empty() {
                    pending::<()>().await;
                }
                let _ = socket.write_all(answer.as_bytes()).await;
            });
        }
    });
    (url, requests)
}

const BUSY: &str = "HTTP/1.1 503 Service Unavailable\r\nretry-after: 7\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// A client that retries all that is not a success, for this host.
fn reqwest_client(host: &'static str) -> reqwest::Client {
    let retries = reqwest::retry::for_host(host).classify_fn(|answer| match answer.status() {
        Some(status) if status.is_success() => answer.success(),
        _ => answer.retryable(),
    });
    reqwest::Client::builder()
        .no_proxy()
        .retry(retries)
        .build()
        .unwrap()
}

/// Requests to a server that asks for 7 s, and the time of timers. It passes only while one is awaited.
async fn reqwest_waits() -> (usize, Duration) {
    let (url, requests) = server(BUSY).await;
    let start = Instant::now();
    let answer = reqwest_client("127.0.0.1").get(url).send().await.unwrap();
    assert_eq!(answer.status(), 503);
    (requests.load(Ordering::SeqCst), start.elapsed())
}

/// Answers without a network, and counts.
#[derive(Clone, Default)]
struct Answers(Arc<AtomicUsize>, Option<&'static str>);

#[async_trait::async_trait]
impl Middleware for Answers {
    async fn handle(
        &self,
        request: reqwest::Request,
        extensions: &mut http::Extensions,
        next: Next<'_>,
    ) -> reqwest_middleware::Result<reqwest::Response> {
        self.0.fetch_add(1, Ordering::SeqCst);
        let Some(after) = self.1 else {
            return next.run(request, extensions).await;
        };
        let answer = http::Response::builder()
            .status(503)
            .header("retry-after", after);
        Ok(answer.body("").unwrap().into())
    }
}

/// A client with reqwest-retry, which retries twice after at most 100 ms.
fn middleware(answers: Answers, client: reqwest::Client) -> ClientWithMiddleware {
    let policy = ExponentialBackoff::builder()
        .retry_bounds(MS, 100 * MS)
        .build_with_max_retries(2);
    ClientBuilder::new(client)
        .with(RetryTransientMiddleware::new_with_policy(policy))
        .with(answers)
        .build()
}

/// Fails after 6 s.
async fn slow(starts: &Cell<u32>) -> Result<(), &'static str> {
    starts.set(starts.get() + 1);
    tokio::time::sleep(6 * S).await;
    Err("busy")
}

/// Attempts of 6 s, waits of 1 s, and a limit of 10 s.
#[tokio::test(start_paused = true)]
async fn deadlines() {
    let starts = Cell::new(0);
    let start = Instant::now();
    let failed = retry(STEADY, || slow(&starts))
        .total_timeout(10 * S)
        .await
        .unwrap_err();
    assert_eq!(
        (failed.reason, start.elapsed()),
        (StopReason::Timeout, 10 * S)
    );

    let start = Instant::now();
    let limited = ExponentialBuilder::new()
        .with_factor(1.0)
        .with_total_delay(Some(10 * S));
    let _ = (|| slow(&starts)).retry(limited.without_max_times()).await;
    assert_eq!(start.elapsed(), 10 * S + 11 * 6 * S);

    // Its clock is the real one: 50 ms are over before the first attempt, or after the wait that follows it.
    let transient = || ready(Err::<(), _>(tokio_retry2::RetryError::transient("busy")));
    let attempts = |made_before: Duration, wait: Duration| async move {
        let attempts = Cell::new(0);
        let strategy = FixedInterval::new(wait).max_duration(50 * MS);
        std::thread::sleep(made_before);
        let failing = tokio_retry2::Retry::spawn(strategy.take(5), || {
            attempts.set(attempts.get() + 1);
            transient()
        });
        assert!(failing.await.is_err());
        attempts.get()
    };
    assert_eq!(attempts(60 * MS, S).await, 1);
    // Of Tokio's time, which is paused, it sees nothing.
    assert_eq!(attempts(Duration::ZERO, 100 * S).await, 6);

    // With a tenth of a second left, it waits for a second or more.
    let policy = ExponentialBackoff::builder()
        .retry_bounds(3 * S, 3 * S)
        .build_with_total_retry_duration(10 * S);
    let after = |past: Duration| {
        let decision = policy.should_retry(SystemTime::now() - past, 0);
        matches!(decision, RetryDecision::Retry { execute_after: at } if at > SystemTime::now() + S)
    };
    let tries: BTreeSet<bool> = (0..100).map(|_| after(9_900 * MS)).collect();
    assert!(tries.contains(&true) && !after(10_100 * MS));
    let none = none_has(&["tower", "reqwest"], &["deadline", "elapsed", "total"]);
    row(
        "deadline",
        [
            "for waits and attempts",
            "sum of the waits",
            "checked before a wait, from the strategy's making",
            none,
            "checked before a wait",
            none,
        ],
    );
}

#[tokio::test]
async fn attempt_timeouts() {
    let policy = STEADY.with_max_attempts(3);
    let time = rejitter::testing::VirtualTime::new();
    let hangs = retry(policy, pending::<Result<(), ()>>)
        .attempt_timeout(S)
        .sleeper(&time);
    assert_eq!(time.block_on(hangs).unwrap_err().report.attempts, 3);

    // An attempt of reqwest's that times out is one of the middleware's that is retried.
    let (url, requests) = server("").await;
    let client = reqwest::Client::builder()
        .no_proxy()
        .timeout(200 * MS)
        .build()
        .unwrap();
    let answers = Answers::default();
    let failed = middleware(answers.clone(), client).get(url).send().await;
    assert!(failed.is_err() && answers.0.load(Ordering::SeqCst) == 3);
    drop(requests);

    // Its own retries are within the time of the request.
    let (url, requests) = server("").await;
    let request = reqwest_client("127.0.0.1").get(url).timeout(S);
    assert!(request.send().await.unwrap_err().is_timeout());
    assert_eq!(requests.load(Ordering::SeqCst), 1);

    let none = none_has(&["backon", "tokio-retry2"], &["timeout("]);
    assert!(source("tower", "src/timeout").contains("struct timeoutlayer"));
    let cells = [
        "yes, retried",
        none,
        none,
        "another layer",
        "reqwest's",
        "for all attempts",
    ];
    row("attempt timeout", cells);
}

/// Waits as the server asks. Its futures are whatever it makes.
#[derive(Clone)]
struct Asked(u32);

impl tower::retry::Policy<(), u16, Infallible> for Asked {
    type Future = tokio::time::Sleep;

    fn retry(&mut self, (): &mut (), _: &mut Result<u16, Infallible>) -> Option<Self::Future> {
        self.0 = self.0.checked_sub(1)?;
        Some(tokio::time::sleep(7 * S))
    }

    fn clone_request(&mut self, (): &()) -> Option<()> {
        Some(())
    }
}

#[tokio::test(start_paused = true)]
async fn the_delay_that_a_server_asks_for() {
    let busy = || ready(Err::<(), _>("busy"));
    let mut waits = BTreeSet::new();
    for _ in 0..20 {
        let start = Instant::now();
        let asked = retry(STEADY.with_max_attempts(2), busy).hint(|_| Some(7 * S));
        let _ = asked.await;
        waits.insert(start.elapsed());
    }
    assert!(waits.len() > 15 && *waits.first().unwrap() >= 7 * S);
    let asked = retry(STEADY, busy).hint(|_| Some(100 * S)).report();
    assert_eq!(asked.await.unwrap_err().reason, StopReason::Hint);

    let start = Instant::now();
    let asked = busy.retry(ExponentialBuilder::new().with_jitter().with_max_times(2));
    let _ = asked.adjust(|_, wait| wait.map(|_| 7 * S)).await;
    assert_eq!(start.elapsed(), 14 * S);

    let start = Instant::now();
    let notified = Arc::new(Mutex::new(Vec::new()));
    let seen = notified.clone();
    let strategy = FixedInterval::from_millis(100).take(3);
    let asked = || {
        ready(Err::<(), _>(tokio_retry2::RetryError::retry_after(
            "busy",
            7 * S,
        )))
    };
    let notify = move |_: &&str, wait| seen.lock().unwrap().push(wait);
    let _ = tokio_retry2::Retry::spawn_notify(strategy, asked, notify).await;
    assert_eq!(start.elapsed(), 300 * MS);
    assert!(notified.lock().unwrap().contains(&(7 * S)));

    let start = Instant::now();
    let service = service_fn(|()| ready(Ok::<_, Infallible>(503)));
    let retried = tower::retry::Retry::new(Asked(2), service);
    assert_eq!(retried.oneshot(()).await, Ok(503));
    assert_eq!(start.elapsed(), 14 * S);

    let start = Instant::now();
    let answers = Answers(Arc::default(), Some("7"));
    let client = middleware(answers.clone(), reqwest::Client::new());
    assert_eq!(
        client
            .get("http://localhost/")
            .send()
            .await
            .unwrap()
            .status(),
        503
    );
    assert!(answers.0.load(Ordering::SeqCst) == 3 && start.elapsed() < S);

    assert_eq!(reqwest_waits().await, (3, Duration::ZERO));
    row(
        "server's delay",
        [
            "lower bound, spread, limited",
            "`adjust`: exact",
            "passed to `notify`, not waited for",
            "own `Policy`",
            "ignored",
            "ignored",
        ],
    );
}

#[tokio::test]
async fn budgets_for_retries() {
    let few = BudgetOptions {
        capacity: Some(5.0),
        cost: Some(5.0),
        ..BudgetOptions::DEFAULT
    };
    let api = Protection::new().budget(few);
    let time = rejitter::testing::VirtualTime::new();
    let end = |api: &Protection| {
        let failing = retry(STEADY.with_max_attempts(2), || ready(Err::<(), _>("busy")));
        time.block_on(failing.protection(api).sleeper(&time))
            .unwrap_err()
            .reason
    };
    assert_eq!(
        (end(&api), end(&api)),
        (StopReason::Exhausted, StopReason::Budget)
    );
    assert_eq!(end(&api.for_key("other")), StopReason::Exhausted);

    let budget = TpsBudget::new(10 * S, 1, 0.0);
    let granted = (0..100).filter(|_| budget.withdraw()).count();
    assert!((1..100).contains(&granted));

    // A client's requests share one: ten retries a second, and a fifth of the requests.
    let (url, requests) = server(BUSY).await;
    let client = reqwest_client("127.0.0.1");
    for _ in 0..150 {
        client.get(&url).send().await.unwrap();
    }
    let retries = requests.load(Ordering::SeqCst) - 150;
    assert!((50..200).contains(&retries), "{retries} of 300");

    let none = none_has(&["backon", "tokio-retry2", "reqwest-retry"], &["budget"]);
    row(
        "retry budget",
        [
            "shared, for each key",
            none,
            none,
            "shared",
            none,
            "a client's",
        ],
    );
}

/// The scope is looked at before the second retry: the line below the table says so.
#[tokio::test]
async fn reqwest_sends_twice_to_a_host_that_is_not_its_scope() {
    let (url, requests) = server(BUSY).await;
    reqwest_client("example.com")
        .post(url)
        .send()
        .await
        .unwrap();
    assert_eq!(requests.load(Ordering::SeqCst), 2);
}

#[test]
fn breakers_and_hedges() {
    let peers = COLUMNS.map(|(_, package)| package);
    let none = none_has(&peers[1..], &["breaker", "circuit", "cooldown"]);
    row("breaker, cooldown", [YES, none, none, none, none, none]);
    let none = none_has(&peers[1..], &["hedge"]);
    assert!(source("tower", "src/hedge").contains("pub struct hedge"));
    row(
        "hedge",
        [
            "yes, within a budget",
            none,
            none,
            "another layer",
            none,
            none,
        ],
    );
}

/// Draws the same number each time.
#[derive(Clone)]
struct Same;

impl Rng for Same {
    fn next_u64(&mut self) -> u64 {
        1 << 63
    }
}

#[tokio::test(start_paused = true)]
async fn seeds() {
    let nanos: Vec<u128> = RetryPolicy::exponential()
        .delays(7)
        .map(|wait| wait.as_nanos())
        .collect();
    assert_eq!(nanos, SEVEN);
    let seeded = |seed: u64| {
        let builder = ExponentialBuilder::new()
            .with_jitter()
            .with_jitter_seed(seed);
        builder.build().collect::<Vec<_>>()
    };
    assert_eq!(seeded(7), seeded(7));
    assert_ne!(seeded(7), seeded(8));
    let mut backoff = ExponentialBackoffMaker::new(10 * S, 100 * S, 1.0, Same)
        .unwrap()
        .make_backoff();
    let wait = backoff.next_backoff().deadline() - Instant::now();
    assert!(wait.abs_diff(15 * S) < 10 * MS, "{wait:?}");
    let none = none_has(&["tokio-retry2", "reqwest-retry", "reqwest"], &["seed"]);
    row(
        "seeds",
        [
            "the same waits on every platform",
            "`u64`",
            none,
            "own generator",
            none,
            none,
        ],
    );
}

/// The waits of a default policy with seed 7, in ns.
const SEVEN: [u128; 5] = [
    54_937_433,
    69_611_701,
    366_271_004,
    690_508_208,
    1_460_164_862,
];

#[test]
fn no_standard_library_and_threads() {
    assert!(source("rejitter", "src").contains("no_std"));
    let backon = source("backon", "src");
    assert!(backon.contains("no_std") && !backon.contains("extern crate alloc"));
    let others = ["tokio-retry2", "tower", "reqwest-retry", "reqwest"];
    let none = none_has(&others, &["no_std"]);
    row(
        "`no_std`",
        ["yes, with `alloc`", "yes, without", none, none, none, none],
    );

    let fails = || Err::<(), _>("busy");
    let attempts = Cell::new(0);
    let counts = || {
        attempts.set(attempts.get() + 1);
        fails()
    };
    let _ = retry_blocking(STEADY.with_max_attempts(3), counts)
        .sleep(|_| ())
        .call();
    let _ = counts
        .retry(ExponentialBuilder::new().with_max_times(2))
        .sleep(|_: Duration| ())
        .call();
    assert_eq!(attempts.get(), 6);
    let none = none_has(&others, &["thread::sleep", "blocking"]);
    row("blocking code", [YES, YES, none, none, none, none]);
}

fn at_once(_: Duration) -> Ready<()> {
    ready(())
}

/// Outside of a runtime, and in one without timers.
#[test]
fn timers() {
    let busy = || ready(Err::<(), _>("busy"));
    let time = rejitter::testing::VirtualTime::new();
    let _ = time.block_on(retry(STEADY.with_max_attempts(3), busy).sleep(at_once));
    let _ = time.block_on(busy.retry(ExponentialBuilder::new()).sleep(at_once));
    let without = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let panics = |future: std::pin::Pin<Box<dyn Future<Output = ()>>>| {
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| without.block_on(future))).is_err()
    };
    let transient = || ready(Err::<(), _>(tokio_retry2::RetryError::transient("busy")));
    assert!(panics(Box::pin(async move {
        let _ = tokio_retry2::Retry::spawn(FixedInterval::new(S).take(1), transient).await;
    })));
    assert!(panics(Box::pin(async {
        let maker = ExponentialBackoffMaker::new(S, 10 * S, 0.99, HasherRng::default());
        maker.unwrap().make_backoff().next_backoff().await;
    })));
    assert!(panics(Box::pin(async {
        let client = middleware(Answers(Arc::default(), Some("7")), reqwest::Client::new());
        let _ = client.get("http://localhost/").send().await;
    })));
    // Its own policy takes any future: `Asked` has one of Tokio's, this one of none.
    let retried =
        tower::retry::Retry::new(AtOnce(2), service_fn(|()| ready(Ok::<_, Infallible>(503))));
    assert_eq!(time.block_on(retried.oneshot(())), Ok(503));
    row(
        "timers",
        [
            "any",
            "any",
            "Tokio's",
            "any, backoff Tokio's",
            "Tokio's",
            "none",
        ],
    );
}

#[derive(Clone)]
struct AtOnce(u32);

impl tower::retry::Policy<(), u16, Infallible> for AtOnce {
    type Future = Ready<()>;

    fn retry(&mut self, (): &mut (), _: &mut Result<u16, Infallible>) -> Option<Ready<()>> {
        self.0 = self.0.checked_sub(1)?;
        Some(ready(()))
    }

    fn clone_request(&mut self, (): &()) -> Option<()> {
        Some(())
    }
}

/// Those without an exception wait in Tokio's paused time in the tests above. The exceptions are in [`deadlines`].
#[tokio::test(start_paused = true)]
async fn virtual_time() {
    let busy = || ready(Err::<(), _>("busy"));
    let time = rejitter::testing::VirtualTime::new();
    let _ = time.block_on(retry(STEADY.with_max_attempts(3), busy).sleeper(&time));
    assert_eq!(time.now(), 2 * S);
    let start = Instant::now();
    let _ = retry(STEADY.with_max_attempts(3), busy).await;
    assert_eq!(start.elapsed(), 2 * S);
    let steady = ExponentialBuilder::new().with_factor(1.0).with_max_times(2);
    assert!(busy.retry(steady).sleep(at_once).await.is_err());
    let start = Instant::now();
    let _ = busy.retry(steady).await;
    assert_eq!(start.elapsed(), 2 * S);
    assert!(source("reqwest-retry", "src").contains("systemtime::now()"));
    row(
        "virtual time",
        [
            "own, or Tokio's",
            "own sleeper, or Tokio's",
            "Tokio's, but not its deadline",
            "Tokio's",
            "Tokio's, but not its deadline",
            NO,
        ],
    );
}

async fn call() -> Result<u32, u32> {
    tokio::task::yield_now().await;
    Ok(1)
}

#[test]
fn bytes_of_a_future() {
    let ours = size_of_val(&retry(STEADY, call));
    let backon = size_of_val(&call.retry(ExponentialBuilder::new().with_jitter()));
    let transient = async || {
        tokio::task::yield_now().await;
        Ok::<u32, tokio_retry2::RetryError<u32>>(1)
    };
    let tokio_retry = size_of_val(&tokio_retry2::Retry::spawn(
        Powers::from_millis(2).map(jitter).take(3),
        transient,
    ));
    let (ours, backon, tokio_retry) = (
        format!("{ours} B"),
        format!("{backon} B"),
        format!("{tokio_retry} B"),
    );
    row(
        "future, with Tokio's timers",
        [
            &ours,
            &backon,
            &tokio_retry,
            "your service's",
            "boxed",
            "boxed",
        ],
    );
}

/// The packages of a program that depends on these.
fn packages(dependencies: &str) -> BTreeSet<String> {
    let folder =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("adds-{}", dependencies.len()));
    fs::create_dir_all(folder.join("src")).unwrap();
    fs::write(folder.join("src/lib.rs"), "").unwrap();
    let manifest = format!(
        "[package]\nname = \"adds\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n{dependencies}"
    );
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../..");
    fs::copy(format!("{root}/Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    let output = Command::new(env!("CARGO"))
        .args([
            "tree", "--edges", "normal", "--prefix", "none", "--format", "{p}",
        ])
        .args(["--target", "x86_64-unknown-linux-gnu"])
        .current_dir(&folder)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let lines = String::from_utf8(output.stdout).unwrap();
    lines
        .lines()
        .skip(1)
        .map(|line| line.trim_end_matches(" (*)").to_owned())
        .collect()
}

#[test]
fn packages_that_it_adds() {
    let tokio = "tokio = { version = \"1\", features = [\"macros\", \"rt\", \"time\"] }\n";
    let reqwest =
        format!("{tokio}reqwest = {{ version = \"=0.13.5\", default-features = false }}\n");
    let adds = |to: &str, dependency: &str| {
        let without = packages(to);
        let with = packages(&format!("{to}{dependency}\n"));
        with.difference(&without).count().to_string()
    };
    let ours = format!(
        "rejitter = {{ path = \"{}\", features = [\"tokio\"] }}",
        PACKAGES["rejitter"].1.display()
    );
    let ours = adds(tokio, &ours);
    let backon = adds(
        tokio,
        "backon = { version = \"=1.6.0\", features = [\"tokio-sleep\"] }",
    );
    let tokio_retry = adds(
        tokio,
        "tokio-retry2 = { version = \"=0.9.1\", features = [\"jitter\"] }",
    );
    let tower = adds(
        tokio,
        "tower = { version = \"=0.5.3\", features = [\"retry\"] }",
    );
    let middleware = adds(
        &reqwest,
        "reqwest-retry = \"=0.9.1\"\nreqwest-middleware = \"0.5\"",
    );
    let middleware = format!("{middleware} to reqwest's");
    row(
        "crates that it adds",
        [
            &ours,
            &backon,
            &tokio_retry,
            &tower,
            &middleware,
            "none to reqwest's",
        ],
    );
}
