//! No module depends on one that depends on it: each can be read without those that are built on it.
//!
//! A module is a file. It depends on the modules that define what it names: in `use`, and in paths that start with
//! `crate`, `super`, `self` or a module within it. A name is followed through re-exports to its definition, so a parent
//! that only re-exports takes part in nothing, and a re-export is a dependency only where the file uses the name as
//! well. Methods are not followed, nor are tests. Code of any feature counts.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The parts of a source that matter: words, `::`, and other signs.
fn tokens(source: &str) -> Vec<String> {
    let chars: Vec<char> = source.chars().collect();
    let (mut tokens, mut i) = (Vec::new(), 0);
    let is_word = |c: &char| c.is_alphanumeric() || *c == '_';
    let starts = |i: usize, text: &str| {
        text.chars()
            .enumerate()
            .all(|(n, c)| chars.get(i + n) == Some(&c))
    };
    while i < chars.len() {
        let hashes = chars[i..].iter().skip(1).take_while(|c| **c == '#').count();
        if starts(i, "//") {
            i += chars[i..].iter().take_while(|c| **c != '\n').count();
        } else if chars[i] == 'r' && chars.get(i + 1 + hashes) == Some(&'"') {
            let end = format!("\"{}", "#".repeat(hashes));
            i += 2 + hashes;
            while !starts(i, &end) {
                i += 1;
            }
            i += end.len();
        } else if chars[i] == '"' {
            i += 1;
            while chars[i] != '"' {
                i += if chars[i] == '\\' { 2 } else { 1 };
            }
            i += 1;
        } else if chars[i] == '\''
            && (chars.get(i + 1) == Some(&'\\') || chars.get(i + 2) == Some(&'\''))
        {
            i += 2;
            while chars[i] != '\'' {
                i += 1;
            }
            i += 1;
        } else if is_word(&chars[i]) {
            let word: String = chars[i..].iter().take_while(|c| is_word(c)).collect();
            i += word.chars().count();
            tokens.push(word);
        } else if starts(i, "::") {
            tokens.push("::".into());
            i += 2;
        } else {
            if !chars[i].is_whitespace() {
                tokens.push(chars[i].into());
            }
            i += 1;
        }
    }
    tokens
}

/// Position behind the bracket that closes the one at `start`.
fn behind(tokens: &[String], start: usize) -> usize {
    let mut depth = 0;
    for (i, token) in tokens.iter().enumerate().skip(start) {
        match token.as_str() {
            "{" | "[" | "(" => depth += 1,
            "}" | "]" | ")" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return i + 1;
        }
    }
    tokens.len()
}

type Names = Vec<String>;

/// A file, or a module within one.
#[derive(Default)]
struct Module {
    /// The file's module.
    file: Names,
    defined: BTreeSet<String>,
    /// What it imports, by its name here. A glob has the name `*`.
    imports: Vec<(String, Names)>,
}

/// A path that a module names. `exported`: its name here.
struct Use {
    module: Names,
    path: Names,
    exported: Option<String>,
}

#[derive(Default)]
struct Sources {
    modules: BTreeMap<Names, Module>,
    uses: Vec<Use>,
    /// Words of a file, outside of its imports.
    words: BTreeMap<Names, BTreeSet<String>>,
}

impl Sources {
    fn add(&mut self, file: &Names, source: &str) {
        self.words.insert(file.clone(), BTreeSet::new());
        self.read(file, file, &tokens(source));
    }

    /// Reads the items of a module.
    fn read(&mut self, module: &Names, file: &Names, tokens: &[String]) {
        let within = self.modules.entry(module.clone()).or_default();
        within.file.clone_from(file);
        let is_word = |i: usize| {
            tokens
                .get(i)
                .is_some_and(|t| t.starts_with(|c: char| c.is_alphabetic() || c == '_'))
        };
        let (mut i, mut is_public) = (0, false);
        while i < tokens.len() {
            let token = tokens[i].as_str();
            let cfg_test = ["#", "[", "cfg", "(", "test", ")", "]"];
            if tokens[i..]
                .iter()
                .zip(cfg_test)
                .filter(|(a, b)| *a == b)
                .count()
                == cfg_test.len()
            {
                let ends = |i: &usize| matches!(tokens[*i].as_str(), ";" | "{");
                i = (i..tokens.len())
                    .find(ends)
                    .map_or(tokens.len(), |i| behind(tokens, i));
            } else if token == "#" && tokens.get(i + 1).is_some_and(|next| next == "[") {
                i = behind(tokens, i + 1);
            } else if token == "mod" && tokens.get(i + 2).is_some_and(|next| next == "{") {
                let end = behind(tokens, i + 2);
                let inner = [&module[..], &tokens[i + 1..=i + 1]].concat();
                self.read(&inner, file, &tokens[i + 3..end - 1]);
                i = end;
            } else if token == "use" && !is_word(i.wrapping_sub(1)) | is_public {
                let end = (i..tokens.len())
                    .find(|i| tokens[*i] == ";")
                    .unwrap_or(tokens.len());
                self.import(module, &[], &tokens[i + 1..end], is_public);
                i = end;
            } else if token == "pub" {
                is_public = true;
                i = if tokens[i + 1] == "(" {
                    behind(tokens, i + 1)
                } else {
                    i + 1
                };
                continue;
            } else if is_word(i) {
                let is_definition =
                    ["struct", "enum", "trait", "fn", "const", "static", "type"].contains(&token);
                let name = if token == "macro_rules" { i + 2 } else { i + 1 };
                if (is_definition || token == "macro_rules") && is_word(name) {
                    let within = self.modules.get_mut(module).unwrap();
                    within.defined.insert(tokens[name].clone());
                }
                self.words.get_mut(file).unwrap().insert(token.into());
                let mut path = vec![token.to_owned()];
                while tokens.get(i + 1).is_some_and(|next| next == "::") && is_word(i + 2) {
                    i += 2;
                    path.push(tokens[i].clone());
                }
                if path.len() > 1 {
                    let (module, exported) = (module.clone(), None);
                    self.uses.push(Use {
                        module,
                        path,
                        exported,
                    });
                }
                i += 1;
            } else {
                i += 1;
            }
            is_public = false;
        }
    }

    /// Reads what follows `use`, or a part of it in braces.
    fn import(&mut self, module: &Names, prefix: &[String], tree: &[String], is_public: bool) {
        let mut path = prefix.to_vec();
        for (i, token) in tree.iter().enumerate() {
            match token.as_str() {
                "::" => {}
                "as" => break,
                "{" => {
                    let list = &tree[i + 1..behind(tree, i) - 1];
                    let mut start = 0;
                    while start < list.len() {
                        let mut end = start;
                        while end < list.len() && list[end] != "," {
                            end = if list[end] == "{" {
                                behind(list, end)
                            } else {
                                end + 1
                            };
                        }
                        self.import(module, &path, &list[start..end], is_public);
                        start = end + 1;
                    }
                    return;
                }
                "self" if !path.is_empty() => {}
                _ => path.push(token.clone()),
            }
        }
        let name = tree
            .last()
            .filter(|last| *last != "self")
            .or(path.last())
            .unwrap()
            .clone();
        if path.last() == Some(&"*".into()) {
            path.pop();
        }
        let within = self.modules.get_mut(module).unwrap();
        within.imports.push((name.clone(), path.clone()));
        let (module, exported) = (module.clone(), is_public.then_some(name));
        self.uses.push(Use {
            module,
            path,
            exported,
        });
    }

    /// The module that defines what a path names. `None` for other crates.
    fn find(&self, from: &Names, path: &[String], depth: usize) -> Option<Names> {
        let (mut at, mut rest) = (from.clone(), path);
        match path.first()?.as_str() {
            "crate" => (at, rest) = (Names::new(), &path[1..]),
            "self" => rest = &path[1..],
            "super" => {
                at.pop();
                rest = &path[1..];
                while rest.first().is_some_and(|first| first == "super") {
                    at.pop();
                    rest = &rest[1..];
                }
            }
            // A name that was imported is counted where that was done.
            first
                if !self
                    .modules
                    .contains_key(&[&at[..], &[first.to_owned()]].concat()) =>
            {
                return None;
            }
            _ => {}
        }
        for (i, name) in rest.iter().enumerate() {
            let inner = [&at[..], std::slice::from_ref(name)].concat();
            if self.modules.contains_key(&inner) {
                at = inner;
                continue;
            }
            let imports = &self.modules.get(&at)?.imports;
            // Two names may re-export each other through globs.
            let mut found = imports
                .iter()
                .filter(|_| depth < 9)
                .filter_map(|(own, path)| {
                    let more = if own == name {
                        &rest[i + 1..]
                    } else {
                        &rest[i..]
                    };
                    let path = [path, more].concat();
                    let to =
                        (own == name || own == "*").then(|| self.find(&at, &path, depth + 1))??;
                    let defines = |name: &String| {
                        self.modules[&to].defined.contains(name)
                            || to.ends_with(std::slice::from_ref(name))
                    };
                    (own == name || defines(&rest[i])).then_some(to)
                });
            return found.next().or(Some(at));
        }
        Some(at)
    }

    /// The dependencies of each circle.
    fn circles(&self) -> Vec<Vec<String>> {
        let mut to: BTreeMap<Names, BTreeSet<Names>> = BTreeMap::new();
        for Use {
            module,
            path,
            exported,
        } in &self.uses
        {
            let file = &self.modules[module].file;
            let is_used = exported
                .as_ref()
                .is_none_or(|name| self.words[file].contains(name));
            let target = self.find(module, path, 0).filter(|_| is_used);
            let target = target.and_then(|target| Some(self.modules.get(&target)?.file.clone()));
            to.entry(file.clone())
                .or_default()
                .extend(target.filter(|target| target != file));
        }
        let mut reached = BTreeMap::new();
        for from in to.keys() {
            let (mut seen, mut next) = (BTreeSet::new(), vec![from]);
            while let Some(module) = next.pop() {
                next.extend(
                    to.get(module)
                        .into_iter()
                        .flatten()
                        .filter(|to| seen.insert(*to)),
                );
            }
            reached.insert(from, seen);
        }
        let back = |from: &Names, to: &Names| reached.get(from).is_some_and(|all| all.contains(to));
        let in_circles = reached.iter().filter(|(module, _)| back(module, module));
        let circles = in_circles.map(|(module, _)| {
            let within = to
                .iter()
                .filter(|(from, _)| back(module, from) && back(from, module));
            let edges = within.flat_map(|(from, to)| to.iter().map(move |to| (from, to)));
            let edges = edges.filter(|(_, to)| back(to, module));
            edges
                .map(|(from, to)| format!("{} -> {}", from.join("::"), to.join("::")))
                .collect()
        });
        circles.collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// Reads the files of a folder, whose module is `parent`.
fn read(folder: &Path, parent: &Names, sources: &mut Sources) -> usize {
    let mut files = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let inner = [parent, std::slice::from_ref(&name)].concat();
        if path.is_dir() {
            files += read(&path, &inner, sources);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let is_parent = name == "mod" || name == "lib" && parent.is_empty();
            let module = if is_parent { parent } else { &inner };
            sources.add(module, &fs::read_to_string(&path).unwrap());
            files += 1;
        }
    }
    files
}

#[test]
fn no_modules_depend_on_each_other() {
    for (folder, least) in [("crates/rejitter/src", 80), ("lab/src", 30)] {
        let mut sources = Sources::default();
        let files = read(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join(folder),
            &Names::new(),
            &mut sources,
        );
        assert!(files >= least, "{folder} has {files} files");
        assert_eq!(sources.circles(), [[""; 0]; 0], "{folder}");
    }
}

/// The circles of modules in these files.
fn circles_of(files: &[(&str, &str)]) -> Vec<Vec<String>> {
    let mut sources = Sources::default();
    for (module, source) in files {
        let module = module.split("::").filter(|part| !part.is_empty());
        sources.add(&module.map(str::to_owned).collect(), source);
    }
    sources.circles()
}

#[test]
fn a_circle_is_found_however_its_names_are_written() {
    let circle = vec![vec!["a::b -> a::c".to_owned(), "a::c -> a::b".to_owned()]];
    let parent = "mod b; mod c; pub use b::B; pub(crate) use c::{C, make as build}; mod names { pub use super::c::*; }";
    let b = "pub struct B; fn f() {}";
    for c in [
        "use super::B; pub struct C; pub fn make() {}",
        "use super::{super::a::{b::B, Other}}; pub struct C; pub fn make() {}",
        "pub struct C { inner: crate::a::b::B } pub fn make() {}",
        "macro_rules! make { () => { $crate::a::B } } pub struct C; pub fn make() {}",
        "pub struct C; pub fn make() { mod inner { use super::super::b; } }",
    ] {
        for of_c in [
            "use super::C;",
            "use super::build;",
            "use crate::a::names::C;",
            "use super::c;",
            "fn g() -> super::c::C {}",
        ] {
            let b = [of_c, b].concat();
            assert_eq!(
                circles_of(&[("", "mod a;"), ("a", parent), ("a::b", &b), ("a::c", c)]),
                circle,
                "{b} {c}"
            );
        }
    }
}

#[test]
fn what_is_no_dependency_makes_no_circle() {
    let parent = "mod b; mod c; pub use b::B; pub use c::C;";
    let c = "use super::B; pub struct C;";
    for b in [
        "pub struct B;",
        "pub struct B; // use super::C;",
        "pub struct B; const TEXT: &str = \"super::C\"; const RAW: &str = r#\"super::C\"#;",
        "pub struct B; /// See [`C`](super::C).\nfn f() {}",
        "pub struct B; #[cfg(test)] mod tests { use super::super::C; }",
        "pub struct B; #[doc = super::C] fn f<'a>(c: char) -> bool { c == '\"' }",
        "use std::c::C; use core::{fmt, mem}; pub struct B;",
    ] {
        let no_circles: [Vec<String>; 0] = [];
        assert_eq!(
            circles_of(&[("", "mod a;"), ("a", parent), ("a::b", b), ("a::c", c)]),
            no_circles,
            "{b}"
        );
    }
    // A parent that uses what it re-exports is a part of it.
    let parent = [parent, "pub struct Own(C);"].concat();
    let found = circles_of(&[
        ("", "mod a;"),
        ("a", &parent),
        ("a::b", "pub struct B;"),
        ("a::c", "use super::Own; struct C;"),
    ]);
    assert_eq!(found, [["a -> a::c", "a::c -> a"]]);
}
