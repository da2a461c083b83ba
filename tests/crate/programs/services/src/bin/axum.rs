//! A handler of axum retries work on what it borrows: the state of the application, an argument, a connection.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{Request, StatusCode};
use axum::routing::get;
use rejitter::{RetryPolicy, retry, retry_with};
use tokio::sync::Mutex;
use tower::ServiceExt;

const POLICY: RetryPolicy = RetryPolicy::exponential().with_base(Duration::from_millis(1));

struct Connection {
    queries: u32,
}

impl Connection {
    async fn query(&mut self, name: &str) -> Result<usize, String> {
        self.queries += 1;
        if self.queries < 3 {
            Err("busy".into())
        } else {
            Ok(name.len())
        }
    }
}

struct App {
    connection: Mutex<Connection>,
}

impl App {
    async fn find(&self, name: &str) -> Result<usize, String> {
        let mut connection = self.connection.lock().await;
        let found = retry_with(&mut *connection, POLICY, |connection, _| async move {
            (connection.query(name).await, connection)
        });
        found.await
    }
}

async fn length(State(app): State<Arc<App>>, Path(name): Path<String>) -> Result<(), StatusCode> {
    let found = retry(POLICY, || app.find(&name))
        .total_timeout(Duration::from_secs(5))
        .await;
    match found {
        Ok(length) if length == name.len() => Ok(()),
        Ok(_) => Err(StatusCode::NOT_FOUND),
        Err(_) => Err(StatusCode::SERVICE_UNAVAILABLE),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let app = Arc::new(App {
        connection: Mutex::new(Connection { queries: 0 }),
    });
    let service = Router::new()
        .route("/{name}", get(length))
        .with_state(app.clone());
    let response = service
        .oneshot(Request::get("/ferris").body(Body::empty())?)
        .await?;
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(app.connection.lock().await.queries, 3);
    Ok(())
}
