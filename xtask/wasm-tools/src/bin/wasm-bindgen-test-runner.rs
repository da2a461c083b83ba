//! The runner of wasm tests, of the version that the lock file names.

fn main() {
    let args = std::env::args_os();
    if let Err(error) = wasm_bindgen_cli::wasm_bindgen_test_runner::run_cli_with_args(args) {
        eprintln!("error: {error:?}");
        std::process::exit(1);
    }
}
