//! reqwest's middleware retries by our policy: a server of this process answers the third request.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use rejitter::{Jitter, RetryPolicy};
use reqwest_middleware::ClientBuilder;
use reqwest_retry::RetryTransientMiddleware;

const POLICY: RetryPolicy = RetryPolicy::exponential()
    .with_base(Duration::from_millis(1))
    .with_jitter(Jitter::Decorrelated);

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let server = thread::spawn(move || {
        for status in ["503 Busy", "503 Busy", "200 OK"] {
            let (mut stream, _) = listener.accept().unwrap();
            assert!(stream.read(&mut [0; 4096]).unwrap() > 0);
            let head = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            stream.write_all(head.as_bytes()).unwrap();
        }
    });
    let client = ClientBuilder::new(reqwest::Client::new())
        .with(RetryTransientMiddleware::new_with_policy(POLICY))
        .build();
    assert_eq!(client.get(url).send().await.unwrap().status(), 200);
    server.join().unwrap();
}
