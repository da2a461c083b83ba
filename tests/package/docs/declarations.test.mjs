// The declarations are the manual: they name every export and option, no others, and describe each.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { underClock } from '../lib/clock.mjs';
import { importEntry, importPackage, installed } from '../lib/consumer.mjs';
import { readDeclarations } from '../lib/dts.mjs';
import { caught, documentedDefaults, evaluate, literal } from '../lib/readers.mjs';
import { publicNames } from '../lib/shortcuts.mjs';

const api = await importPackage();
const { RetryPolicy } = api;
const texts = (...names) =>
  Object.fromEntries(names.map((name) => [name, readFileSync(join(installed, name), 'utf8')]));
const MAIN = texts('index.d.ts', 'options.d.ts', 'events.d.ts');
const { exports, options } = readDeclarations('index.d.ts', MAIN);

/** The options that a function knows, read from its error message. */
const known = (make) => /Known options: (.*)$/.exec(caught(() => make({ zzzzzzzz: 1 })).message)[1].split(', ');
const KNOWN = known((unknown) => new RetryPolicy(unknown));
const LIGHT = [
  ...['maxAttempts', 'baseMs', 'capMs', 'factor', 'jitter', 'signal', 'attemptTimeoutMs', 'totalTimeoutMs'],
  ...['retryIf', 'random', 'unref'],
];

/** Entry → its types of options, with the names that its code knows. */
const ENTRIES = {
  index: () => ({ PolicyOptions: KNOWN }),
  testing: ({ virtualClock }) => ({ VirtualClockOptions: known(virtualClock), RunUntilOptions: ['limit', 'graceMs'] }),
  light({ delayMs }) {
    // Each is known: its value is what is wrong.
    for (const name of LIGHT) assert.throws(() => delayMs(1, { [name]: null }), /must be (?!left out)/);
    return { LightOptions: LIGHT };
  },
  data: () => ({}),
  otel: () => ({ TelemetryOptions: ['always', 'keys'] }),
  presets: () => ({}),
  engines: () => ({}),
  protection: ({ breaker, budget, cooldown, hedge, protect }) => ({
    BudgetOptions: known(budget),
    BreakerOptions: known(breaker),
    CooldownOptions: known(cooldown),
    HedgeOptions: known(hedge),
    ProtectOptions: known((unknown) => protect(budget(), unknown)),
  }),
};
/** Theirs are in the guide, and the fields of an engine's config are the engine's. */
const WITHOUT_EXAMPLES = ['presets', 'engines'];

const UNIT = /\bms\b|\binteger\b|\b[Ff]inite\b/;
const RANGE = /\b(?:[Pp]ositive|[Nn]on-negative|[Bb]etween \d|[Aa]t least \d|[Aa]bove \d)/;

for (const [entry, optionsOf] of Object.entries(ENTRIES))
  test(`${entry}.d.ts declares and describes every export and option, and no others`, async () => {
    const declared = readDeclarations(`${entry}.d.ts`, entry === 'index' ? MAIN : texts(`${entry}.d.ts`));
    const module = entry === 'index' ? api : await importEntry(entry);
    const values = [...declared.exports].filter(([, { value }]) => value).map(([name]) => name);
    assert.deepEqual(values.sort(), publicNames(module));
    for (const [name, { doc, value, members, marked }] of declared.exports) {
      if (!marked) continue;
      assert.ok(doc?.text.trim(), `${name} has no doc comment`);
      if (value && !WITHOUT_EXAMPLES.includes(entry)) assert.match(doc.tag('example') ?? '', /```js\n[^]*```/, name);
      for (const member of WITHOUT_EXAMPLES.includes(entry) ? [] : members)
        assert.ok(member.doc?.text.trim() || member.doc?.tags.length, `${name}.${member.name} has no doc comment`);
    }
    for (const [type, names] of Object.entries(optionsOf(module))) {
      const found = declared.options(type);
      assert.deepEqual([...found.keys()].sort(), names.sort(), type);
      for (const [name, [{ doc, type: ts }, ...others]] of found) {
        assert.deepEqual(others, [], `option ${name} is declared more than once`);
        for (const tag of ['default', 'example']) assert.ok(doc?.tag(tag), `option ${name} has no @${tag}`);
        if (!/\bnumber\b(?! *\))/.test(ts.replace(/\([^)]*\) => [^|]*/g, ''))) continue;
        const text = doc.text.replaceAll('\n', ' ');
        assert.ok(UNIT.test(text) && RANGE.test(text), `option ${name} has no unit or no range`);
      }
    }
  });

test('the declared members of policies, attempts, events and reports are those at run time', async () => {
  const declared = (...names) =>
    [...new Set(names.flatMap((name) => exports.get(name).members.map((member) => member.name)))].sort();
  const own = (object, ...others) => Object.getOwnPropertyNames(object).filter((name) => !others.includes(name));
  assert.deepEqual(
    declared('RetryPolicy'),
    [...own(RetryPolicy, 'length', 'name', 'prototype'), ...own(RetryPolicy.prototype, 'constructor')].sort(),
  );

  const seen = {};
  const note = (name) => (event) => {
    seen[name] = Object.keys(event).sort();
  };
  const hooks = Object.fromEntries(
    ['onAttempt', 'onFailure', 'onRetry', 'onSuccess', 'onGiveUp', 'beforeRetry'].map((name) => [name, note(name)]),
  );
  const options = { name: 'n', maxAttempts: 2, random: () => 0.5, finalError: 'wrap', ...hooks };
  let attempt;
  const { error } = await underClock(() =>
    api.retry((its) => {
      attempt = its;
      throw new Error('down');
    }, options),
  );
  await api.retry(() => 1, options);
  assert.deepEqual(declared('Attempt'), own(Object.getPrototypeOf(attempt), 'constructor').sort());
  // An event has a result or an error; `hedge` is in those of hedges alone.
  const without = ['result', 'hedge'];
  const expected = (...names) => declared('AttemptEvent', ...names).filter((name) => !without.includes(name));
  assert.deepEqual(seen, {
    onAttempt: expected(),
    onFailure: expected('FailureEvent'),
    onRetry: expected('FailureEvent', 'RetryEvent'),
    beforeRetry: expected('FailureEvent', 'RetryEvent'),
    onSuccess: declared('AttemptEvent', 'SuccessEvent').filter((name) => name !== 'hedge'),
    onGiveUp: expected('FailureEvent', 'GiveUpEvent'),
  });
  assert.deepEqual(
    Object.keys(error.report).sort(),
    declared('RetryReport').filter((name) => !['hintMs', 'cause', 'retryAfterMs'].includes(name)),
  );
  assert.deepEqual(
    Object.keys(error.report.records[0]).sort(),
    declared('AttemptRecord').filter((name) => !['result', 'heldMs', 'hedge', 'superseded'].includes(name)),
  );
  const { error: rejected } = await underClock(() =>
    api.retry(() => 1, { retryOnResult: () => true, finalResult: 'reject', maxAttempts: 1 }),
  );
  assert.deepEqual(['name', 'cause', 'reason', 'report', 'result'].sort(), declared('RetryError'));
  assert.deepEqual([rejected.result, rejected.reason], [1, 'exhausted']);
  for (const name of ['result', 'report']) assert.ok(!Object.keys(rejected).includes(name), 'it would be logged');
});

test('SyncOptions has the options of retry, except those that need a timer or many operations', () => {
  const expected = KNOWN.filter((name) => !['attemptTimeoutMs', 'unref', 'metrics'].includes(name));
  assert.deepEqual([...options('SyncOptions').keys()].sort(), expected.sort());
});

test('each example of an option is valid and sets that option', () => {
  for (const [name, [{ doc }]] of options('PolicyOptions')) {
    for (const [, example] of doc.tags.filter(([tag]) => tag === 'example')) {
      // The test of the documents runs the longer ones as programs.
      if (example.startsWith('```js\n')) continue;
      const given = evaluate(literal(example));
      assert.ok(Object.hasOwn(given, name), `${name}: ${example}`);
      assert.doesNotThrow(() => new RetryPolicy(given), `${name}: ${example}`);
    }
  }
});

test('the defaults in the declarations agree with the documented table', () => {
  const documented = new Map(documentedDefaults());
  for (const [name, [{ doc }]] of options('PolicyOptions')) {
    const said = doc.tag('default');
    const standard = documented.get(name);
    if (standard === undefined) assert.match(said, /^(none|fresh|the built-in)/, name);
    else
      assert.ok(
        said === standard || (/^[,;]/.test(said.slice(standard.length)) && said.startsWith(standard)),
        `${name}: ${said} and ${standard}`,
      );
  }
});
