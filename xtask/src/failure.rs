//! Failures: what is shown when something ended without success.

use std::fmt;
use std::io;
use std::path::Path;

/// Why a step ended without success.
#[derive(Debug, Clone, Default)]
pub struct Failure {
    pub message: String,
    pub command: Option<String>,
    pub remedy: Option<String>,
    /// xtask itself was asked to stop: nothing is wrong.
    pub interrupted: bool,
    /// Already on the screen.
    pub reported: bool,
}

impl Failure {
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            ..Self::default()
        }
    }

    /// xtask was asked to stop.
    pub fn stopped() -> Self {
        Self {
            interrupted: true,
            ..Self::new("stopped")
        }
    }

    /// Returns a failure that is on the screen already.
    pub fn reported() -> Self {
        Self {
            reported: true,
            ..Self::default()
        }
    }

    pub fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if let Some(command) = &self.command {
            write!(f, "\n  command: {command}")?;
        }
        if let Some(remedy) = &self.remedy {
            write!(f, "\n  remedy:  {remedy}")?;
        }
        Ok(())
    }
}

pub fn file_failure(verb: &str, path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("cannot {verb} {}: {error}", path.display()))
}
