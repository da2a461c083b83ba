/** The strategy before: packages with their options, as tests/vectors/pasted.json has them from the packages. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { STATES, page, stateOf } from './lib/node.mjs';

const { PACKAGES, beforeOf, idOf, pastedWords, policyOf, problemOf, wordsOf } = await page(
  'state/packages state/before state/strategy',
);
const ROWS = JSON.parse(readFileSync(new URL('../../tests/vectors/pasted.json', import.meta.url), 'utf8'));
const packageOf = (wanted) => PACKAGES.find(({ name }) => name === wanted);
/** The page's words for options of a package. */
const wordsFor = (one, text) => (text === '{}' ? idOf(one) : pastedWords(text, one).words);

/** When attempts are made in which every draw is a half. */
function timesOf(strategy) {
  const at = [0];
  for (const ms of policyOf(strategy)
    .with({ random: () => 0.5 })
    .delays())
    at.push(at.at(-1) + ms);
  return at;
}

test('each package makes its attempts when it says', () => {
  assert.deepEqual(new Set(ROWS.map((row) => row.package)), new Set(PACKAGES.map(({ name }) => name)));
  for (const { package: name, text, at } of ROWS) {
    const before = beforeOf(wordsFor(packageOf(name), text));
    assert.equal(before.of.name, name);
    const own = timesOf(before.strategy);
    assert.equal(own.length, at.length, text);
    // Some of them round to whole milliseconds, and a wait of 0 takes one.
    for (const [i, ms] of at.entries())
      assert.ok(Math.abs(Number(own[i]) - ms) <= i, `${name} ${text}: ${own} for ${at}`);
  }
  assert.equal(beforeOf('cockatiel').strategy.maxAttempts, Infinity);
});

test('every option that is read has a row', () => {
  for (const one of PACKAGES)
    for (const option of Object.keys(one.reads).filter((name) => name !== 'retry'))
      assert.ok(
        ROWS.some(({ package: name, text }) => name === one.name && new RegExp(`\\b${option}:`).test(text)),
        `${one.name} ${option}`,
      );
});

test('a program is read as data: the package that it names, nested objects, comments; the rest is listed', () => {
  for (const [text, chosen, words, unread] of [
    ['{ retries: 5, minTimeout: 200 }', undefined, 'p-retry retries 5 minTimeout 200', ''],
    ['{ retries: 5, minTimeout: 200 }', 'async-retry', 'async-retry retries 5 minTimeout 200', ''],
    [
      'await pRetry(load, {\n  retries: 5, // was: 3\n  onFailedAttempt: (e) => log({ e: 1, n: 2 }),\n})',
      undefined,
      'p-retry retries 5',
      'onFailedAttempt,e,n',
    ],
    ["got('https://x.y/z', { retry: { limit: 4, methods: ['GET'] } })", 'ky', 'got limit 4', 'methods'],
    [
      'axiosRetry(client, { retryDelay: axiosRetry.linearDelay( 70 ) })',
      undefined,
      'axios-retry retryDelay axiosRetry.linearDelay(70)',
      '',
    ],
    ["{ 'numOfAttempts': 3 }", 'ky', 'exponential-backoff numOfAttempts 3', ''],
    ['ky.get(url, { retry: 4 })', undefined, 'ky retry 4', ''],
    [
      'retry(handleAll, { maxAttempts: 3, backoff: new ExponentialBackoff({ initialDelay: 9 }) })',
      'cockatiel',
      'cockatiel maxAttempts 3 backoff newExponentialBackoff({initialDelay:9}) initialDelay 9',
      '',
    ],
    ['nothing of theirs', undefined, undefined, undefined],
    ['{ url: fetch(`x`), constructor: 1, toString: 2 }', undefined, undefined, undefined],
  ]) {
    const found = pastedWords(text, chosen && packageOf(chosen));
    assert.deepEqual([found?.words, found?.unread.join()], [words, unread]);
    if (words) assert.equal(problemOf(words), undefined, text);
  }
});

test(`each of ${STATES} random strategies comes back from its words`, () => {
  for (let seed = 0; seed < STATES; seed++) {
    const { strategy } = stateOf(seed);
    assert.deepEqual(beforeOf(wordsOf(strategy)).strategy, strategy, `seed ${seed}`);
  }
});
