// Rows of tests/vectors/failures.json, classified by the package: for any host.

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

/** Returns whether a fetch of ours sends a request again when its inner fetch fails with this. */
export async function sendsAgain(createFetch, error) {
  let calls = 0;
  const inner = async () => {
    calls += 1;
    throw error;
  };
  await createFetch({ maxAttempts: 2, baseMs: 1 }, inner)('http://192.0.2.1/').catch(() => {});
  return calls === 2;
}

/** What the four that decide about an error say of it. */
export async function verdictsOn({ createFetch, light, isTransientError, isProgrammingError }, error) {
  return {
    transient: isTransientError(error),
    programming: isProgrammingError(error),
    large: await sendsAgain(createFetch, error),
    light: await sendsAgain(light, error),
  };
}

/**
 * Returns a line for each row that one of the deciders classifies in another way than the row says, bare or as a cause.
 * A row without `fetch` is not of a fetch. What light does is what createFetch does, but that it knows nothing that
 * stays, and what is transient is no mistake of the program, unless the row says it.
 */
export async function misjudged(deciders, rows) {
  const wrong = new Set();
  for (const { client = '', what, transient, fetch, light = fetch || undefined, error: data, ...row } of rows)
    for (const error of errorsOf(data)) {
      const programming = row.programming ?? (transient ? false : undefined);
      const right = { transient, programming, ...(fetch !== undefined && { large: fetch, light }) };
      const found = await verdictsOn(deciders, error);
      for (const [name, verdict] of Object.entries(right))
        if (verdict !== undefined && found[name] !== verdict) wrong.add(`${name} ${!verdict}: ${client} ${what}`);
      const cause = Object.assign(new Error('load'), { cause: error });
      if (deciders.isTransientError(cause) !== transient)
        wrong.add(`transient ${!transient}, a cause: ${client} ${what}`);
    }
  return [...wrong];
}
