//! sqlx retries a transaction that met a lock. The whole transaction is the attempt: after an error of one statement,
//! the others must run again, too.

use std::error::Error;
use std::time::Duration;

use rejitter::{RetryPolicy, retry};
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool};

const POLICY: RetryPolicy = RetryPolicy::exponential().with_base(Duration::from_millis(1));

/// SQLite's codes of a lock that another connection holds.
fn is_transient(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    matches!(code.as_deref(), Some("5" | "6" | "517"))
}

async fn transfer(pool: &SqlitePool, amount: i64) -> sqlx::Result<()> {
    let mut transaction = pool.begin().await?;
    for change in [-amount, amount] {
        let id = i64::from(change > 0);
        let update = sqlx::query("update account set balance = balance + $1 where id = $2");
        update
            .bind(change)
            .bind(id)
            .execute(&mut *transaction)
            .await?;
    }
    transaction.commit().await
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::temp_dir().join(format!("rejitter-{}.db", std::process::id()));
    let options = SqliteConnectOptions::new()
        .filename(&file)
        .create_if_missing(true);
    let pool = SqlitePool::connect_with(options.busy_timeout(Duration::ZERO)).await?;
    sqlx::raw_sql("create table account (id, balance); insert into account values (0, 5), (1, 0)")
        .execute(&pool)
        .await?;

    // Another connection has the lock until the third attempt.
    let mut lock = Some(pool.begin_with("begin immediate").await?);
    let mut attempts = 0;
    retry(POLICY, || {
        attempts += 1;
        let lock = if attempts == 3 { lock.take() } else { None };
        let pool = &pool;
        async move {
            if let Some(lock) = lock {
                lock.rollback().await?;
            }
            transfer(pool, 5).await
        }
    })
    .when(is_transient)
    .await?;
    let balance: i64 = sqlx::query_scalar("select balance from account where id = 1")
        .fetch_one(&pool)
        .await?;
    assert_eq!((balance, attempts), (5, 3));
    pool.close().await;
    Ok(std::fs::remove_file(file)?)
}
