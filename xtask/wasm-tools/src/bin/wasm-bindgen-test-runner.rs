//! The runner of wasm tests, of the version that the lock file names.

use std::env;
use std::net::TcpStream;
use std::thread::{self, sleep};
use std::time::Duration;

fn main() {
    if let Ok(address) = env::var("WASM_BINDGEN_TEST_ADDRESS") {
        thread::spawn(move || keep_alive(&address));
    }
    let args = env::args_os();
    if let Err(error) = wasm_bindgen_cli::wasm_bindgen_test_runner::run_cli_with_args(args) {
        eprintln!("error: {error:?}");
        std::process::exit(1);
    }
}

/// Connects to the runner's server again and again, and hangs up.
///
/// That server (tiny_http 0.12) gives each connection a thread. A burst of connections, as a browser
/// opens them for a page of many modules, is handed to the threads that are idle, and if there are
/// more connections than such threads, the rest wait until another connection ends: the page stands
/// still until the browser gives up after minutes. In that state a further connection gets a thread
/// of its own, and when it ends, this thread takes up the oldest one that waits.
fn keep_alive(address: &str) {
    loop {
        // Until the server is there, requests fail.
        drop(TcpStream::connect(address));
        sleep(Duration::from_millis(50));
    }
}
