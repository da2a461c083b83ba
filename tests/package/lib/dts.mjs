// What an entry's declarations say about its exports and options, read by TypeScript's own parser.

import ts from 'typescript-5.9';

/** The doc comment of a declaration: its text, its tags; undefined if it has none. */
function docOf(node) {
  const docs = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  const doc = docs.at(-1);
  if (!doc) return undefined;
  const text = ts.getTextOfJSDocComment(doc.comment) ?? '';
  const tags = (doc.tags ?? []).map((tag) => [tag.tagName.text, (ts.getTextOfJSDocComment(tag.comment) ?? '').trim()]);
  return { text, tags, tag: (name) => tags.find(([found]) => found === name)?.[1] };
}

/** `name?: undefined` says that an option has no place there. */
const isForbidden = (member) => ts.isPropertySignature(member) && member.type?.kind === ts.SyntaxKind.UndefinedKeyword;

/**
 * @param {string} entry the name of its file
 * @param {Record<string, string>} texts by file: the entry's, and those of the files that it is divided into
 * @returns {{ exports, options }} `exports`: name → { kind, value, doc, members }; `options(type)`: the names
 * of all options that the type has in any of its variants → their declarations' docs and types
 */
export function readDeclarations(entry, texts) {
  const path = `/${entry}`;
  const files = new Map(Object.entries(texts).map(([name, text]) => [`/${name}`, text]));
  const host = ts.createCompilerHost({});
  const { getSourceFile } = host;
  host.getSourceFile = (name, ...rest) => (files.has(name) ? ts.createSourceFile(name, files.get(name), ts.ScriptTarget.ES2022, true) : getSourceFile.call(host, name, ...rest));
  host.fileExists = (name) => files.has(name) || ts.sys.fileExists(name);
  const program = ts.createProgram([path], { target: ts.ScriptTarget.ES2022, lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'], types: [], strict: true }, host);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(path);
  const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(source));

  const exports = new Map(symbols.map((symbol) => {
    const [node] = symbol.declarations;
    const members = (node.members ?? []).filter((member) => member.name && !isForbidden(member)).map((member) => ({ name: member.name.getText(), doc: docOf(member) }));
    return [symbol.name, {
      kind: ts.SyntaxKind[node.kind],
      // Only what an `export` stands before: in a declaration file everything else is exported, too.
      marked: ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Export,
      value: (symbol.flags & ts.SymbolFlags.Value) !== 0,
      doc: docOf(node),
      members,
    }];
  }));

  function options(typeName) {
    const symbol = symbols.find(({ name }) => name === typeName);
    const type = checker.getDeclaredTypeOfSymbol(symbol);
    const found = new Map();
    for (const variant of type.isUnion() ? type.types : [type]) {
      for (const property of checker.getPropertiesOfType(variant)) {
        const declarations = (property.declarations ?? []).filter((node) => !isForbidden(node));
        if (declarations.length === 0) continue;
        const known = found.get(property.name) ?? new Map();
        for (const node of declarations) known.set(node, { doc: docOf(node), type: node.type.getText() });
        found.set(property.name, known);
      }
    }
    return new Map([...found].map(([name, known]) => [name, [...known.values()]]));
  }

  return { exports, options };
}
