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

/** How long a server rejects: on a busy machine, calls that start a moment after the first must still meet it. */
export const LIMITED_S = 3;

/** The imports of programs that make a policy. */
const IMPORTED = { RetryPolicy, fromData, ...presets, ...protection };

/** The policy that a program makes. @param {string} program @returns {RetryPolicy} */
export function policyIn(program) {
  const statements = program
    .replace(/^import .*$/gm, '')
    .replace(/\n(?:const response|\/\/ (?:The|For) )[^]*/, '\nreturn policy;');
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
      const { ended, atMs } = await against(
        programs.map((program) => `${program}\nexport default String(response.status);\n`),
        (count) => ({ status: count <= 2 ? 503 : 200 }),
      );
      return ended.map((one, i) => ({ ended: one, requests: atMs[i]?.length ?? 0 }));
    },

    /**
     * Runs the call of each program, and once it has been answered 429, two more. For LIMITED_S, the server answers all
     * requests of a program with 429 and a Retry-After of as long.
     *
     * @param {readonly string[]} programs
     * @returns {Promise<{ ended: string, sinceMs: number[] }[]>} the three statuses, and the times of all requests
     *   since the first
     */
    async againstLimit(programs) {
      const thrice = programs.map((program) =>
        program
          .replace('const response = await ', 'const send = () => ')
          .concat('\nconst first = send();\nawait globalThis.limited(import.meta.url);\n')
          .concat('export default (await Promise.all([first, send(), send()])).map(({ status }) => status).join();\n'),
      );
      const { ended, atMs } = await against(thrice, (_, sinceMs) =>
        sinceMs < 1000 * LIMITED_S ? { status: 429, headers: { 'Retry-After': `${LIMITED_S}` } } : { status: 200 },
      );
      return ended.map((one, i) => ({ ended: one, sinceMs: (atMs[i] ?? []).map((ms) => ms - (atMs[i]?.[0] ?? 0)) }));
    },
  };

  /**
   * Runs all modules in one process, each against its own path of a server.
   * @param {readonly string[]} modules
   * @param {(count: number, sinceMs: number) => { status: number, headers?: Record<string, string> }} answer by the number
   *   of the request, and its time since the first one
   */
  async function against(modules, answer) {
    /** @type {number[][]} when the requests of each came */
    const atMs = modules.map(() => []);
    const server = createServer((request, response) => {
      const times = atMs[Number(request.url?.slice(1))] ?? [];
      times.push(performance.now());
      const { status, headers } = answer(times.length, performance.now() - (times[0] ?? 0));
      response.writeHead(status, headers).end();
    });
    const { origin, close } = await onLoopback(server);
    try {
      const files = modules.map((_, i) => join(folder, `r${i}.mjs`));
      await Promise.all(
        files.map((file, i) => {
          const aimed = (modules[i] ?? '').replaceAll('https://example.com/orders', `${origin}/${i}`);
          // A busy machine must not pass a deadline.
          return writeFile(file, aimed.replace(/\b(totalTimeoutMs|attemptTimeoutMs): [\d_]+/g, '$1: 600_000'));
        }),
      );
      const urls = JSON.stringify(files.map((file) => pathToFileURL(file).href));
      const all = `
        const limits = ${urls}.map(() => {
          const limit = {};
          limit.promise = new Promise((resolve) => (limit.resolve = resolve));
          return limit;
        });
        globalThis.limited = (url) => limits[${urls}.indexOf(url)].promise;
        const { fetch } = globalThis;
        globalThis.fetch = async (url, init) => {
          const response = await fetch(url, init);
          // Once the program has had its turn.
          if (response.status === 429) setTimeout(limits[Number(new URL(url.url ?? url).pathname.slice(1))].resolve, 50);
          return response;
        };
        const ended = await Promise.all(${urls}.map((url) => import(url).then((m) => m.default, String)));
        console.log(JSON.stringify(ended));
        process.exit();`;
      const { stdout } = await run(process.execPath, ['--input-type=module', '-e', all], { cwd: WWW });
      return { ended: /** @type {string[]} */ (JSON.parse(stdout)), atMs };
    } finally {
      await close();
    }
  }
}
