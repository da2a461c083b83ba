/** Programs that the page prints: type-checked, and run against a server that fails twice. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { RetryPolicy } from 'rejitter';
import { fromData } from 'rejitter/data';
import * as presets from 'rejitter/presets';
import * as protection from 'rejitter/protection';
import { onLoopback } from './loopback.mjs';

const run = promisify(execFile);
const WWW = fileURLToPath(new URL('../..', import.meta.url));
const STRICT = [
  '--strict',
  '--exactOptionalPropertyTypes',
  '--noEmit',
  '--skipLibCheck',
  '--target',
  'es2022',
  '--module',
  'nodenext',
  '--types',
  'node',
];

/** The imports of programs that make a policy. */
const IMPORTED = { RetryPolicy, fromData, ...presets, ...protection };

/** The policy that a program makes. @param {string} program @returns {RetryPolicy} */
export function policyIn(program) {
  const statements = program
    .replace(/^import .*$/gm, '')
    .replace(/\n(?:const response|\/\/ The )[^]*/, '\nreturn policy;');
  return new Function(...Object.keys(IMPORTED), statements)(...Object.values(IMPORTED));
}

/** A folder within www, where `rejitter` is found as it is by anyone who installed it. */
export async function programFolder() {
  const folder = await mkdtemp(join(WWW, 'node_modules/.programs-'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');

  return {
    remove: () => rm(folder, { recursive: true, force: true }),

    /** The complaints of the strict compiler about these programs. @param {readonly string[]} programs */
    async complaints(programs) {
      const files = programs.map((_, i) => join(folder, `p${i}.ts`));
      await Promise.all(files.map((file, i) => writeFile(file, programs[i] ?? '')));
      return run(join(WWW, 'node_modules/.bin/tsc'), ['--ignoreConfig', ...STRICT, ...files], { cwd: WWW }).then(
        () => '',
        (/** @type {{ stdout: string }} */ { stdout }) => stdout,
      );
    },

    /**
     * Runs all programs at once, without their deadlines, each against its own path of a server that answers 503, 503,
     * and then 200.
     *
     * @param {readonly string[]} programs
     * @returns {Promise<{ ended: string, requests: number }[]>} the status of each, or its error
     */
    async againstFailures(programs) {
      const requests = programs.map(() => 0);
      const server = createServer((request, response) => {
        const i = Number(request.url?.slice(1));
        const count = (requests[i] = (requests[i] ?? 0) + 1);
        response.writeHead(count <= 2 ? 503 : 200).end();
      });
      const { origin, close } = await onLoopback(server);
      try {
        const files = programs.map((_, i) => join(folder, `r${i}.mjs`));
        await Promise.all(
          files.map((file, i) => {
            const aimed = (programs[i] ?? '').replaceAll('https://example.com/orders', `${origin}/${i}`);
            // A busy machine must not pass a deadline.
            const patient = aimed.replace(/\b(totalTimeoutMs|attemptTimeoutMs): [\d_]+/g, '$1: 600_000');
            return writeFile(file, `${patient}\nexport default String(response.status);\n`);
          }),
        );
        const urls = JSON.stringify(files.map((file) => pathToFileURL(file).href));
        const all =
          `const ended = await Promise.all(${urls}.map((url) => import(url).then((m) => m.default, ` +
          `String)));\nconsole.log(JSON.stringify(ended));\nprocess.exit();`;
        const { stdout } = await run(process.execPath, ['--input-type=module', '-e', all], { cwd: WWW });
        return JSON.parse(stdout).map((/** @type {string} */ ended, /** @type {number} */ i) => ({
          ended,
          requests: requests[i] ?? 0,
        }));
      } finally {
        await close();
      }
    },
  };
}
