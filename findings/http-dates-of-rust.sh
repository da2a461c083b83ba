#!/bin/sh
# Guess: Rust's usual parser of HTTP dates is about as lenient as `Date.parse`.
# Found: httpdate reads the three forms of the standard alone: no wrong weekday, lower case, `+0000` or second 60.
# Versions: httpdate@1.0.3
# Day: 2026-11-28
set -eu
grep '^# ' "$0"
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
trap exit HUP INT TERM
export CARGO_TARGET_DIR="$PWD/target"
mkdir src
cat > Cargo.toml <<'EOF'
[package]
name = "run"
version = "0.0.0"
edition = "2021"

[dependencies]
httpdate = "=1.0.3"
EOF
cat > src/main.rs <<'EOF'
fn main() {
    for date in [
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
        "Mon, 06 Nov 1994 08:49:37 GMT",
        "Sun, 6 Nov 1994 08:49:37 GMT",
        "sun, 06 nov 1994 08:49:37 gmt",
        "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 +0000",
        "Sun, 06 Nov 1994 08:49:60 GMT",
    ] {
        println!("{date}: {}", if httpdate::parse_http_date(date).is_ok() { "read" } else { "rejected" });
    }
}
EOF
cargo run --quiet | tee seen
diff - seen <<'EOF'
Sun, 06 Nov 1994 08:49:37 GMT: read
Sunday, 06-Nov-94 08:49:37 GMT: read
Sun Nov  6 08:49:37 1994: read
Mon, 06 Nov 1994 08:49:37 GMT: rejected
Sun, 6 Nov 1994 08:49:37 GMT: rejected
sun, 06 nov 1994 08:49:37 gmt: rejected
Sun, 06 Nov 1994 08:49:37 UTC: rejected
Sun, 06 Nov 1994 08:49:37 +0000: rejected
Sun, 06 Nov 1994 08:49:60 GMT: rejected
EOF
