// @ts-check
// Runs one exported function of a module in a separate process of a chosen Node.

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * @param {import('./nodes.mjs').Node} node
 * @param {string} module its URL
 * @param {string} name of the function
 * @param {unknown} argument
 * @param {string[]} [flags] of Node
 * @returns {Promise<any>} what the function resolves to, as JSON
 */
export function inNode(node, module, name, argument, flags = []) {
  return new Promise((done, failed) => {
    const child = fork(
      fileURLToPath(new URL('child-main.mjs', import.meta.url)),
      [module, name, JSON.stringify(argument)],
      {
        execPath: node.path,
        execArgv: flags,
        env: { ...process.env, NODE_OPTIONS: '' },
      },
    );
    /** @type {{ answer: unknown } | undefined} */
    let message;
    child.once('message', (/** @type {any} */ received) => {
      message = received;
    });
    child.once('error', failed);
    child.once('close', (code, signal) => {
      if (message !== undefined && code === 0) done(message.answer);
      else
        failed(
          new Error(
            `${node.name}, ${name} of ${module}: it ended with ` +
              `${code ?? signal}${message === undefined ? ' and no answer' : ''}`,
          ),
        );
    });
  });
}

/**
 * Returns the result of a part's `measure` in each Node.
 * @param {import('../parts/all.mjs').Context} context
 * @param {string} module the part's URL
 */
export async function inEachNode({ nodes, choice, say }, module) {
  /** @type {Record<string, any>} */
  const results = {};
  for (const node of nodes) {
    say(node.name);
    results[node.name] = await inNode(node, module, 'measure', choice);
  }
  return results;
}
