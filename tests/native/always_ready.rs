//! Attempts that are always ready, as those that read from a fast peer are. A runtime that lets a task do only so much
//! in a poll leaves nothing for what is polled after them.

use std::cell::Cell;
use std::time::Duration;

use rejitter::{HedgeOptions, Protection, RetryPolicy, StopReason, retry, retry_with_attempt};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const MS: Duration = Duration::from_millis(1);
const ONCE: RetryPolicy = RetryPolicy::no_retries();

/// Far more than an attempt can do within its limit: one that is never ended fails the test. In Miri, just more.
const ENDLESS: usize = if cfg!(miri) { 5_000 } else { 500_000 };

/// The time passes beside a task that never lets the runtime be idle: 1 ms for each poll of it.
async fn beside_a_clock<T>(task: impl Future<Output = T>) -> T {
    let clock = async {
        loop {
            tokio::time::advance(MS).await;
        }
    };
    tokio::select! {
        biased;
        output = task => output,
        () = clock => unreachable!("it goes on for ever"),
    }
}

async fn busy() -> Result<(), String> {
    for _ in 0..ENDLESS {
        tokio::task::consume_budget().await;
    }
    Ok(())
}

async fn receives() -> Result<(), String> {
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    for number in 0..ENDLESS {
        sender.send(number).unwrap();
    }
    for _ in 0..ENDLESS {
        receiver.recv().await;
    }
    Ok(())
}

/// A peer that sends for ever.
async fn reads() -> Result<(), String> {
    let (mut ours, mut theirs) = tokio::io::duplex(ENDLESS);
    theirs.write_all(&[0; ENDLESS]).await.unwrap();
    for _ in 0..ENDLESS {
        ours.read_u8().await.unwrap();
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn an_attempt_ends_at_its_timeout_and_at_the_deadline() {
    macro_rules! ends {
        ($attempt:expr) => {
            let call = retry(ONCE, $attempt).attempt_timeout(20 * MS);
            let failed = beside_a_clock(call).await.unwrap_err();
            assert_eq!(failed.reason, StopReason::Exhausted);
            assert!(failed.report.elapsed < 500 * MS, "{:?}", failed.report);

            let call = retry(ONCE, $attempt).total_timeout(20 * MS);
            let failed = beside_a_clock(call).await.unwrap_err();
            assert_eq!(failed.reason, StopReason::Timeout);
            assert!(failed.report.elapsed < 500 * MS, "{:?}", failed.report);
        };
    }
    ends!(busy);
    ends!(receives);
    ends!(reads);
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_ends_in_the_poll_of_its_limit_has_ended_in_time() {
    let call = retry(ONCE, || async {
        tokio::time::advance(20 * MS).await;
        Ok::<_, String>(7)
    });
    assert_eq!(call.attempt_timeout(20 * MS).await, Ok(7));
}

#[tokio::test(start_paused = true)]
async fn a_hedge_starts_and_wins_beside_an_attempt_that_is_always_ready() {
    let api = Protection::new().hedge(HedgeOptions {
        delay_ms: Some(5.0),
        max_ratio: Some(1.0),
        ..HedgeOptions::default()
    });
    let calls = Cell::new(0);
    let call = retry_with_attempt(RetryPolicy::default(), |attempt| {
        calls.set(calls.get() + 1);
        async move {
            if attempt.attempt == 1 {
                busy().await?;
            }
            // An answer that comes over a socket, in the runtime's budget.
            for _ in 0..10 {
                tokio::task::consume_budget().await;
            }
            Ok::<_, String>(attempt.attempt)
        }
    });
    let call = call.protection(&api).hedge();
    assert_eq!(beside_a_clock(call).await, Ok(2));
    assert_eq!(calls.get(), 2);
}
