// Runs one exported function of a module in a separate process of the measured Node.

import { fork } from 'node:child_process';

/**
 * @typedef {object} Context of a part
 * @property {string} node the path of the measured Node
 * @property {Choice} choice
 * @property {(what: string) => void} say progress
 *
 * @typedef {{ quick: boolean, docs: boolean, seed: number }} Choice the full run, or one that takes a minute; whether
 *   it writes the documents; of the order, or the first of the worlds
 */

/**
 * @param {string} module its URL
 * @param {string} name of the function
 * @param {string[]} [flags] of Node
 * @returns {Promise<any>} what the function resolves to, as JSON
 */
export function inNode(node, module, name, argument, flags = []) {
  return new Promise((done, failed) => {
    const child = fork(import.meta.filename, [module, name, JSON.stringify(argument)], {
      execPath: node,
      execArgv: flags,
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    let message;
    child.once('message', (received) => {
      message = received;
    });
    child.once('error', failed);
    child.once('close', (code, signal) => {
      if (message !== undefined && code === 0) done(message.answer);
      else failed(new Error(`${name} of ${module} ended with ${code ?? signal}`));
    });
  });
}

// The other side. Its module imports this one, so that it cannot be awaited here.
if (process.argv[1] === import.meta.filename) {
  const [, , module, name, argument] = process.argv;
  import(module)
    .then((exported) => exported[name](JSON.parse(argument)))
    .then((answer) => process.send?.({ answer }, () => process.disconnect()));
}
