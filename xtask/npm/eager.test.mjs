// Functions that a process's first operations call are in parentheses, so that V8 compiles them with their module.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { eager } from './eager.mjs';

const BEFORE = `var made = start();
function start() {
  return 1;
}
function never(n) {
  return [() => n, made];
}
class RetryPolicy {
  run(fn) {
    return attempt(fn);
  }
}
var retryWithFullJitter = async (fn) => attempt(fn);
function attempt(fn) {
  const go = () => fn();
  return go().catch(function() {
  });
}
export { RetryPolicy, never, retryWithFullJitter };
`;

const AFTER = `var start = (function start() {
  return 1;
});
var attempt = (function attempt(fn) {
  const go = (() => fn());
  return go().catch((function() {
  }));
});
var made = start();
function never(n) {
  return [() => n, made];
}
class RetryPolicy {
  run(fn) {
    return attempt(fn);
  }
}
var retryWithFullJitter = (async (fn) => attempt(fn));
export { RetryPolicy, never, retryWithFullJitter };
`;

test('what the first operations call is in parentheses, the functions of the module before all statements', () =>
  assert.equal(eager(BEFORE), AFTER));
