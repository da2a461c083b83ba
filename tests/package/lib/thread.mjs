// Tests that run in a thread. Where node:test runs them, Node follows each promise to its test, which takes as long as
// tests themselves that do little but await.

import { test } from 'node:test';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';

/** The tests that the file of this thread declares. @type {Map<string, () => unknown>} */
const declared = new Map();
const PASSED = 'passed';

/**
 * Returns a `test` for a file, which is loaded once more in a thread; all run there when the first is to run.
 * @param {string} file its URL
 * @returns {(name: string, body: () => unknown) => unknown}
 */
export function testsInThread(file) {
  if (!isMainThread)
    return (name, body) => {
      if (declared.has(name)) throw new Error(`two tests have the name ${name}`);
      declared.set(name, body);
    };
  let ends;
  const run = () =>
    new Promise((done, failed) => {
      const thread = new Worker(new URL(import.meta.url), { workerData: file });
      thread.once('message', done).once('error', failed);
      thread.once('exit', (code) => failed(new Error(`the thread ended with ${code}`)));
    });
  return (name) =>
    test(name, async () => {
      ends ??= run();
      const end = (await ends).get(name);
      if (end !== PASSED) throw new Error(end ?? 'the thread has no such test');
    });
}

async function runAll() {
  await import(workerData);
  const ends = new Map();
  for (const [name, body] of declared)
    try {
      await body();
      ends.set(name, PASSED);
    } catch (error) {
      ends.set(name, error?.stack ?? String(error));
    }
  parentPort.postMessage(ends);
}

if (!isMainThread) runAll();
