// The declarations are the manual: they name what there is, all of it and nothing else, and describe it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { importPackage, installed, project, repo } from './lib/consumer.mjs';
import { readDeclarations } from './lib/dts.mjs';
import { caught, literal, tableIn } from './lib/readers.mjs';

const api = await importPackage();
const { RetryPolicy } = api;
const read = (name) => readFileSync(join(installed, name), 'utf8');
const texts = (...names) => Object.fromEntries(names.map((name) => [name, read(name)]));
const MAIN = texts('index.d.ts', 'options.d.ts', 'events.d.ts');
const testing = await import(pathToFileURL(join(project('docs', { 'testing.mjs': "export * from 'rejitter/testing';\n" }), 'testing.mjs')).href);

/** The options that the code knows, from its own message. */
const KNOWN = /Known options: (.*)$/.exec(caught(() => new RetryPolicy({ zzzzzzzz: 1 })).message)[1].split(', ');

/** Objections to the declarations of an entry, by file, the entry's first: of the main one, or of another with its module. */
function objections(files, module = api, optionTypes = { PolicyOptions: KNOWN }) {
  const { exports, options } = readDeclarations(Object.keys(files)[0], files);
  const wrong = [];
  const differ = (what, documented, real) => {
    for (const name of real) if (!documented.includes(name)) wrong.push(`${what} ${name} is not in the declarations`);
    for (const name of documented) if (!real.includes(name)) wrong.push(`${what} ${name} is only in the declarations`);
  };
  const values = [...exports].filter(([, { value }]) => value).map(([name]) => name);
  differ('export', values, Object.keys(module));
  for (const [name, { doc, kind, value, members, marked }] of exports) {
    if (!marked) continue;
    if (!doc?.text.trim()) wrong.push(`${name} has no doc comment`);
    else if (value && !/```js\n[^]*```/.test(doc.tag('example') ?? '')) wrong.push(`${name} has no example`);
    for (const member of members) if (!member.doc || !(member.doc.text.trim() || member.doc.tags.length)) wrong.push(`${name}.${member.name} has no doc comment (${kind})`);
  }
  for (const [, link, name, member] of Object.values(files).join('').matchAll(/\{@link ((\w+)(?:\.(\w+))?)/g)) {
    const found = exports.get(name);
    if (!found || (member && !found.members.some((known) => known.name === member))) wrong.push(`{@link ${link}} leads nowhere`);
  }
  for (const [type, real] of Object.entries(optionTypes)) {
    const documented = options(type);
    differ(`${type}: option`, [...documented.keys()], real);
    for (const [name, declarations] of documented) {
      // Options that belong to one variant are declared in several: one of them is the full description.
      const full = declarations.find(({ doc }) => doc?.tag('default') !== undefined);
      if (declarations.some(({ doc }) => !doc)) wrong.push(`option ${name} is somewhere without a doc comment`);
      if (!full?.doc.tag('default')) wrong.push(`option ${name} has no @default`);
      if (!full?.doc.tag('example')) wrong.push(`option ${name} has no example`);
      const said = full?.doc.text.replaceAll('\n', ' ') ?? '';
      if (/\bnumber\b(?! *\))/.test(full?.type.replace(/\([^)]*\) => [^|]*/g, '') ?? '')) {
        if (!/\bms\b|whole number|\b[Ff]inite\b/.test(said)) wrong.push(`option ${name} has no unit`);
        if (!/\b([Ff]rom \d|[Aa]bove \d)/.test(said)) wrong.push(`option ${name} has no range`);
      }
    }
  }
  return wrong;
}

test('index.d.ts: every export and option of the package and no other, described', () => {
  assert.deepEqual(objections(MAIN), []);
});

test('testing.d.ts: every export of rejitter/testing and no other, described', () => {
  assert.deepEqual(objections(texts('testing.d.ts'), testing, { VirtualClockOptions: ['date', 'blocking'] }), []);
  const error = caught(() => testing.virtualClock({ zzzzzzzz: 1 }));
  assert.match(error.message, /Options are: date, blocking$/);
});

test('retrySync: its options are those of retry, but for what needs a timer or many operations', () => {
  const { options } = readDeclarations('index.d.ts', MAIN);
  const expected = KNOWN.filter((name) => !['attemptTimeoutMs', 'unref', 'metrics'].includes(name));
  assert.deepEqual([...options('SyncOptions').keys()].sort(), expected.sort());
});

test('the examples of options are options, and of the option that they stand at', () => {
  const { options } = readDeclarations('index.d.ts', MAIN);
  let examples = 0;
  for (const [name, declarations] of options('PolicyOptions')) {
    for (const { doc } of declarations) {
      for (const [, example] of doc.tags.filter(([tag]) => tag === 'example')) {
        const [, short] = /^`(\{.*\})`$/s.exec(example) ?? [];
        // The longer ones are run as programs by the test of the READMEs.
        if (!short) assert.match(example, /^```js\n/, name);
        else {
          const given = new Function(`return (${short});`)();
          assert.ok(Object.hasOwn(given, name), `${name}: ${short}`);
          assert.doesNotThrow(() => new RetryPolicy(given), `${name}: ${short}`);
          examples += 1;
        }
      }
    }
  }
  assert.ok(examples >= KNOWN.length - 2, String(examples));
});

test('the short defaults in the declarations are those of the README\'s table', () => {
  const { options } = readDeclarations('index.d.ts', MAIN);
  const readme = new Map(tableIn(readFileSync(join(repo, 'README.md'), 'utf8'), 'option').map(([name, , , standard]) => [literal(name), literal(standard)]));
  for (const [name, declarations] of options('PolicyOptions')) {
    const said = declarations.map(({ doc }) => doc.tag('default')).filter(Boolean);
    const standard = readme.get(name);
    if (standard === undefined) assert.match(said[0], /^(none|fresh|the built-in)/, name);
    else assert.ok(said.every((text) => text === standard || text.startsWith(`${standard},`) || text.startsWith(`${standard};`)), `${name}: ${said} and ${standard}`);
  }
});

/** CONTROLS: a change of the text → the objection that it must raise. */
const CONTROLS = [
  ['an export that is gone', (text) => text.replace('export function isPermanent(error: unknown): boolean;', ''), 'export isPermanent is not in the declarations'],
  ['an export that is not there', (text) => `${text}\n/** Words. @example\n\`\`\`js\n1\n\`\`\` */\nexport function more(): void;\n`, 'export more is only in the declarations'],
  ['a link to nothing', (text) => text.replace('{@link CommonOptions.baseMs}', '{@link CurveOptions.baseMs}'), '{@link CurveOptions.baseMs} leads nowhere'],
  ['an option that is gone', (text) => text.replace(/^  minMs\?: .*$/m, ''), 'PolicyOptions: option minMs is not in the declarations'],
  ['an option that is not there', (text) => text.replace(/^  minMs\?: .*$/m, '$&\n  /** In ms, from 0. @default 1\n @example `{}` */\n  maxMs?: number | undefined;'), 'PolicyOptions: option maxMs is only in the declarations'],
  ['an option that is misspelt', (text) => text.replace('  capMs?: number', '  capMS?: number'), 'PolicyOptions: option capMs is not in the declarations'],
  ['an option without a default', (text) => text.replace('   * @default 60_000\n', ''), 'option maxRetryAfterMs has no @default'],
  ['an option without an example', (text) => text.replace('   * @example `{ minMs: 20 }`\n', ''), 'option minMs has no example'],
  ['an option without a unit', (text) => text.replace('How long each attempt may take, in ms, from', 'How long each attempt may take, from'), 'option attemptTimeoutMs has no unit'],
  ['an option without a range', (text) => text.replace('Finite, from 1.', 'Finite.'), 'option factor has no range'],
  ['an option without a comment', (text) => text.replace(/\/\*\*(?:(?!\*\/)[^])*\*\/\s*(?=unref\?: boolean)/, ''), 'option unref is somewhere without a doc comment'],
  ['a function without a comment', (text) => text.replace(/\/\*\*(?:(?!\*\/)[^])*\*\/\s*(?=export function permanent)/, ''), 'permanent has no doc comment'],
  ['a class without an example', (text) => text.replace(/ \* @example\n(?: \* .*\n)*? \*\/\n(?=export class TimeoutError)/, ' */\n'), 'TimeoutError has no example'],
  ['a method without a comment', (text) => text.replace('  /** The counts so far; `undefined` unless the option `metrics` is true. */\n', ''), 'RetryPolicy.metrics has no doc comment (ClassDeclaration)'],
  ['a type without a comment', (text) => text.replace('/** What one attempt did. */\n', ''), 'AttemptRecord has no doc comment'],
];

for (const [what, change, objection] of CONTROLS) {
  test(`control: ${what} is objected to`, () => {
    const changed = Object.fromEntries(Object.entries(MAIN).map(([name, text]) => [name, change(text)]));
    assert.notDeepEqual(changed, MAIN);
    assert.ok(objections(changed).includes(objection), objections(changed).join('\n'));
  });
}
