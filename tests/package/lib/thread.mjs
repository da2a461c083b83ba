// Tests that run in a thread. Where node:test runs them, Node follows each promise to its test, which takes as long as
// tests themselves that do little but await.

import { test } from 'node:test';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';

/** The tests that the file of this thread declares. @type {Map<string, () => unknown>} */
const declared = new Map();

/**
 * Returns a `test` for a file, which is loaded once more in a thread; all run there when the first is to run.
 * @param {string} file its URL
 * @returns {(name: string, body: () => unknown) => unknown}
 */
export function testsInThread(file) {
  if (!isMainThread) return (name, body) => declared.set(name, body);
  let failures;
  const run = () =>
    new Promise((done, failed) => {
      const thread = new Worker(new URL(import.meta.url), { workerData: file });
      thread.once('message', done).once('error', failed);
      thread.once('exit', (code) => failed(new Error(`the thread ended with ${code}`)));
    });
  return (name) =>
    test(name, async () => {
      failures ??= run();
      const failure = (await failures).get(name);
      if (failure !== undefined) throw new Error(failure);
    });
}

async function runAll() {
  await import(workerData);
  const failures = new Map();
  for (const [name, body] of declared)
    await (async () => body())().catch((error) => failures.set(name, error?.stack ?? String(error)));
  parentPort.postMessage(failures);
}

if (!isMainThread) runAll();
