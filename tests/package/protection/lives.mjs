// Tapes of random lives that native Rust has played (tests/protection/lives.rs): what each call got and gave.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { repo, run } from '../lib/consumer.mjs';

/**
 * Makes the calls of all lives.
 * @param {string} name of the module of tests/protection whose lives are played
 * @param {number} lives
 * @param {(next: () => number, equal: (answer: number | boolean) => void, more: () => boolean) => void} play one life:
 *   `next` gives the next number of its tape, `equal` holds an answer to it, bit for bit
 */
export async function playAll(name, lives, play) {
  const tape = await nativeTape(name, lives);
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

async function nativeTape(name, lives) {
  const folder = mkdtempSync(join(tmpdir(), 'lives-'));
  try {
    const file = join(folder, 'tapes');
    const exactly = ['--exact', `protection::${name}::tapes_are_written_per_life`];
    // With the features of the other native tests: the same program.
    const args = ['test', '--locked', '--quiet', '--all-features', '--test', 'native', '--', ...exactly];
    const { code, stdout, stderr } = await run(process.env.CARGO || 'cargo', args, {
      cwd: repo,
      env: { REJITTER_LIFE_TAPES: file, REJITTER_LIVES: String(lives) },
    });
    assert.equal(code, 0, stdout + stderr);
    const bytes = readFileSync(file);
    return new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
