// The exports and options in an entry point's declarations, read by TypeScript's own parser.

import { resolve } from 'node:path';

import ts from 'typescript-5.9';

import { installed } from '../../package/lib/consumer.mjs';

/** Each file is parsed once, and each entry read once: TypeScript's libraries take longer than all the rest. */
const sources = new Map();
const entries = new Map();

/** Returns the text and the tags of a declaration's doc comment, or undefined if it has none. */
function docOf(node) {
  const docs = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  const doc = docs.at(-1);
  if (!doc) return undefined;
  const text = ts.getTextOfJSDocComment(doc.comment) ?? '';
  const tags = (doc.tags ?? []).map((tag) => [tag.tagName.text, (ts.getTextOfJSDocComment(tag.comment) ?? '').trim()]);
  return { text, tags, tag: (name) => tags.find(([found]) => found === name)?.[1] };
}

/** `name?: undefined` means that the option must be unset. */
const isForbidden = (member) => ts.isPropertySignature(member) && member.type?.kind === ts.SyntaxKind.UndefinedKeyword;

/**
 * @param {string} entry the name of its file in the installed package, or its path
 * @returns {{ exports, options }} `exports`: name → { marked, value, doc, members }; `options(type)`: the name
 * of each option of the type → the docs and types of its declarations
 */
export const readDeclarations = (entry) => entries.get(entry) ?? entries.set(entry, read(entry)).get(entry);

function read(entry) {
  const path = resolve(installed, entry);
  const settings = {
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
    types: [],
    strict: true,
  };
  const host = ts.createCompilerHost(settings, true);
  const { getSourceFile } = host;
  host.getSourceFile = (name, ...rest) => {
    if (!sources.has(name)) sources.set(name, getSourceFile.call(host, name, ...rest));
    return sources.get(name);
  };
  const program = ts.createProgram([path], settings, host);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(path);
  const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(source));

  const exports = new Map(
    symbols.map((symbol) => {
      const [node] = symbol.declarations;
      const members = (node.members ?? [])
        .filter((member) => member.name && !isForbidden(member))
        .map((member) => ({ name: member.name.getText(), doc: docOf(member) }));
      return [
        symbol.name,
        {
          // Only what an `export` stands before: in a declaration file everything else is exported, too.
          marked: ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Export,
          value: (symbol.flags & ts.SymbolFlags.Value) !== 0,
          doc: docOf(node),
          members,
        },
      ];
    }),
  );

  function options(typeName) {
    const type = checker.getDeclaredTypeOfSymbol(symbols.find(({ name }) => name === typeName));
    const found = checker.getPropertiesOfType(type).map((property) => {
      const declarations = (property.declarations ?? []).filter((node) => !isForbidden(node));
      return [property.name, declarations.map((node) => ({ doc: docOf(node), type: node.type.getText() }))];
    });
    return new Map(found.filter(([, declarations]) => declarations.length > 0));
  }

  return { exports, options };
}
