// Which folder may import from which: rules of biome.json list what is allowed.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

import { inRoot, npmTool } from '../run/places.mjs';

/** Folder of src/js → modules above it. @type {Record<string, string[]>} */
const ABOVE = {
  options: ['../run/timer.js'],
  run: [
    ...['../data/index.js', '../engines/policy.js', '../fetch/body.js', '../otel/trace.js', '../presets/index.js'],
    '../reconnect/page.js',
  ],
  failures: ['../reconnect/page.js'],
  testing: ['../data/index.js', '../reconnect/page.js'],
  fetch: ['../data/index.js', '../reconnect/page.js'],
  protection: ['../otel/trace.js', '../reconnect/page.js'],
  reconnect: ['../otel/trace.js'],
  // The lab knows the package; the package knows nothing of the lab.
  entries: ['../../../lab/js/index.js'],
};

/** Folder → statements that are as forbidden in another form, or from elsewhere. */
const OTHERS = {
  'src/js/run': ["export * from '../fetch/body.js';", "await import('../fetch/body.js');", "import 'node:fs';"],
  'src/js/protection': ["import '../run/run.js';"],
  'src/js/entries': ["import '../../../www/src/links.ts';", "import 'rejitter-lab';"],
  'lab/js': [
    "import '../../src/js/run/run.js';",
    "import '../../src/js/policy/policy.js';",
    "import 'rejitter/fetch';",
  ],
  // A folder without a rule of its own.
  'src/js/newcomer': ["import '../options/checks.js';", "import '../run/run.js';", "import '../newer/index.js';"],
  'tests/package/engine': ["import 'axios';", "import { program } from '../../clients/lib/programs.mjs';"],
};

/**
 * The files that a rule names in a copy of these folders that has one more file for each of these statements.
 * @param {string} rule @param {string[]} copied @param {{ path: string, statement: string }[]} planted
 */
function namedBy(rule, copied, planted) {
  const dir = mkdtempSync(join(tmpdir(), 'rejitter-layers-'));
  try {
    for (const name of ['biome.json', ...copied]) cpSync(inRoot(name), join(dir, name), { recursive: true });
    for (const { path, statement } of planted) {
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      writeFileSync(join(dir, path), `${statement}\n`);
    }
    const options = `--only=${rule} --vcs-enabled=false --reporter=github --max-diagnostics=none`;
    const line = ['lint', ...options.split(' ')];
    const { stdout, stderr } = spawnSync(npmTool('biome'), line, { cwd: dir, encoding: 'utf8' });
    assert.doesNotMatch(stderr, /configuration|unexpected/i);
    return Array.from(
      stdout.matchAll(/file=[^,]*?((?:src\/js|lab\/js|tests|www|xtask)\/[^,]*)/g),
      ([, path]) => path,
    ).sort();
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const PLANTED = [
  ...Object.entries(ABOVE).flatMap(([folder, modules]) =>
    modules.map((path) => [`src/js/${folder}`, `import '${path}';`]),
  ),
  ...Object.entries(OTHERS).flatMap(([folder, statements]) => statements.map((one) => [folder, one])),
].map(([folder, statement], i) => ({ path: `${folder}/planted-${i}.js`, statement }));

test('an import from a layer above, or from elsewhere, is named; no import of today is', () => {
  const named = namedBy('style/noRestrictedImports', ['src/js', 'lab/js', 'tests/package'], PLANTED);
  assert.deepEqual(named, PLANTED.map(({ path }) => path).sort());
});

test('two modules that import each other are named, in whatever folder', () => {
  const folders = ['src/js/run', 'lab/js', 'www/src/state', 'xtask/npm', 'tests/package/lib', 'tests/clients/lib'];
  const circles = folders.flatMap((folder) => [
    { path: `${folder}/one.js`, statement: "import { other } from './other.js';\nexport const one = () => other;" },
    { path: `${folder}/other.js`, statement: "import { one } from './one.js';\nexport const other = () => one;" },
  ]);
  assert.deepEqual(namedBy('suspicious/noImportCycles', [], circles), circles.map(({ path }) => path).sort());
});
