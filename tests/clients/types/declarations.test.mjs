// The declarations are the manual: they name every export and option, no others, and describe each. Their defaults are
// those of the table, with which engine/operations.test.mjs plays its cases. By the table's names and ranges
// options/mistakes.test.mjs tries values (lib/badvalues.mjs).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { OPTIONS as TABLE } from '../../../xtask/npm/options.mjs';
import { AWAITED, OBSERVERS, fails } from '../../package/lib/callbacks.mjs';
import { underClock } from '../../package/lib/clock.mjs';
import { importEntry, importPackage } from '../../package/lib/consumer.mjs';
import { readDeclarations } from '../lib/dts.mjs';
import { caught, evaluate, literal, reference, tableIn } from '../../package/lib/readers.mjs';
import { publicNames } from '../../package/lib/shortcuts.mjs';

const api = await importPackage();
const { RetryPolicy } = api;
const { exports, options } = readDeclarations('index.d.ts');

/** The options that a function knows, read from its error message. */
const known = (make) => /Known options: (.*)$/.exec(caught(() => make({ zzzzzzzz: 1 })).message)[1].split(', ');
const KNOWN = known((unknown) => new RetryPolicy(unknown));
/** The options that a function takes, by the table of all options. @param {string} taker */
const takenBy = (taker) => TABLE.flatMap(({ name, takers }) => (takers.includes(taker) ? [name] : []));

/** Entry → its types of options, with the names that its code knows. */
const OPTIONS = {
  index: () => ({ PolicyOptions: KNOWN }),
  testing: ({ virtualClock }) => ({ VirtualClockOptions: known(virtualClock), RunUntilOptions: ['limit', 'graceMs'] }),
  light: () => ({ LightOptions: takenBy('light') }),
  otel: () => ({ TelemetryOptions: ['always', 'keys'] }),
  async reconnect({ keepConnected }) {
    const error = await keepConnected(() => {}, { zzzzzzzz: 1 }).catch((error) => error);
    return { ReconnectOptions: known(fails(error)) };
  },
  protection: ({ breaker, budget, cooldown, hedge, limiter, protect }) => ({
    BudgetOptions: known(budget),
    BreakerOptions: known(breaker),
    CooldownOptions: known(cooldown),
    LimiterOptions: known(limiter),
    HedgeOptions: known(hedge),
    ProtectOptions: known((unknown) => protect(budget(), unknown)),
  }),
};
/** Theirs are in the guide, and the fields of an engine's config are the engine's. */
const WITHOUT_EXAMPLES = ['presets', 'engines'];

const UNIT = /\bms\b|\binteger\b|\b[Ff]inite\b/;
const RANGE = /\b(?:[Pp]ositive|[Nn]on-negative|[Bb]etween \d|[Aa]t least \d|[Aa]bove \d)/;

for (const entry of [...Object.keys(OPTIONS), 'data', ...WITHOUT_EXAMPLES])
  test(`${entry}.d.ts declares and describes every export and option, and no others`, async () => {
    const declared = readDeclarations(`${entry}.d.ts`);
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
    for (const [type, names] of Object.entries((await OPTIONS[entry]?.(module)) ?? {})) {
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
  const seen = {};
  const hooks = OBSERVERS.map((name) => [name, (event) => void (seen[name] = Object.keys(event))]);
  const options = { name: 'n', maxAttempts: 2, random: () => 0.5, finalError: 'wrap', ...Object.fromEntries(hooks) };
  const fn = (attempt) => {
    seen.attempt = Object.getPrototypeOf(attempt);
    if (attempt.attempt === 1) attempt.progress();
    else attempt.commit();
    throw new Error('down');
  };
  const { error } = await underClock(() => api.retry(fn, options));
  await api.retry(() => 1, options);
  const rejected = await api
    .retry(() => 1, { retryOnResult: () => true, finalResult: 'reject', maxAttempts: 1 })
    .catch((thrown) => thrown);
  assert.deepEqual([rejected.result, rejected.reason], [1, 'exhausted']);
  for (const name of ['result', 'report']) assert.ok(!Object.keys(rejected).includes(name), 'it would be logged');

  const own = (object, ...others) => Object.getOwnPropertyNames(object).filter((name) => !others.includes(name));
  const ofPolicy = [...own(RetryPolicy, 'length', 'name', 'prototype'), ...own(RetryPolicy.prototype, 'constructor')];
  const failure = 'AttemptEvent ToldEvent FailureEvent';
  // The types, the members at run time, and those that only other operations have.
  for (const [types, found, without = []] of [
    ['RetryPolicy', ofPolicy],
    ['Attempt', own(seen.attempt, 'constructor')],
    ['AttemptEvent', seen.onAttempt, ['hedge']],
    [failure, seen.onFailure, ['result', 'hedge', 'progressed']],
    ...['onRetry', AWAITED].map((name) => [`${failure} RetryEvent`, seen[name], ['result', 'hedge', 'committed']]),
    ['AttemptEvent ToldEvent SuccessEvent', seen.onSuccess, ['hedge', 'progressed', 'committed']],
    [`${failure} GiveUpEvent`, seen.onGiveUp, ['result', 'hedge', 'progressed']],
    ['RetryReport', Object.keys(error.report), ['hintMs', 'cause', 'retryAfterMs']],
    [
      'AttemptRecord',
      Object.keys(error.report.records[0]),
      ['result', 'committed', 'heldMs', 'queuedMs', 'hedge', 'superseded'],
    ],
    ['RetryError', ['name', 'cause', 'reason', 'report', 'result']],
  ]) {
    const declared = new Set(types.split(' ').flatMap((type) => exports.get(type).members.map(({ name }) => name)));
    assert.deepEqual([...declared].filter((name) => !without.includes(name)).sort(), found.sort(), types);
  }
});

test('each function takes the options that the table gives it', async () => {
  assert.deepEqual([...options('SyncOptions').keys()].sort(), takenBy('sync').sort());
  const { createFetch } = await importEntry('fetch');
  const { keepConnected } = await importEntry('reconnect');
  const { delayMs } = await importEntry('light');
  for (const [taker, call] of Object.entries({
    policy: (given) => new RetryPolicy(given),
    retry: (given) => api.retry(() => 1, given),
    sync: (given) => api.retrySync(() => 1, given),
    fetch: (given) => createFetch(given),
    reconnect: (given) => keepConnected(() => 1, given),
    light: async (given) => void delayMs(1, given),
  }))
    for (const { name, takers } of TABLE) {
      // Its value is wrong: does the message say that, or that the option is not taken?
      const answer = await (async () => call({ [name]: null }))().catch(String);
      const isTaken = takers.includes(taker) || (name === 'metrics' && /^(retry|sync)$/.test(taker));
      const expected = isTaken
        ? /^TypeError: rejitter: \S+ must be (?!omitted)/
        : / must be omitted |: unknown option /;
      assert.match(answer, expected, `${taker} ${name}`);
    }
});

test('each example of an option is valid and sets that option', () => {
  for (const [name, [{ doc }]] of options('PolicyOptions'))
    for (const [tag, example] of doc.tags) {
      // The test of the documents runs the longer ones as programs.
      if (tag !== 'example' || example.startsWith('```js\n')) continue;
      const given = evaluate(literal(example));
      assert.ok(Object.hasOwn(given, name), `${name}: ${example}`);
      assert.doesNotThrow(() => new RetryPolicy(given), `${name}: ${example}`);
    }
});

test('the documented table has the options, their ranges and defaults, with which the declarations agree', () => {
  const rows = tableIn(reference('options'), 'option');
  const documented = rows.map(([name, , range, standard]) => [literal(name), range, literal(standard) ?? '']);
  assert.deepEqual(documented.sort(), TABLE.map(({ name, range, standard }) => [name, range, standard]).sort());
  for (const { name, standard } of TABLE) {
    const [said] = /^[^,;]*/.exec(options('PolicyOptions').get(name)[0].doc.tag('default'));
    if (standard === '') assert.match(said, /^(none|fresh|the built-in)/, name);
    else assert.equal(said, standard, name);
  }
});
