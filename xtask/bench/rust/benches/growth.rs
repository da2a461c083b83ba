//! By how much a program grows that retries and waits on Tokio's timers. It is optimised as a whole, unwinds, and is
//! stripped. docs/guide/rust.md has the figures.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Programs by their names, and how each makes the attempts.
const PROGRAMS: [(&str, &str); 4] = [
    ("none", "attempt().await"),
    (
        "backon",
        "attempt.retry(ExponentialBuilder::new().with_jitter()).await",
    ),
    (
        "rejitter",
        "rejitter::retry(RetryPolicy::exponential(), attempt).await",
    ),
    (
        "deadline",
        "rejitter::retry(RetryPolicy::exponential(), attempt).total_timeout(Duration::from_secs(9)).await",
    ),
];

/// Has timers and a timeout of Tokio's in any case: they are not what a retry adds.
fn program(attempts: &str) -> String {
    format!(
        "#![allow(unused_imports)]
        use backon::{{ExponentialBuilder, Retryable}};
        use rejitter::RetryPolicy;
        use std::{{future::pending, io, time::Duration}};
        use tokio::io::AsyncReadExt;
        use tokio::time;

        async fn attempt() -> io::Result<u8> {{
            let (mut ours, theirs) = tokio::io::duplex(8);
            drop(theirs);
            ours.read_u8().await
        }}

        async fn pause() {{
            time::sleep(Duration::from_millis(10)).await;
            let _ = time::timeout(Duration::from_secs(1), pending::<()>()).await;
        }}

        fn main() {{
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            if std::env::args().count() > 5 {{
                runtime.block_on(pause());
            }}
            println!(\"{{}}\", runtime.block_on(async {{ {attempts} }}).is_ok());
        }}"
    )
}

fn manifest(root: &Path) -> String {
    format!(
        "[package]
        name = \"growth\"
        edition = \"2024\"
        [workspace]
        [profile.release]
        lto = \"fat\"
        codegen-units = 1
        strip = true
        [dependencies]
        backon = {{ version = \"=1.6.0\", default-features = false, features = [\"std\", \"tokio-sleep\"] }}
        rejitter = {{ path = {:?}, features = [\"tokio\"] }}
        tokio = {{ version = \"1\", default-features = false, features = [\"io-util\", \"rt\", \"time\"] }}",
        root.join("crates/rejitter")
    )
}

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(3)
        .unwrap();
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("growth");
    fs::create_dir_all(folder.join("src/bin")).unwrap();
    fs::write(folder.join("Cargo.toml"), manifest(root)).unwrap();
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    for (name, attempts) in PROGRAMS {
        fs::write(folder.join(format!("src/bin/{name}.rs")), program(attempts)).unwrap();
    }
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--release", "--quiet", "--target-dir", "target"]);
    assert!(build.current_dir(&folder).status().unwrap().success());
    let bytes = |name: &str| {
        fs::metadata(folder.join("target/release").join(name))
            .unwrap()
            .len()
    };
    let without = bytes("none");
    for (name, _) in &PROGRAMS[1..] {
        println!(
            "{name}: {:.1} kB",
            (bytes(name) as f64 - without as f64) / 1e3
        );
    }
}
