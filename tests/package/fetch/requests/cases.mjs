// Requests as fetch gets them, and options of fetches of ours: each attempt has to send what bare fetch sends. Node and
// pages play the same ones. No imports: a page gets this file as it is.

const BYTES = Uint8Array.from({ length: 70_000 }, (_, i) => (i * 31) & 255);
export const form = () => {
  const made = new FormData();
  made.append('a', '1');
  made.append('file', new File([BYTES.subarray(0, 300)], 'ü.bin', { type: 'x/y' }));
  return made;
};
const BODIES = {
  'a string': () => 'PAYLOAD äöü',
  'an empty string': () => '',
  parameters: () => new URLSearchParams({ a: '1', b: 'ü' }),
  'a Blob': () => new Blob([BYTES], { type: 'Text/X' }),
  'a File': () => new File([BYTES.subarray(0, 300)], 'name.bin'),
  'a buffer': () => BYTES.buffer.slice(5, 300),
  'a view of a part': () => BYTES.subarray(5, 100),
  'a DataView': () => new DataView(BYTES.buffer, 3, 10),
  'numbers of 64 bits': () => new Float64Array([1, 2, 3]),
  'a form': form,
};
const PAIRS = [
  ['x-a', '1'],
  ['x-a', '2'],
  ['x-b', '3'],
];
/** Some can be read only once. */
const HEADERS = {
  object: () => ({ accept: 'x/y', cookie: 'a=1', 'x-a': 'ä' }),
  pairs: () => PAIRS,
  'an iterator': () => PAIRS.values(),
  'a generator': () =>
    (function* () {
      yield* PAIRS;
    })(),
  'a Map': () => new Map(PAIRS),
  'a Set of pairs': () => new Set(PAIRS),
  Headers: () => new Headers(PAIRS),
  'an object that looks like an iterator': () => ({ next: '1', 'x-a': '1' }),
};
const named = (list, prefix, make) =>
  Object.fromEntries(Object.entries(list).map(([name, each]) => [`${prefix}, ${name}`, () => make(each())]));

/** An address of this page's site; Node has no page, and takes any. */
const ELSEWHERE = globalThis.location ? '/elsewhere' : 'http://x.test/page';

/** Name → what makes an init. */
export const INITS = {
  'no init': () => undefined,
  'referrer empty': () => ({ referrer: '' }),
  'referrer about:client': () => ({ referrer: 'about:client' }),
  'another referrer': () => ({ referrer: ELSEWHERE }),
  'referrerPolicy no-referrer': () => ({ referrerPolicy: 'no-referrer' }),
  'referrerPolicy origin': () => ({ referrerPolicy: 'origin' }),
  'referrerPolicy and referrer': () => ({ referrerPolicy: 'unsafe-url', referrer: ELSEWHERE }),
  'credentials omit': () => ({ credentials: 'omit' }),
  'credentials include': () => ({ credentials: 'include' }),
  'mode same-origin': () => ({ mode: 'same-origin', referrer: '' }),
  'mode no-cors': () => ({ mode: 'no-cors', referrerPolicy: 'no-referrer', headers: { accept: 'x/y', 'x-a': '1' } }),
  'cache no-store': () => ({ cache: 'no-store' }),
  'redirect manual': () => ({ redirect: 'manual', referrer: '' }),
  'a method in small letters': () => ({ method: 'post' }),
  'a method of their own': () => ({ method: 'PURGE' }),
  DELETE: () => ({ method: 'DELETE', referrerPolicy: 'origin' }),
  ...named(HEADERS, 'headers', (headers) => ({ headers })),
  ...named(BODIES, 'PUT', (body) => ({ method: 'PUT', body, referrer: '' })),
  'POST, a string': () => ({ method: 'POST', body: 'text', referrerPolicy: 'no-referrer' }),
  'POST, a key in an iterator': () => ({
    ...{ method: 'POST', body: 'text' },
    headers: Object.entries({ 'idempotency-key': 'k', 'x-a': '1' }).values(),
  }),
  'POST, a form': () => ({ method: 'POST', body: form(), referrer: '' }),
  'POST, a form under a key': () => ({ method: 'POST', body: form(), headers: { 'Idempotency-Key': 'k', 'x-a': '1' } }),
  'PUT, a form with another type': () => ({ method: 'PUT', body: form(), headers: { 'content-type': 'x/y' } }),
};

/** What a call may get: an address or a Request, and an init. */
export const SHAPES = {
  'an address': (url, make) => [url, make()],
  'a Request': (url, make) => [new Request(url, make())],
  'a Request and headers': (url, make) => [new Request(url, make()), { headers: { 'x-b': '1' } }],
};

const PREPARE = [{}, { prepare() {} }, { prepare: (request) => request.headers.set('x-prepared', '1') }];
const KEYS = [{}, { idempotencyKey: 'auto' }, { idempotencyKey: () => 'own' }];
const LIMITS = [{}, { attemptTimeoutMs: 60_000 }, { signal: new AbortController().signal, totalTimeoutMs: 600_000 }];
const protections = ({ budget, hedge, protect }) => [
  {},
  { protection: protect(budget({ capacity: 10_000 })), protectionKey: (request) => request.method },
  { protection: protect(hedge({ delayMs: 60_000 })) },
];

/** Sets of options: of four lists of three, every pair is in one of nine. */
export const optionsOf = (rejitter) =>
  Array.from({ length: 9 }, (_, i) => {
    const [a, b] = [Math.floor(i / 3), i % 3];
    const limits = { ...LIMITS[(a + b) % 3], ...protections(rejitter)[(a + 2 * b) % 3] };
    return { baseMs: 1, capMs: 2, maxAttempts: 3, ...PREPARE[a], ...KEYS[b], ...limits };
  });

/** Three of nine, each entry of `PREPARE` and of `KEYS` once; those of three following numbers are all nine. */
export const threeOf = (nine, number) => nine.filter((_, i) => (Math.floor(i / 3) + i + number) % 3 === 0);

/** Options for rejitter/light/fetch, with which attempts get signals of ours. */
export const LIGHT = { baseMs: 1, capMs: 2, maxAttempts: 3, attemptTimeoutMs: 60_000 };

/** Bare fetch, light's, and a fetch with each set of options, by their names. */
export function fetchesOf({ light, ...rejitter }) {
  const ours = optionsOf(rejitter).map((options, i) => [
    `${i}: ${Object.keys(options)}`,
    rejitter.createFetch(options),
  ]);
  return { bare: fetch.bind(globalThis), light: light(LIGHT), ...Object.fromEntries(ours) };
}

/**
 * Sends each case to a server that answers as `Echo` (server.mjs): by bare fetch, light's and three of ours; its shapes
 * meet all.
 */
export async function sendAll(origin, names, send, shapes = SHAPES) {
  const [bare, light, ...ours] = names;
  for (const [n, [what, make]] of Object.entries(INITS).entries())
    for (const [m, [shape, given]] of Object.entries(shapes).entries())
      await Promise.all(
        [bare, light, ...threeOf(ours, n + m)].map(async (name) => {
          const query = new URLSearchParams({ id: `${shape}: ${what}`, fetch: name });
          await send(name, given(`${origin}/echo?${query}`, make));
        }),
      );
}
