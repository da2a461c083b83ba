// What native Rust computes, for tests that hold JavaScript to it.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { repo, run } from './consumer.mjs';

/**
 * Runs one of the native tests, which writes a file. Returns the bytes.
 * @param {string} test by its whole name
 * @param {(file: string) => Record<string, string>} env
 */
export async function writtenBy(test, env) {
  const folder = mkdtempSync(join(tmpdir(), 'native-'));
  try {
    const file = join(folder, 'written');
    // With the packages and features of the step of all native tests: another choice would build all once more.
    const choice = ['--package', 'rejitter', '--package', 'rejitter-wasm', '--all-features', '--test', 'native'];
    const args = ['test', '--locked', '--quiet', ...choice, '--', '--exact', test];
    const { code, stdout, stderr } = await run(process.env.CARGO || 'cargo', args, { cwd: repo, env: env(file) });
    assert.equal(code, 0, stdout + stderr);
    const bytes = readFileSync(file);
    return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
