//! Forked processes count on from the same state, and must not wait together.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rejitter::testing::VirtualTime;
use rejitter::{RetryPolicy, retry};
use retry_policies::{RetryDecision, RetryPolicy as _};

unsafe extern "C" {
    safe fn fork() -> i32;
    safe fn _exit(code: i32) -> !;
    fn waitpid(pid: i32, status: *mut i32, options: i32) -> i32;
}

/// Waits by the policy in reqwest-retry, in tenths of a second because the clock goes on, and by an operation.
fn waits() -> [Vec<u128>; 2] {
    let policy = RetryPolicy::exponential().with_base(Duration::from_secs(100));
    let tenths = |past| match policy.should_retry(UNIX_EPOCH, past) {
        RetryDecision::Retry { execute_after: end } => {
            end.duration_since(SystemTime::now()).unwrap().as_millis() / 100
        }
        RetryDecision::DoNotRetry => 0,
    };
    let by_policy = (0..4).map(tenths).collect();
    let (time, mut by_operation) = (VirtualTime::new(), Vec::new());
    let busy = retry(policy, || async { Err::<(), _>("busy") });
    let busy = busy.notify(|event| by_operation.push(event.delay.unwrap_or_default().as_millis()));
    let _ = time.block_on(busy.sleeper(&time));
    [by_policy, by_operation]
}

#[test]
fn forked_processes_draw_differently() {
    waits();
    let children = [(); 3].map(|()| {
        let (mut parent, mut child) = UnixStream::pair().unwrap();
        let pid = fork();
        if pid == 0 {
            let written = write!(child, "{:?}", waits());
            _exit(i32::from(written.is_err()));
        }
        drop(child);
        let mut text = String::new();
        parent.read_to_string(&mut text).unwrap();
        // SAFETY: the status is not asked for.
        unsafe { waitpid(pid, std::ptr::null_mut(), 0) };
        let (by_policy, by_operation) = text.split_once("], [").unwrap();
        [by_policy.to_owned(), by_operation.to_owned()]
    });
    for way in 0..2 {
        let [one, two, three] = children.each_ref().map(|child| &child[way]);
        assert!(one != two && two != three && one != three, "{children:?}");
    }
}
