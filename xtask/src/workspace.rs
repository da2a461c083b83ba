//! Where things are.

use std::env;
use std::path::{Path, PathBuf};

/// The checkout and its build folder. Everything xtask makes lies under `target`.
#[derive(Debug, Clone)]
pub struct Workspace {
    pub root: PathBuf,
    pub target: PathBuf,
}

impl Workspace {
    pub fn find() -> Self {
        // Cargo sets the variable when it runs us, so a moved checkout still finds itself.
        let manifest = env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = manifest.parent().unwrap_or(&manifest).to_path_buf();
        let target = target_dir(&root, env::var_os("CARGO_TARGET_DIR").map(PathBuf::from));
        Self { root, target }
    }

    /// `path` as a reader in the checkout would write it.
    pub fn relative<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.root).unwrap_or(path)
    }

    /// A program of the build tools that the lock file pins.
    pub fn wasm_tool(&self, name: &str) -> PathBuf {
        self.target.join("tools").join(name)
    }

    /// A program of an npm package in `xtask/npm`.
    pub fn npm_tool(&self, name: &str) -> PathBuf {
        self.root.join("xtask/npm/node_modules/.bin").join(name)
    }
}

fn target_dir(root: &Path, from_env: Option<PathBuf>) -> PathBuf {
    // A relative CARGO_TARGET_DIR counts from the folder where cargo was called; the alias is called
    // from the checkout, and joining an absolute path replaces the root.
    root.join(from_env.unwrap_or_else(|| PathBuf::from("target")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn target_follows_the_environment() {
        let root = Path::new("/r");
        assert_eq!(target_dir(root, None), Path::new("/r/target"));
        assert_eq!(target_dir(root, Some("out".into())), Path::new("/r/out"));
        assert_eq!(target_dir(root, Some("/o".into())), Path::new("/o"));
    }
}
