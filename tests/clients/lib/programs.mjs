// The programs of the guide, in TypeScript: run with the real packages, and type-checked.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { transform } from 'esbuild';

import { run } from '../../package/lib/consumer.mjs';
import { listen } from '../../package/lib/fetching.mjs';
import { marked } from '../../package/lib/readers.mjs';
import { clients, packaged } from './packages.mjs';
import { importPasted, pasted } from './pasted.mjs';

/** The text of a program: a block of a document, or a file that one leads to. @param {string} mark */
export function program(mark) {
  const file = ['ts', 'tsx'].map((type) => join(clients, 'programs', `${mark}.${type}`)).find(existsSync);
  return file ? readFileSync(file, 'utf8') : marked(mark)[0][1];
}

/** The longest program. */
const LINES = 80;

/**
 * A program without its types.
 * @param {string} text
 * @param {'ts' | 'tsx'} [loader]
 */
export async function javaScript(text, loader = 'ts') {
  assert.ok(text.split('\n').length <= LINES);
  // Nest's decorators, of parameters, too, are those of TypeScript.
  const tsconfigRaw = { compilerOptions: { experimentalDecorators: true } };
  const { code } = await transform(text, { loader, jsx: 'automatic', tsconfigRaw });
  return code.replaceAll(/ from "(.*?)"/g, " from '$1'");
}

/**
 * Runs a program of the guide in this process, with environment variables. Returns what it exports.
 * @param {string} mark
 * @param {Record<string, string | number>} env
 * @param {string} [imported] the mark of another program, which it imports
 */
export async function importProgram(mark, env = {}, imported) {
  Object.assign(process.env, env);
  const files = imported && { [`${imported}.mjs`]: await javaScript(program(imported)) };
  return importPasted(await javaScript(program(mark)), files);
}

/**
 * Type-checks files in a strict project, which has the packages that `imports` names.
 * @param {Record<string, string>} files
 * @param {string} imports
 * @param {object} [options] of the compiler
 */
export async function checkFiles(files, imports, options) {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: ['node'],
    typeRoots: [packaged('@types')],
    ...options,
  };
  const dir = pasted(imports, {
    ...files,
    'tsconfig.json': JSON.stringify({ compilerOptions, files: Object.keys(files) }),
  });
  const args = [packaged('typescript/bin/tsc'), '-p', dir, '--pretty', 'false'];
  const { stdout, code } = await run(process.execPath, args, { cwd: dir });
  assert.equal(stdout, '');
  assert.equal(code, 0);
}

/**
 * A server on loopback that answers with what `answer` returns: a status, headers and a body.
 * @param {(request: import('node:http').IncomingMessage, body: string) => any} answer
 */
export async function serve(answer) {
  const { origin, close } = await listen(async (request, response) => {
    const { status = 200, headers = {}, text = '{}' } = (await answer(request, String(request.body))) ?? {};
    response.writeHead(status, headers).end(text);
  });
  return { url: origin, close };
}
