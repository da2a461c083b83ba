// Policies of rejitter as the lab takes them: of its peer, of another copy or form of it, and of a version that it does
// not know.

import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { importFrom, importPackage, installed, printed, project } from '../../tests/package/lib/consumer.mjs';
import { caught } from '../../tests/package/lib/readers.mjs';

const { RetryPolicy } = await importPackage();
const { explain, plan } = await importFrom('rejitter-lab');

const dir = project('copy', { 'main.mjs': "export * from 'rejitter';\n" });
cpSync(installed, join(dir, 'node_modules/rejitter'), { recursive: true });
const load = (...path) => import(pathToFileURL(join(...path)).href);
const [copy, translated] = await Promise.all([load(dir, 'main.mjs'), load(installed, 'index.js')]);

const OPTIONS = { maxAttempts: 2, jitter: 'none', baseMs: 20 };
const POLICIES = {
  'its peer': new RetryPolicy(OPTIONS),
  'another copy': new copy.RetryPolicy(OPTIONS),
  'the form of other hosts': new translated.RetryPolicy(OPTIONS),
  'a Proxy': new Proxy(new RetryPolicy(OPTIONS), {}),
  'a class whose toJSON writes something else': new (class extends RetryPolicy {
    toJSON() {
      return { version: 1, baseMs: 999 };
    }
  })(OPTIONS),
};

for (const [name, policy] of Object.entries(POLICIES))
  test(`a policy of ${name} is known as one, not as data`, () => {
    assert.equal(plan(policy, 1)[0].meanMs, 20);
  });

test('a policy with something else behind it, as of another version, is an error with the remedy', () => {
  const policy = new RetryPolicy(OPTIONS);
  const behind = policy['rejitter.policy']();
  for (const seam of [undefined, 0, behind.seam + 1]) {
    const other = Object.create(policy, {
      'rejitter.policy': { value: () => ({ ...behind, seam }), enumerable: true },
    });
    const { name, message } = caught(() => explain(other));
    assert.deepEqual(
      [name, message],
      ['TypeError', 'rejitter: the policy is of a version of rejitter that this rejitter-lab cannot read: update both'],
    );
  }
});

const FLAG = '--no-experimental-require-module';
for (const [how, code, options] of [
  ['import', 'const load = (name) => import(name);', {}],
  ['require', 'const load = async (name) => require(name);', { ext: 'cjs' }],
  ['require without ES modules', 'const load = async (name) => require(name);', { ext: 'cjs', flags: [FLAG] }],
])
  test(`${how}: nothing is compiled before the first call, then once; the peer is the app's`, async () => {
    const stdout = await printed(
      `const compiled = [];
      for (const name of ['Module', 'Instance'])
        WebAssembly[name] = new Proxy(WebAssembly[name], { construct(target, args) {
          compiled.push(name); return Reflect.construct(target, args); } });
      ${code}
      (async () => {
        const [lab, { RetryPolicy }] = [await load('rejitter-lab'), await load('rejitter')];
        const before = compiled.length;
        const policy = new RetryPolicy({ baseMs: 20 });
        const means = [lab.plan(policy, 1)[0].meanMs, lab.plan(policy, 1)[0].meanMs];
        console.log(JSON.stringify({ before, compiled, means, names: Object.keys(lab).sort() }));
      })();`,
      options,
    );
    const { names, ...found } = JSON.parse(stdout);
    assert.deepEqual(found, { before: 0, compiled: ['Module', 'Instance'], means: [10, 10] });
    assert.deepEqual(names, Object.keys(await importFrom('rejitter-lab')).sort());
  });
