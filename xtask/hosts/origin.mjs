// The server on loopback that every suite calls.

import { serve } from '../../tests/package/lib/programs.mjs';

/**
 * Returns what a request gets: a response, or how it fails. A host without a network has the text of this function.
 * @param {string} path its first folder says what the first request gets
 * @param {number} count of the requests to this path, this one included
 */
export function answerTo(path, count) {
  if (count > 1) return { status: 200, headers: {}, text: 'request ' + count };
  if (/^\/(silent|closed)\//.test(path)) return path.split('/')[1];
  return { status: 503, headers: /^\/later\//.test(path) ? { 'retry-after': '120' } : {}, text: 'request 1' };
}

const HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'retry-after',
  'cache-control': 'no-store',
  'content-type': 'text/plain',
};

export function startOrigin() {
  const requests = new Map();
  return serve(({ method, url, socket }) => {
    // A preflight, which some hosts send before the request.
    if (method === 'OPTIONS') return { status: 204, headers: { ...HEADERS, 'access-control-allow-headers': '*' } };
    requests.set(url, (requests.get(url) ?? 0) + 1);
    const answer = answerTo(url, requests.get(url));
    if (answer === 'closed') socket.destroy();
    if (typeof answer !== 'object') return new Promise(() => {});
    return { ...answer, headers: { ...HEADERS, ...answer.headers } };
  });
}
