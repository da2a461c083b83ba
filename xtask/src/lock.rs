//! One command at a time in a checkout: each assembles and installs what the others read.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::thread;
use std::time::Duration;

use crate::failure::{Failure, file_failure};
use crate::signals;
use crate::workspace::Workspace;

const POLL: Duration = Duration::from_millis(100);

/// Held until it is dropped, or until the process ends.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// Waits until no other command runs in this checkout, or for Ctrl-C.
pub fn take(ws: &Workspace) -> Result<Lock, Failure> {
    let path = ws.target.join("xtask.lock");
    let open = || {
        fs::create_dir_all(&ws.target)?;
        File::create(&path)
    };
    let file = open().map_err(|error| file_failure("open", &path, &error))?;
    let mut waits = false;
    while !try_lock(&file).map_err(|error| file_failure("lock", &path, &error))? {
        if !waits {
            println!("another cargo xtask command runs in this checkout; waiting for its end");
            waits = true;
        }
        if signals::received().is_some() {
            return Err(Failure::stopped());
        }
        thread::sleep(POLL);
    }
    Ok(Lock { _file: file })
}

/// Takes the lock. Returns false if another process, or another open file of this one, holds it.
fn try_lock(file: &File) -> io::Result<bool> {
    // SAFETY: the descriptor is open as long as the file, and flock has no memory effects.
    if unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } == 0 {
        return Ok(true);
    }
    let error = io::Error::last_os_error();
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => Ok(false),
        _ => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_waits_for_the_first() {
        let root = std::env::temp_dir().join(format!("xtask-lock-{}", std::process::id()));
        let ws = Workspace {
            target: root.join("target"),
            root,
        };
        let first = take(&ws).unwrap();
        let other = File::create(ws.target.join("xtask.lock")).unwrap();
        assert!(!try_lock(&other).unwrap());
        let waiting = thread::spawn({
            let ws = ws.clone();
            move || take(&ws).map(drop)
        });
        drop(first);
        waiting.join().unwrap().unwrap();
        assert!(try_lock(&other).unwrap());
        fs::remove_dir_all(ws.root).unwrap();
    }
}
