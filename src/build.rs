//! Lists what wasm-bindgen copies beside the wasm file: the driver's modules, and its declarations.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The modules whose exports are those of `wasm-pack build`.
const ENTRIES: [&str; 3] = [
    "src/js/entries/index.js",
    "src/js/entries/fetch.js",
    "src/js/wasm/core.js",
];
/// Their types are written by hand, once, for both packages. Here they are one file.
const DECLARATIONS: [&str; 4] = ["index", "options", "events", "fetch"];

fn main() {
    // Native tests have none of it: they are not built again when JavaScript changes.
    if env::var("CARGO_CFG_TARGET_FAMILY").as_deref() != Ok("wasm") {
        return println!("cargo::rerun-if-changed=src/build.rs");
    }
    println!("cargo::rerun-if-changed=src/js");
    println!("cargo::rerun-if-changed=pkg-template");
    let mut modules = BTreeSet::new();
    for entry in ENTRIES {
        collect(Path::new(entry), &mut modules);
    }
    // A declaration copies its module. Nothing calls these, so the modules need not export them.
    let blocks = modules.iter().enumerate().map(|(i, module)| {
        format!(
            "#[wasm_bindgen(module = \"/{}\")]\nextern \"C\" {{\n    fn module_{i}();\n}}\n",
            module.display()
        )
    });
    write("modules.rs", &blocks.collect::<String>());
    let declarations = DECLARATIONS.map(|name| {
        let text = read(Path::new(&format!("pkg-template/{name}.d.ts")));
        // At their top are imports from, and exports of, the other files.
        let end = text.rfind(".js';\n").map_or(0, |at| at + ".js';\n".len());
        text[end..].to_owned()
    });
    write("declarations.d.ts", &declarations.concat());
}

/// Adds a module and those that it imports, directly or not.
fn collect(module: &Path, found: &mut BTreeSet<PathBuf>) {
    if !found.insert(module.to_owned()) {
        return;
    }
    // Every import and every export of another module has ` from '`, which the formatter writes. The driver has no
    // import for effect alone, and imports no packages: each specifier is a relative path.
    for import in read(module).split(" from '").skip(1) {
        let specifier = import.split('\'').next().unwrap_or_default();
        let mut path = module.to_owned();
        path.pop();
        for part in specifier.split('/') {
            match part {
                "." => {}
                ".." => assert!(path.pop(), "{specifier} in {}", module.display()),
                name => path.push(name),
            }
        }
        collect(&path, found);
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn write(name: &str, text: &str) {
    let folder = env::var_os("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&folder).join(name), text).expect("cargo made the folder");
}
