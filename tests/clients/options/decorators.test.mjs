// RetryPolicy's wrap as a decorator, compiled by TypeScript.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import typescript from 'typescript-5.9';

import { underClock } from '../../package/lib/clock.mjs';
import { importPackage } from '../../package/lib/consumer.mjs';

const { RetryPolicy } = await importPackage();

test('wrap decorates methods, and keeps their name and length', async () => {
  // Not esbuild: it calls decorators without the object before the dot.
  const { outputText } = typescript.transpileModule(
    `export const classOf = (policy) => class {
      base = '/user/';
      left = 1;
      @policy.wrap async load(id) { if (this.left-- > 0) throw new Error('first'); return this.base + id; }
      @policy.wrap static twice(n) { return 2 * n; }
    };`,
    { compilerOptions: { target: 'es2022', module: 'esnext' } },
  );
  const { classOf } = await import(`data:text/javascript,${encodeURIComponent(outputText)}`);
  const Client = classOf(new RetryPolicy());
  assert.equal((await underClock(() => new Client().load(7))).value, '/user/7');
  assert.equal(await Client.twice(4), 8);
  const { name, length } = Client.prototype.load;
  assert.equal(`${name} ${length}`, 'load 1');
});
