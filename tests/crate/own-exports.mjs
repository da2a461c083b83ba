// The module has the user's exports and no others, and its retries wait on the host's timers.
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const exports = await import(pathToFileURL(resolve(process.argv[2])).href);
assert.deepEqual(Object.keys(exports).sort(), ['decide', 'retry']);
assert.equal(exports.decide(), 7);
assert.equal(await exports.retry(), 3);
