// @ts-check
// The HTTP status of an error or of a result, wherever clients of HTTP put it.

/** How many causes of an error are read. */
const DEEPEST = 10;

/** Beginnings of names, and of the codes of Node's and undici's failures: there was no answer. */
const UNANSWERED = /^(Abort|Cancel|TypeE|ReferenceE|E[A-Z]|UND_)/m;

/**
 * Returns the status of an error or a result: a whole number between 100 and 599, or undefined. An error without the
 * response that an answer leaves may have a status that its client made up: Octokit puts 500 on all of them. There,
 * its name and its causes say more.
 * @param {any} value
 * @param {boolean} [isError]
 * @returns {number | undefined}
 */
export function statusOf(value, isError = true) {
  try {
    const { response, $metadata, name, cause } = value;
    const status =
      value.status ?? value.statusCode ?? response?.status ?? response?.statusCode ?? $metadata?.httpStatusCode;
    if (!Number.isInteger(status) || status < 100 || status > 599) return undefined;
    if (!isError || response || $metadata) return status;
    let names = `${name}`;
    for (let each = cause, left = DEEPEST; each && left-- && !each.response && !each.$metadata; each = each.cause)
      names += `\n${each.name}\n${each.code}`;
    return UNANSWERED.test(names) ? undefined : status;
  } catch {
    // It throws when it is read, or has no properties.
    return undefined;
  }
}
