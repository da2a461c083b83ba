// The declarations are the manual: they name every export and option, no others, and describe each.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { underClock } from '../lib/clock.mjs';
import { importEntry, importPackage, installed } from '../lib/consumer.mjs';
import { readDeclarations } from '../lib/dts.mjs';
import { DECLARED, blocks, caught, declarations, literal, reference, tableIn } from '../lib/readers.mjs';
import { publicNames } from '../lib/shortcuts.mjs';
import { compile } from '../lib/types.mjs';

const api = await importPackage();
const { RetryPolicy } = api;
const read = (name) => readFileSync(join(installed, name), 'utf8');
const texts = (...names) => Object.fromEntries(names.map((name) => [name, read(name)]));
const MAIN = texts('index.d.ts', 'options.d.ts', 'events.d.ts');
const [testing, protection, light, presets, data, engines, otel] = await Promise.all(
  ['testing', 'protection', 'light', 'presets', 'data', 'engines', 'otel'].map(importEntry),
);

/** The options that the code knows, read from its error message. */
const KNOWN = /Known options: (.*)$/.exec(caught(() => new RetryPolicy({ zzzzzzzz: 1 })).message)[1].split(', ');

const UNIT = /\bms\b|\binteger\b|\b[Ff]inite\b/;
const RANGE = /\b(?:[Pp]ositive|[Nn]on-negative|[Bb]etween \d|[Aa]t least \d|[Aa]bove \d)/;

/**
 * Objections to the declarations of an entry, by file, the entry's first: of the main one, or of another with its
 * module.
 */
function objections(files, module = api, optionTypes = { PolicyOptions: KNOWN }) {
  const { exports, options } = readDeclarations(Object.keys(files)[0], files);
  const wrong = [];
  const differ = (what, documented, real) => {
    for (const name of real) if (!documented.includes(name)) wrong.push(`${what} ${name} is not in the declarations`);
    for (const name of documented) if (!real.includes(name)) wrong.push(`${what} ${name} is only in the declarations`);
  };
  const values = [...exports].filter(([, { value }]) => value).map(([name]) => name);
  differ('export', values, publicNames(module));
  for (const [name, { doc, kind, value, members, marked }] of exports) {
    if (!marked) continue;
    if (!doc?.text.trim()) wrong.push(`${name} has no doc comment`);
    else if (value && !/```js\n[^]*```/.test(doc.tag('example') ?? '')) wrong.push(`${name} has no example`);
    for (const member of members)
      if (!member.doc || !(member.doc.text.trim() || member.doc.tags.length))
        wrong.push(`${name}.${member.name} has no doc comment (${kind})`);
  }
  for (const [, link, name, member] of Object.values(files)
    .join('')
    .matchAll(/\{@link ((\w+)(?:\.(\w+))?)/g)) {
    const found = exports.get(name);
    if (!found || (member && !found.members.some((known) => known.name === member)))
      wrong.push(`{@link ${link}} leads nowhere`);
  }
  for (const [type, real] of Object.entries(optionTypes)) {
    const documented = options(type);
    differ(`${type}: option`, [...documented.keys()], real);
    for (const [name, declarations] of documented) {
      const [{ doc, type: ts }, ...others] = declarations;
      if (others.length > 0) wrong.push(`option ${name} is declared more than once`);
      if (!doc) wrong.push(`option ${name} has no doc comment`);
      if (!doc?.tag('default')) wrong.push(`option ${name} has no @default`);
      if (!doc?.tag('example')) wrong.push(`option ${name} has no example`);
      const said = doc?.text.replaceAll('\n', ' ') ?? '';
      if (/\bnumber\b(?! *\))/.test(ts.replace(/\([^)]*\) => [^|]*/g, ''))) {
        if (!UNIT.test(said)) wrong.push(`option ${name} has no unit`);
        if (!RANGE.test(said)) wrong.push(`option ${name} has no range`);
      }
    }
  }
  return wrong;
}

test('index.d.ts declares and describes every export and option, and no others', () => {
  assert.deepEqual(objections(MAIN), []);
});

test('testing.d.ts declares and describes every export of rejitter/testing, and no others', () => {
  assert.deepEqual(
    objections(texts('testing.d.ts'), testing, {
      VirtualClockOptions: ['date', 'blocking'],
      RunUntilOptions: ['limit', 'graceMs'],
    }),
    [],
  );
  const error = caught(() => testing.virtualClock({ zzzzzzzz: 1 }));
  assert.match(error.message, /Known options: date, blocking$/);
});

test('light.d.ts declares and describes every export and option of rejitter/light, and no others', () => {
  const LIGHT = ['maxAttempts', 'baseMs', 'capMs', 'factor', 'jitter', 'signal', 'attemptTimeoutMs', 'totalTimeoutMs'];
  LIGHT.push('retryIf', 'random', 'unref');
  assert.deepEqual(objections(texts('light.d.ts'), light, { LightOptions: LIGHT }), []);
  // Each is known: its value is what is wrong.
  for (const name of LIGHT) assert.throws(() => light.delayMs(1, { [name]: null }), /must be (?!left out)/);
});

test('data.d.ts, otel.d.ts, presets.d.ts and engines.d.ts declare and describe every export', () => {
  assert.deepEqual(objections(texts('data.d.ts'), data, {}), []);
  assert.deepEqual(objections(texts('otel.d.ts'), otel, { TelemetryOptions: ['always', 'keys'] }), []);
  for (const [file, module] of Object.entries({ 'presets.d.ts': presets, 'engines.d.ts': engines })) {
    const { exports } = readDeclarations(file, texts(file));
    const values = [...exports].filter(([, { value }]) => value).map(([name]) => name);
    assert.deepEqual(values.sort(), publicNames(module).sort());
    for (const [name, { doc }] of exports) assert.ok(doc?.text.trim(), name);
  }
});

test('protection.d.ts declares and describes every export and option of rejitter/protection, and no others', () => {
  const known = (make) => /Known options: (.*)$/.exec(caught(() => make({ zzzzzzzz: 1 })).message)[1].split(', ');
  const { breaker, budget, cooldown, hedge, protect } = protection;
  assert.deepEqual(
    objections(texts('protection.d.ts'), protection, {
      BudgetOptions: known(budget),
      BreakerOptions: known(breaker),
      CooldownOptions: known(cooldown),
      HedgeOptions: known(hedge),
      ProtectOptions: known((options) => protect(budget(), options)),
    }),
    [],
  );
});

test('the declared members of policies, attempts, events and reports are those at run time', async () => {
  const { exports } = readDeclarations('index.d.ts', MAIN);
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
  assert.deepEqual(
    [
      rejected.result,
      rejected.reason,
      Object.keys(rejected).includes('result') || Object.keys(rejected).includes('report'),
    ],
    [1, 'exhausted', false],
  );
});

test('SyncOptions has the options of retry, except those that need a timer or many operations', () => {
  const { options } = readDeclarations('index.d.ts', MAIN);
  const expected = KNOWN.filter((name) => !['attemptTimeoutMs', 'unref', 'metrics'].includes(name));
  assert.deepEqual([...options('SyncOptions').keys()].sort(), expected.sort());
});

test('each example of an option is valid and sets that option', () => {
  const { options } = readDeclarations('index.d.ts', MAIN);
  let examples = 0;
  for (const [name, [{ doc }]] of options('PolicyOptions')) {
    for (const [, example] of doc.tags.filter(([tag]) => tag === 'example')) {
      const [, short] = /^`(\{.*\})`$/s.exec(example) ?? [];
      // The test of the documents runs the longer ones as programs.
      if (!short) assert.match(example, /^```js\n/, name);
      else {
        const given = new Function(`return (${short});`)();
        assert.ok(Object.hasOwn(given, name), `${name}: ${short}`);
        assert.doesNotThrow(() => new RetryPolicy(given), `${name}: ${short}`);
        examples += 1;
      }
    }
  }
  assert.ok(examples >= KNOWN.length - 4, String(examples));
});

test('the examples in the declarations compile', async () => {
  const found = Object.keys(MAIN).flatMap((name) => blocks(declarations(name)));
  assert.ok(found.length >= 20);
  // Examples of single options do not repeat the import, and JavaScript annotates no parameter.
  const whole = (code) =>
    code.includes('import ') ? code : `import { retry, type RetryOptions } from 'rejitter';\n${code}`;
  const files = Object.fromEntries(found.map(({ code }, i) => [`example-${i}.mts`, whole(code)]));
  const { stdout, code } = await compile(
    { ...files, 'callers.d.ts': DECLARED },
    { noImplicitAny: false, useUnknownInCatchVariables: false },
  );
  assert.equal(stdout, '');
  assert.equal(code, 0);
});

test('the defaults in the declarations agree with the documented table', () => {
  const { options } = readDeclarations('index.d.ts', MAIN);
  const readme = new Map(
    tableIn(reference('options'), 'option').map(([name, , , standard]) => [literal(name), literal(standard)]),
  );
  for (const [name, [{ doc }]] of options('PolicyOptions')) {
    const said = doc.tag('default');
    const standard = readme.get(name);
    if (standard === undefined) assert.match(said, /^(none|fresh|the built-in)/, name);
    else
      assert.ok(
        said === standard || (/^[,;]/.test(said.slice(standard.length)) && said.startsWith(standard)),
        `${name}: ${said} and ${standard}`,
      );
  }
});

test('control: reports an option that is missing, misspelt or without its range', () => {
  for (const [change, objection] of [
    [(text) => text.replace(/^ {2}minMs\?: .*$/m, ''), 'PolicyOptions: option minMs is not in the declarations'],
    [
      (text) => text.replace('  capMs?: number', '  capMS?: number'),
      'PolicyOptions: option capMS is only in the declarations',
    ],
    [(text) => text.replace('Finite, at least 1.', 'Finite.'), 'option factor has no range'],
    [
      (text) => text.replace('{@link RetryOptions.baseMs}', '{@link PolicyData.baseMs}'),
      '{@link PolicyData.baseMs} leads nowhere',
    ],
  ]) {
    const changed = Object.fromEntries(Object.entries(MAIN).map(([name, text]) => [name, change(text)]));
    assert.ok(objections(changed).includes(objection), objection);
  }
});
