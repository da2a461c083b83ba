// Checks the bill of materials against the schema of CycloneDX, and the bot's configuration against Renovate's.
// Renovate is large, and its schema alone is needed: its package is fetched, and not installed.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import Ajv from 'ajv';
import addFormats from 'ajv-formats';

import { inRoot, target } from '../run/places.mjs';
import { FOLDER } from './files.mjs';

const RENOVATE = 'renovate@44.121.2';

const bills = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
const bill = readFileSync(join(FOLDER, 'rejitter.cdx.json'), 'utf8');
assert.equal(await bills.validate(bill), null);
assert.ok(await bills.validate(bill.replace('"library"', '"a library"')), 'the schema refuses nothing');

/** The schema inside Renovate's package. */
function renovateSchema() {
  const folder = mkdtempSync(join(target, 'renovate-'));
  try {
    const file = execFileSync('npm', ['pack', '--silent', RENOVATE], { cwd: folder, encoding: 'utf8' }).trim();
    return execFileSync('tar', ['-xzOf', file, 'package/renovate-schema.json'], { cwd: folder, maxBuffer: 2 ** 24 });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats(ajv);
const valid = ajv.compile(JSON.parse(String(renovateSchema())));
const bot = JSON.parse(readFileSync(inRoot('.github/renovate.json'), 'utf8'));
assert.ok(valid(bot), ajv.errorsText(valid.errors));
assert.ok(!valid({ ...bot, schedule: 7 }), 'the schema refuses nothing');
