// The rows of wrong calls: tests/vectors/mistakes.json.

import assert from 'node:assert/strict';

/** The error of a call that throws, or whose promise rejects. */
export const errorOf = (call) => (async () => call())().then(assert.fail, (error) => error);

const WORDS = /['\w-][\w.'-]*(?:\|[\w.'-]+)+/;
/** The calls of a row: with each of several words, `a|b`, in their place. `$` is that of the last place. */
export function callsOf(code, says) {
  const [words] = WORDS.exec(code) ?? [];
  if (words === undefined) return [[code, says]];
  return words.split('|').flatMap((word) => {
    const one = code.replace(words, word);
    return callsOf(one, WORDS.test(one) ? says : says.replace('$', word));
  });
}

export const patternOf = (says) => new RegExp(`^${says.replaceAll(/[^\w…]/g, '\\$&').replaceAll('…', '[^]*')}$`);
