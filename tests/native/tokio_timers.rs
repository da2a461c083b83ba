//! On Tokio: its `sleep` as a function, and with the feature `tokio` the default sleeper.

use std::future::Future;
use std::time::Duration;

use rejitter::testing::VirtualTime;
use rejitter::{Attempt, Jitter, RetryPolicy, StopReason, UNLIMITED, retry, retry_with_attempt};

use crate::common::attempts::{done, down, hangs};

const MS: Duration = Duration::from_millis(1);

/// The function is Tokio's, whose time jumps, and the clock is the system's, which hardly moves.
#[tokio::test(start_paused = true)]
async fn time_is_never_behind_the_waits_that_are_over() {
    let policy = RetryPolicy::fixed(10_000 * MS).with_jitter(Jitter::None);
    let policy = policy.with_max_attempts(UNLIMITED);
    let started = tokio::time::Instant::now();
    let failed = retry(policy, down)
        .total_timeout(25_000 * MS)
        .report()
        .sleep(tokio::time::sleep)
        .await
        .unwrap_err();
    assert_eq!(failed.reason, StopReason::Deadline);
    assert_eq!(failed.report.attempts, 3);
    assert_eq!(started.elapsed(), 20_000 * MS);
}

/// Futures that can be sent to another thread: compiled, and run there.
#[test]
fn the_future_is_send_when_its_parts_are() {
    fn send<F: Future + Send>(future: F) -> F {
        future
    }
    async fn operation(attempt: Attempt) -> Result<u64, String> {
        tokio::task::yield_now().await;
        if attempt.attempt < 3 {
            Err("busy".to_owned())
        } else {
            Ok(attempt.attempt)
        }
    }
    let time = VirtualTime::new();
    let future = send(
        retry_with_attempt(RetryPolicy::default(), operation)
            .when(|error| error == "busy")
            .hint(|_| None)
            .notify(|event| assert!(event.attempt < 3))
            .attempt_timeout(MS)
            .total_timeout(100_000 * MS)
            .report()
            .sleeper(time.clone()),
    );
    let thread = std::thread::spawn(move || time.block_on(future).unwrap());
    assert_eq!(thread.join().unwrap(), 3);
}

#[test]
#[should_panic(expected = "polled after it returned its output")]
fn polling_on_after_the_end_is_a_mistake() {
    let time = VirtualTime::new();
    let mut future = std::pin::pin!(retry(RetryPolicy::default(), done).sleeper(&time));
    assert_eq!(time.block_on(future.as_mut()), Ok(()));
    let _ = time.block_on(future.as_mut());
}

mod by_default {
    use std::cell::Cell;

    use rejitter::reconnect::{End, keep_connected};
    use rejitter::{AttemptError, HedgeOptions, Protection, TimeoutError, TokioSleeper, Verdict};

    use super::*;

    const STEADY: RetryPolicy = RetryPolicy::fixed(Duration::from_millis(100))
        .with_jitter(Jitter::None)
        .with_max_attempts(4);

    #[tokio::test(start_paused = true)]
    async fn timeouts_and_deadlines_end_what_hangs() {
        let call = || retry(STEADY, hangs).attempt_timeout(50 * MS);
        let failed = call().await.unwrap_err();
        let timeout = TimeoutError::Attempt { after: 50 * MS };
        assert_eq!(failed.error, AttemptError::Timeout(timeout));
        assert_eq!(failed.report.elapsed, 500 * MS);

        let failed = call().total_timeout(170 * MS).await.unwrap_err();
        assert_eq!(failed.reason, StopReason::Timeout);
        assert_eq!(failed.report.attempts, 2);
        assert_eq!(failed.report.elapsed, 170 * MS);
    }

    /// backon's takes 240 bytes.
    #[tokio::test]
    async fn an_operation_is_small() {
        async fn call() -> Result<u32, u32> {
            tokio::task::yield_now().await;
            Ok(1)
        }
        assert!(std::mem::size_of_val(&retry(STEADY, call)) <= 288);
        assert!(std::mem::size_of_val(&retry(STEADY, call).retry_for(MS)) <= 328);
        assert!(std::mem::size_of_val(&retry(STEADY, call).report()) <= 352);
        let api = Protection::new().hedge(HedgeOptions::default());
        let hedged = retry(STEADY, call).protection(&api).hedge();
        assert!(std::mem::size_of_val(&hedged) <= 640);
    }

    #[tokio::test(start_paused = true)]
    async fn the_longest_wait_is_no_overflow() {
        let operation = retry(STEADY, down).when(|_| Verdict::RetryExactly(Duration::MAX));
        let day = Duration::from_secs(86_400);
        assert!(tokio::time::timeout(day, operation).await.is_err());
    }

    #[tokio::test]
    async fn other_tasks_run_between_attempts_without_a_wait() {
        let turns = std::rc::Rc::new(Cell::new(0));
        let local = tokio::task::LocalSet::new();
        let counted = turns.clone();
        local.spawn_local(async move {
            loop {
                counted.set(counted.get() + 1);
                tokio::task::yield_now().await;
            }
        });
        let mut seen = Vec::new();
        let operation = retry(STEADY, || {
            seen.push(turns.get());
            down()
        })
        .when(|_| Verdict::RetryExactly(Duration::ZERO));
        let failed = local.run_until(operation.report()).await;
        assert_eq!(failed.unwrap_err().report.attempts, 4);
        assert!(seen.windows(2).all(|pair| pair[0] < pair[1]), "{seen:?}");
    }

    /// Tokio's shortest wait ends a millisecond later.
    #[tokio::test(start_paused = true)]
    async fn no_time_passes_between_attempts_without_a_wait() {
        let start = tokio::time::Instant::now();
        let policy = RetryPolicy::fixed(Duration::ZERO).with_max_attempts(40);
        let failed = retry(policy, down).report().await;
        assert_eq!(failed.unwrap_err().report.attempts, 40);
        let again = |end: &End<u64>| match end {
            End::Failed(1..40) => Verdict::RetryExactly(Duration::ZERO),
            _ => Verdict::Stop,
        };
        let refused = keep_connected(policy, |connection| async move { Err(connection.attempt) });
        assert_eq!(refused.when(again).run().await, End::Failed(40));
        assert_eq!(start.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn it_can_be_spawned_and_aborted() {
        let task = tokio::spawn(async {
            let hour = Duration::from_secs(3_600);
            let call = retry(STEADY, down).when(move |_| Verdict::RetryExactly(hour));
            call.await
        });
        tokio::time::sleep(MS).await;
        task.abort();
        assert!(task.await.unwrap_err().is_cancelled());
    }

    #[tokio::test(start_paused = true)]
    async fn connections_are_kept_on_its_timers() {
        macro_rules! kept {
            () => {
                keep_connected(STEADY, |connection| async move {
                    connection.opened();
                    tokio::time::sleep(20_000 * MS).await;
                    Err::<(), _>(connection.attempt)
                })
                .when(|end| *end != End::Failed(2))
            };
        }
        assert_eq!(tokio::spawn(kept!().run()).await.unwrap(), End::Failed(2));
        assert_eq!(kept!().sleeper(TokioSleeper).run().await, End::Failed(2));
        let by_function = kept!().sleep(tokio::time::sleep);
        assert_eq!(by_function.run().await, End::Failed(2));
    }
}
