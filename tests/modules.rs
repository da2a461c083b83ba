//! No module depends on one that depends on it: each can be read without those that are built on it.
//!
//! A module is a file. It depends on the modules that define what it names: in `use`, and in paths that start with
//! `crate`, `super`, `self` or a module within it. A name is followed through re-exports to its definition, so a parent
//! that only re-exports takes part in nothing, and a re-export is a dependency only where the file has the name in
//! other places as well. Methods are not followed, nor are tests. Code of any feature counts.

use std::collections::{BTreeMap, BTreeSet};
use std::{fs, mem, path::Path};

use syn::buffer::{Cursor, TokenBuffer};
use syn::visit::{self, Visit};
use syn::{Attribute, Ident, ItemMod, ItemUse, Macro, UseTree, Visibility};

type Names = Vec<String>;

/// A file, or a module within one.
#[derive(Default)]
struct Module {
    /// The file's module.
    file: Names,
    /// All names and all paths, but for those of its imports.
    names: BTreeSet<String>,
    paths: Vec<Names>,
    imports: Vec<Import>,
}

/// `name`: in the module that imports it. That of a glob is `*`.
struct Import {
    name: String,
    path: Names,
    is_public: bool,
}

#[derive(Default)]
struct Sources {
    modules: BTreeMap<Names, Module>,
    /// The file and the module that are read.
    file: Names,
    at: Names,
}

impl Sources {
    fn add(&mut self, file: Names, source: &str) {
        (self.file, self.at) = (file.clone(), file);
        self.module();
        self.visit_file(&syn::parse_file(source).unwrap());
    }

    fn module(&mut self) -> &mut Module {
        let module = self.modules.entry(self.at.clone()).or_default();
        module.file.clone_from(&self.file);
        module
    }

    fn import(&mut self, mut path: Names, tree: &UseTree, is_public: bool) {
        let (last, name) = match tree {
            UseTree::Path(tree) => {
                path.push(tree.ident.to_string());
                return self.import(path, &tree.tree, is_public);
            }
            UseTree::Group(group) => {
                let trees = group.items.iter();
                return trees.for_each(|tree| self.import(path.clone(), tree, is_public));
            }
            UseTree::Name(tree) => (Some(&tree.ident), None),
            UseTree::Rename(tree) => (Some(&tree.ident), Some(tree.rename.to_string())),
            _ => (None, Some("*".into())),
        };
        path.extend(last.filter(|last| *last != "self").map(Ident::to_string));
        self.module().imports.push(Import {
            name: name.unwrap_or_else(|| path.last().unwrap().clone()),
            path,
            is_public,
        });
    }

    /// Reads the paths in a macro.
    fn scan(&mut self, mut at: Cursor<'_>) {
        let (mut path, mut colons) = (Names::new(), 0);
        while let Some((_, mut next)) = at.token_tree() {
            if at.punct().is_some_and(|(sign, _)| sign.as_char() == ':') {
                colons += 1;
            } else {
                if mem::take(&mut colons) != 2 {
                    self.module().paths.push(mem::take(&mut path));
                }
                if let Some((name, _)) = at.ident() {
                    if let Some((.., behind)) = next.any_group().filter(|_| name == "pub") {
                        next = behind;
                    }
                    self.visit_ident(&name);
                    path.push(name.to_string());
                } else if let Some((inner, ..)) = at.any_group() {
                    self.scan(inner);
                }
            }
            at = next;
        }
        self.module().paths.push(path);
    }

    /// The module that defines what a path names. `None` for other crates.
    fn find(&self, from: &Names, path: &[String], depth: usize) -> Option<Names> {
        let mut at = from.clone();
        for (i, name) in path.iter().enumerate() {
            let inner = [&at[..], &path[i..=i]].concat();
            match name.as_str() {
                "crate" => at.clear(),
                "super" => drop(at.pop()),
                "self" => {}
                _ if self.modules.contains_key(&inner) => at = inner,
                // A name that was imported is counted where that was done.
                _ if i == 0 => return None,
                _ => {
                    // Two names may re-export each other through globs.
                    let mut imports = self.modules[&at].imports.iter().filter(|_| depth < 9);
                    let found = imports.find_map(|import| {
                        let is_it = import.name == *name;
                        if !is_it && import.name != "*" {
                            return None;
                        }
                        let path = [&import.path[..], &path[i + usize::from(is_it)..]].concat();
                        let to = self.find(&at, &path, depth + 1)?;
                        let has_name = self.modules[&to].names.contains(name);
                        (is_it || has_name || to.last() == Some(name)).then_some(to)
                    });
                    return found.or(Some(at));
                }
            }
        }
        Some(at)
    }

    /// The dependencies in circles.
    fn circles(&self) -> Vec<String> {
        let mut edges: BTreeMap<&Names, BTreeSet<&Names>> = BTreeMap::new();
        for (at, module) in &self.modules {
            let of_file = |other: &&Module| other.file == module.file;
            let has = |name| move |other: &Module| other.names.contains(name);
            let is_used = |name| self.modules.values().filter(of_file).any(has(name));
            let imports = module.imports.iter();
            let imports = imports.filter(|import| !import.is_public || is_used(&import.name));
            let paths = module.paths.iter().filter(|path| path.len() > 1);
            let to = imports.map(|import| &import.path).chain(paths);
            let to = to.filter_map(|path| Some(&self.modules[&self.find(at, path, 0)?].file));
            let edges = edges.entry(&module.file).or_default();
            edges.extend(to.filter(|to| **to != module.file));
        }
        let reaches = |from, to| {
            let (mut seen, mut next) = (BTreeSet::new(), vec![from]);
            while let Some(at) = next.pop() {
                next.extend(edges[at].iter().filter(|to| seen.insert(**to)));
            }
            seen.contains(to)
        };
        let edges = edges
            .iter()
            .flat_map(|(from, all)| all.iter().map(move |to| (*from, *to)));
        let circles = edges.filter(|(from, to)| reaches(*to, *from));
        circles
            .map(|(from, to)| format!("{} -> {}", from.join("::"), to.join("::")))
            .collect()
    }
}

fn is_of_tests(attributes: &[Attribute]) -> bool {
    let conditions = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"));
    let mut conditions = conditions.filter_map(|cfg| cfg.parse_args::<Ident>().ok());
    conditions.any(|condition| condition == "test")
}

impl Visit<'_> for Sources {
    fn visit_item_mod(&mut self, item: &ItemMod) {
        let inner = item.content.iter().filter(|_| !is_of_tests(&item.attrs));
        for (_, items) in inner {
            self.at.push(item.ident.to_string());
            self.module();
            items.iter().for_each(|item| self.visit_item(item));
            self.at.pop();
        }
    }

    fn visit_item_use(&mut self, item: &ItemUse) {
        if !is_of_tests(&item.attrs) {
            let is_public = !matches!(item.vis, Visibility::Inherited);
            self.import(Names::new(), &item.tree, is_public);
        }
    }

    fn visit_path(&mut self, path: &syn::Path) {
        let names = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string());
        self.module().paths.push(names.collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &Macro) {
        self.visit_path(&call.path);
        self.scan(TokenBuffer::new2(call.tokens.clone()).begin());
    }

    fn visit_ident(&mut self, name: &Ident) {
        self.module().names.insert(name.to_string());
    }

    fn visit_attribute(&mut self, _: &Attribute) {}

    fn visit_visibility(&mut self, _: &Visibility) {}
}

/// Reads the files of a folder, whose module is `parent`.
fn read(folder: &Path, parent: &Names, sources: &mut Sources) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let is_parent = name == "mod" || name == "lib" && parent.is_empty();
        let module = [&parent[..], &[name][usize::from(is_parent)..]].concat();
        if path.is_dir() {
            read(&path, &module, sources);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            sources.add(module, &fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn no_modules_depend_on_each_other() {
    for (folder, least) in [("crates/rejitter/src", 80), ("lab/src", 30)] {
        let (mut sources, root) = (Sources::default(), Path::new(env!("CARGO_MANIFEST_DIR")));
        read(&root.join(folder), &Names::new(), &mut sources);
        let modules = sources.modules.len();
        assert!(modules >= least, "{folder} has {modules} modules");
        assert_eq!(sources.circles(), [""; 0], "{folder}");
    }
}

/// The circles of two modules and their parent.
fn circles_of(parent: &str, b: &str, c: &str) -> String {
    let mut sources = Sources::default();
    sources.add(Names::new(), "mod a;");
    for (module, source) in [("a", parent), ("a::b", b), ("a::c", c)] {
        sources.add(module.split("::").map(str::to_owned).collect(), source);
    }
    sources.circles().join(", ")
}

#[test]
fn a_circle_is_found_however_its_names_are_written() {
    let parent =
        "pub use b::B; pub(crate) use c::{C, make as build}; mod names { pub use super::c::*; }";
    for of_b in [
        "use super::B;",
        "use super::{super::a::{b::B, Other}};",
        "struct Own { inner: crate::a::b::B }",
        "macro_rules! own { () => { $crate::a::B } }",
        "fn own() { mod inner { use super::super::b; } }",
    ] {
        for of_c in [
            "use super::C;",
            "use super::build;",
            "use crate::a::names::C;",
            "use super::c;",
            "fn g() -> super::c::C {}",
        ] {
            let b = format!("{of_c} pub struct B;");
            let c = format!("{of_b} pub struct C; pub fn make() {{}}");
            assert_eq!(
                circles_of(parent, &b, &c),
                "a::b -> a::c, a::c -> a::b",
                "{b} {c}"
            );
        }
    }
    // A parent that uses what it re-exports is a part of it.
    let parent = "pub use c::C; pub struct Own(C);";
    assert_eq!(
        circles_of(parent, "", "use super::Own; struct C;"),
        "a -> a::c, a::c -> a"
    );
}

#[test]
fn what_is_no_dependency_makes_no_circle() {
    for b in [
        "",
        "// use super::C;",
        "const TEXT: &str = \"super::C\"; const RAW: &str = r#\"super::C\"#;",
        "/// See [`C`](super::C).\nfn f() {}",
        "#[cfg(test)] mod tests { use super::super::C; }",
        "#[doc = super::C] fn f<'a>(c: char) -> bool { c == '\"' }",
        "use std::c::C; use core::{fmt, mem};",
        "macro_rules! own { () => { pub(in super::c) struct Own; } }",
    ] {
        let b = format!("{b}\npub struct B;");
        let found = circles_of(
            "pub use b::B; pub use c::C;",
            &b,
            "use super::B; pub struct C;",
        );
        assert_eq!(found, "", "{b}");
    }
}
