// Rows of tests/vectors/failures.json, judged by the package: for any host.

/** Revives an error. Clients have headers as an object or as Headers. */
function errorOf(data, headersOf) {
  if (typeof data !== 'object' || data === null) return data;
  if (Array.isArray(data)) return data.map((each) => errorOf(each, headersOf));
  const fields = Object.entries(data).map(([name, value]) => [
    name,
    name === 'headers' ? headersOf(value) : errorOf(value, headersOf),
  ]);
  return Object.assign('message' in data ? new Error() : {}, Object.fromEntries(fields));
}

/** Both forms of an error: its headers as an object, and as Headers. */
export const errorsOf = (data) =>
  [(headers) => headers, (headers) => new Headers(headers)].map((headersOf) => errorOf(data, headersOf));

/** Returns whether createFetch sends a request again when its inner fetch fails with this. */
export async function sendsAgain(createFetch, error) {
  let calls = 0;
  const inner = async () => {
    calls += 1;
    throw error;
  };
  await createFetch({ maxAttempts: 2, baseMs: 1 }, inner)('http://192.0.2.1/').catch(() => {});
  return calls === 2;
}

/** Returns a line for each row that one of the two classifies in another way than the row says, bare or as a cause. */
export async function misjudged({ createFetch, isTransientError }, rows) {
  const wrong = new Set();
  for (const { client, what, transient, fetch, error: data } of rows)
    for (const error of errorsOf(data)) {
      for (const each of [error, Object.assign(new Error('load'), { cause: error })])
        if (isTransientError(each) !== transient) wrong.add(`isTransientError ${!transient}: ${client} ${what}`);
      if ((await sendsAgain(createFetch, error)) !== fetch) wrong.add(`createFetch ${!fetch}: ${client} ${what}`);
    }
  return [...wrong];
}
