// The entries with protection, as a consumer imports them, and what the tests here share.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { project } from '../lib/consumer.mjs';

const dir = project('protection', {
  'all.mjs': "export * from 'rejitter';\nexport * from 'rejitter/protection';\nexport * from 'rejitter/fetch';\n",
});

/** `rejitter`, `rejitter/protection` and `rejitter/fetch` of the consumer folder, as one module. */
export const importAll = () => import(pathToFileURL(join(dir, 'all.mjs')).href);

/** A promise with what settles it, and how it was settled: `state` is 'pending', 'fulfilled' or 'rejected'. */
export function watched(promise) {
  const seen = { state: 'pending', value: undefined, error: undefined };
  promise.then(
    (value) => Object.assign(seen, { state: 'fulfilled', value }),
    (error) => Object.assign(seen, { state: 'rejected', error }),
  );
  return seen;
}

/** A callback whose end the test decides: each call adds `{ resolve, reject, attempt }`. */
export function controlled() {
  const calls = [];
  const fn = (attempt) =>
    new Promise((resolve, reject) => {
      calls.push({ resolve, reject, attempt });
    });
  return { fn, calls };
}

export const fails = (error) => () => {
  throw error;
};
