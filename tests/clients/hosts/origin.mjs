// The server on loopback that every suite calls, and the projects of tests beside it.

import { after, before } from 'node:test';

import { workFolder } from '../../package/lib/consumer.mjs';
import { closedOrigin } from '../../package/lib/fetching.mjs';
import { serve } from '../lib/programs.mjs';
import { closeBrowsers } from './browser.mjs';
import { Folder } from './folder.mjs';

/**
 * Returns what a request gets: a response, or how it fails. A host without a network has the text of this function.
 * @param {string} path its first folder says what the first requests get
 * @param {number} count of the requests to this path, this one included
 */
export function answerTo(path, count) {
  const echoes = /^\/echo\//.test(path);
  if (count > (echoes ? 2 : 1)) return { status: 200, headers: {}, text: 'request ' + count };
  if (/^\/(silent|closed)\//.test(path)) return path.split('/')[1];
  if (echoes) return { status: 503, headers: { 'retry-after-ms': '2' }, text: '' };
  return { status: 503, headers: /^\/later\//.test(path) ? { 'retry-after': '120' } : {}, text: 'request 1' };
}

const HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'retry-after, retry-after-ms',
  'cache-control': 'no-store',
  'content-type': 'text/plain',
};
const PREFLIGHT = { ...HEADERS, 'access-control-allow-headers': '*', 'access-control-allow-methods': '*' };

export function startOrigin() {
  const seen = new Map();
  return serve(({ method, url, socket, headers: { 'idempotency-key': key } }, body) => {
    // A preflight, which some hosts send before the request.
    if (method === 'OPTIONS') return { status: 204, headers: PREFLIGHT };
    const keys = [...(seen.get(url) ?? []), key];
    seen.set(url, keys);
    const answer = answerTo(url, keys.length);
    if (answer === 'closed') socket.destroy();
    if (typeof answer !== 'object') return new Promise(() => {});
    const one = key && new Set(keys).size === 1 ? ', one key' : '';
    if (/^\/echo\//.test(url)) answer.text = `${body}, ${keys.length} requests${one}`;
    return { ...answer, headers: { ...HEADERS, ...answer.headers } };
  });
}

/** A server for the tests of a file. Returns what makes a user's project. */
export function hosting() {
  const world = { node: async () => process.execPath };
  let server;
  before(async () => {
    [server, world.closed] = await Promise.all([startOrigin(), closedOrigin()]);
    world.origin = server.url;
  });
  after(async () => {
    await server.close();
    await closeBrowsers();
  });
  return (options) => new Folder({ ...world, dir: workFolder('hosts'), ...options });
}
