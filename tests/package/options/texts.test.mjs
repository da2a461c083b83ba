// The texts of errors by host: a development bundle for browsers has those of Node, a production bundle has the name of
// the option, the value and the error's class, and no sentence.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { OPTIONS as TABLE } from '../../../xtask/npm/options.mjs';
import { VALUES } from '../lib/badvalues.mjs';
import { bundled } from '../lib/bundle.mjs';
import { importEntry, importPackage, project, vectors } from '../lib/consumer.mjs';
import { words } from '../lib/words.mjs';

const ENTRIES = ['rejitter', 'rejitter/fetch', 'rejitter/protection', 'rejitter/data'];
const dir = project('texts', { 'main.mjs': ENTRIES.map((entry) => `export * from '${entry}';\n`).join('') });

/** The package as a bundle for browsers. @param {string} mode @param {object} [options] */
async function bundleFor(mode, options) {
  const define = mode === 'none' ? {} : { 'process.env.NODE_ENV': JSON.stringify(mode) };
  const minify = mode === 'production';
  const text = await bundled(dir, { platform: 'browser', minify, define, ...options });
  const file = join(dir, `${mode}.mjs`);
  writeFileSync(file, text);
  return { text, ...(await import(pathToFileURL(file).href)) };
}

const entries = await Promise.all(['fetch', 'protection', 'data'].map(importEntry));
const node = Object.assign({}, await importPackage(), ...entries);
const development = await bundleFor('development');
const production = await bundleFor('production');

const OPTIONS = [...TABLE.map(({ name }) => name), 'retries', 'timeout', 'delay', 'maxAtempts', 'statusCodes', 'fetch'];
const OF_FETCH =
  'retryOn methods idempotencyKey idempotencyHeader hint respectRetryAfter throwOnStatus prepare protectionKey'.split(
    ' ',
  );
/** The options of each part that are no numbers, and what others call one. */
const OF_PARTS = {
  budget: ['refund', 'preset', 'maxTokens'],
  breaker: ['timeout'],
  cooldown: ['hold'],
  hedge: ['maxHedges'],
};
for (const { part, option } of vectors('parts').rows) OF_PARTS[part].push(option);

/** What takes options, by the names of these. */
const WAYS = [
  [[...OPTIONS, ...OF_FETCH], (pkg, given) => new pkg.RetryPolicy(given)],
  [OPTIONS, (pkg, given) => pkg.retry(() => 1, given)],
  [OPTIONS, (pkg, given) => pkg.retryWithFixedDelay(() => 1, given)],
  [OPTIONS, (pkg, given) => pkg.fromData({ version: 1, ...given })],
  [[...OPTIONS, ...OF_FETCH], (pkg, given) => void pkg.createFetch(given)],
  ...Object.entries(OF_PARTS).map(([part, names]) => [names, (pkg, given) => void pkg[part](given)]),
  [['onEvent', 'isFailure'], (pkg, given) => void pkg.protect(pkg.budget(), given)],
];

/** The error with which a package answers, or undefined. */
const answerOf = async (way, pkg, given) => (async () => void (await way(pkg, given)))().catch((error) => error);

const PACKAGES = [node, development, production];

test('6,000 random sets of options: development says what Node says, production what is wrong', async () => {
  const { below } = words(20_261_126);
  let refused = 0;
  for (let i = 0; i < 6000; i += 1) {
    const [names, way] = WAYS[i % WAYS.length];
    const given = {};
    for (let left = 1 + below(3); left > 0; left -= 1) given[names[below(names.length)]] = VALUES[below(VALUES.length)];
    const [long, same, short] = await Promise.all(PACKAGES.map((pkg) => answerOf(way, pkg, given)));
    const label = Object.keys(given).join();
    assert.deepEqual([same?.name, same?.message, short?.name], [long?.name, long?.message, long?.name], label);
    if (long === undefined) continue;
    refused += 1;
    const [text, first] = [short, long].map(({ message }) => message.replace(/^rejitter: /, ''));
    const both = `${label}: ${text} and ${first}`;
    // Names and values, which may have a semicolon themselves, and no sentence.
    assert.match(text, /^((\S+|the policy|part \d): invalid( .*?)?|unknown option ".*?")(; |$)/s, both);
    assert.doesNotMatch(text, / must | omitted|Known options|Did you mean/, both);
    const named = /^unknown option "(.*?)"|^(?:options|seed and random)/.test(first);
    if (!named) assert.ok(text.startsWith(/^(\S+|the policy|part \d) must /.exec(first)[1]), both);
    const [, value] = /^[^;]*? must (?:be|return) [^;]*?, got ([^;.]*)(?:$|;|\.)/.exec(first) ?? [];
    if (value !== undefined) assert.ok(text.includes(`invalid ${value}`), both);
  }
  assert.ok(refused > 3000, `${refused} refused`);
});

test('callbacks and calls: production names the option', async () => {
  const fails = () => Promise.reject(new Error('mine'));
  for (const [name, call] of [
    ['random()', (pkg) => pkg.retry(fails, { random: () => 2 })],
    ['backoff(1)', (pkg) => pkg.retry(fails, { backoff: () => -1 })],
    ['retryIf', (pkg) => pkg.retry(fails, { retryIf: () => 'yes' })],
    ['the callback', (pkg) => pkg.retry(5)],
    ['k', (pkg) => new pkg.RetryPolicy().delayMs(0)],
    ['part 1', (pkg) => pkg.protect({})],
    ['open()', (pkg) => pkg.protect(pkg.budget()).open()],
    ['for()', (pkg) => pkg.protect(pkg.budget()).for('a').for('b')],
    ['idempotencyKey', (pkg) => pkg.createFetch({ idempotencyKey: 'mine' })],
    ['retryIf', (pkg) => pkg.createFetch({ retryIf: fails })],
    ['init', (pkg) => pkg.createFetch()('https://a.test/', 5)],
    ['idempotencyKey', (pkg) => pkg.createFetch()('https://a.test/', { idempotencyKey: 'k' })],
    ['options', (pkg) => pkg.retry(fails, new AbortController().signal)],
  ]) {
    const [long, same, short] = await Promise.all(PACKAGES.map((pkg) => answerOf(call, pkg)));
    assert.deepEqual([same.name, same.message], [long.name, long.message], name);
    assert.equal(short.name, long.name, name);
    assert.ok(short.message.startsWith(`rejitter: ${name}: invalid`), `${name}: ${short.message}`);
  }
});

test('a production bundle has none of the sentences; one without NODE_ENV, and a page without a bundler, have all', async () => {
  const sentence = 'a positive integer (first attempt included) or Infinity';
  assert.ok(!production.text.includes(sentence) && !production.text.includes('Did you mean'));
  const kept = await bundleFor('none', { platform: 'neutral', conditions: ['browser'], minify: false });
  assert.ok(kept.text.includes(sentence));
  const [found, expected] = await Promise.all([kept, node].map((pkg) => answerOf((of) => of.retry(5), pkg)));
  assert.equal(found.message, expected.message);
});
