//! The programs that the set-up found, for the steps that start them.

use std::path::PathBuf;

/// The browsers and the one driver that comes with them.
#[derive(Debug, Clone)]
pub struct Found {
    pub chrome: PathBuf,
    pub chromedriver: PathBuf,
    pub firefox: PathBuf,
    /// The capabilities that wasm-bindgen's test runner asks the drivers for.
    pub webdriver_json: PathBuf,
}

/// WebKit's driver, which knows its browser, and a display for that.
#[derive(Debug, Clone)]
pub struct WebKit {
    pub driver: PathBuf,
    pub xvfb: PathBuf,
}

/// The servers that jobs are kept in.
#[derive(Debug, Clone)]
pub struct Servers {
    pub redis: PathBuf,
    pub postgres: PathBuf,
}
