// The server of the cases (cases.mjs): it notes what it got, and compares each attempt with the request of bare fetch.

import assert from 'node:assert/strict';

/** Headers that must be the same; further ones are the connection's and the browser's business. */
const HEADERS = (
  'referer origin cookie accept content-type content-length transfer-encoding cache-control pragma x-a x-b ' +
  'upgrade-insecure-requests sec-fetch-mode sec-fetch-dest sec-fetch-site sec-fetch-user'
).split(' ');

/** Without the boundary of a form, which has another length in some engines. */
export function comparable({ bytes, headers, ...rest }) {
  const [, boundary] = /^--(-+\S+)\r\n/.exec(bytes) ?? [];
  if (boundary === undefined) return { ...rest, bytes, headers };
  const length = headers['content-length'];
  if (length !== undefined) assert.equal(length, String(bytes.length));
  const same = (text) => text?.replaceAll(boundary, 'BOUNDARY');
  const others = { ...headers, 'content-length': undefined, 'content-type': same(headers['content-type']) };
  return { ...rest, bytes: same(bytes), headers: others };
}

export class Echo {
  /** Case → fetch → what each of its attempts sent. @type {Map<string, Record<string, any[]>>} */
  seen = new Map();

  /** Answers two attempts of each fetch of ours with 503. */
  answer = (request, response) => {
    const { searchParams } = new URL(request.url, 'http://loopback');
    const [id, name] = [searchParams.get('id'), searchParams.get('fetch')];
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const bytes = Buffer.concat(chunks).toString('latin1');
      const headers = Object.fromEntries(HEADERS.map((each) => [each, request.headers[each]]));
      const entry = this.seen.get(id) ?? this.seen.set(id, {}).get(id);
      const attempts = (entry[name] ??= []);
      const { 'idempotency-key': key, 'x-prepared': prepared } = request.headers;
      attempts.push({ sent: { method: request.method, bytes, headers }, key, prepared });
      const busy = name !== 'bare' && attempts.length < 3;
      response.writeHead(busy ? 503 : 200, { 'content-type': 'text/plain', 'cache-control': 'no-store' }).end('answer');
    });
  };

  /** Compares what the fetches of these names sent. `readsForms`: whether a form can be encoded before it is sent. */
  check(names, count, readsForms) {
    assert.equal(this.seen.size, count);
    for (const [id, entry] of this.seen) {
      assert.equal(entry.bare.length, 1, id);
      const bare = comparable(entry.bare[0].sent);
      const ours = names.filter((name) => name !== 'bare' && name in entry);
      assert.ok(ours.length >= 4, id);
      for (const name of ours) {
        const where = `${id}, ${name}`;
        const [{ key, sent: first }] = entry[name];
        assert.equal(entry[name].length, key !== undefined || !/^(POST|PURGE)$/i.test(bare.method) ? 3 : 1, where);
        for (const attempt of entry[name]) {
          assert.deepEqual(comparable(attempt.sent), bare, where);
          assert.equal(attempt.key, key, where);
          // In light, fetch encodes each form.
          if (key !== undefined && readsForms && name !== 'light') assert.equal(attempt.sent.bytes, first.bytes, where);
        }
      }
      // The last one has a callback `prepare`; engines differ in what a request of mode no-cors takes.
      if (!id.includes('no-cors'))
        assert.ok(
          entry[ours.at(-1)].every(({ prepared }) => prepared === '1'),
          id,
        );
    }
  }
}
