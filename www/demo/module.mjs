/** TypeScript modules of the page in Node. */
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

/**
 * @param {string} path below www/src
 * @returns {Promise<any>} its exports
 */
export async function pageModule(path) {
  const file = fileURLToPath(new URL(`../src/${path}`, import.meta.url));
  const { module } = await runnerImport(file, { configFile: false, logLevel: 'error' });
  return module;
}
