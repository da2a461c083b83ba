// Digests of random lives, and those that native Rust has for the same lives (tests/protection/lives.rs).

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { repo, run } from '../lib/consumer.mjs';

const number = new Float64Array(1);
const halves = new Uint32Array(number.buffer);

/** Returns FNV-1a over 32-bit words, the lower word of each number first. */
export function newDigest() {
  let hash = 0x811c9dc5;
  return {
    /** @param {number} value */
    add(value) {
      number[0] = value;
      hash = Math.imul(hash ^ halves[0], 0x01000193);
      hash = Math.imul(hash ^ halves[1], 0x01000193);
    },
    value: () => hash >>> 0,
  };
}

/**
 * Returns the digests of native Rust, one per life.
 * @param {string} name of the module of tests/protection whose lives are played
 * @param {number} lives
 */
export async function nativeDigests(name, lives) {
  const folder = mkdtempSync(join(tmpdir(), 'lives-'));
  try {
    const file = join(folder, 'digests');
    const exactly = ['--exact', `${name}::digests_are_written_per_life`];
    // With the features of the other native tests: the same program.
    const args = ['test', '--locked', '--quiet', '--all-features', '--test', 'protection', '--', ...exactly];
    const { code, stdout, stderr } = await run(process.env.CARGO || 'cargo', args, {
      cwd: repo,
      env: { REJITTER_LIFE_DIGESTS: file, REJITTER_LIVES: String(lives) },
    });
    assert.equal(code, 0, stdout + stderr);
    const bytes = readFileSync(file);
    const digests = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
    assert.equal(digests.length, lives);
    return digests;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
