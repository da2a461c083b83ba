// Tapes of random lives that native Rust has played (tests/protection/lives.rs): what each call got and gave.

import assert from 'node:assert/strict';

import { writtenBy } from '../lib/native.mjs';

/**
 * Makes the calls of all lives.
 * @param {string} name of the machines whose lives are played
 * @param {number} lives
 * @param {(next: () => number, equal: (answer: number | boolean) => void, more: () => boolean) => void} play one life:
 *   `next` gives the next number of its tape, `equal` holds an answer to it, bit for bit
 */
export async function playAll(name, lives, play) {
  const written = await writtenBy(`protection::lives::of_${name}`, (file) => ({
    REJITTER_LIFE_TAPES: file,
    REJITTER_LIVES: String(lives),
  }));
  const tape = new Float64Array(written);
  let at = 0;
  for (let life = 0; life < lives; life += 1) {
    const from = at;
    const end = at + 1 + tape[at];
    at += 1;
    const next = () => tape[at++];
    const equal = (answer) => {
      const native = next();
      if (!Object.is(Number(answer), native))
        assert.fail(`number ${at - from} of life ${life} is ${answer}; native Rust has ${native}`);
    };
    play(next, equal, () => at < end);
    assert.equal(at, end);
  }
  assert.equal(at, tape.length);
}
