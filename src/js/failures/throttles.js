// Errors by which a server says that requests come too often, without the status 429 that others say it with.

/** Names of the AWS SDK, which throttles with status 400 and 503; of Slack's client, and of Discord's. */
export const THROTTLED =
  /^\w*(Throttl|Throughput|RequestLimit|SlowDown)|^(LimitExceededE|BandwidthLimit|PriorRequest|TooManyRequestsE|TransactionInProg|WebAPIRateLimited|RateLimitError\[)/;

/** @param {any} error */
export function throttles(error) {
  try {
    const { throttling } = /** @type {any} */ ({ __proto__: null, ...error.$retryable });
    return throttling === true || THROTTLED.test(error.name);
  } catch {
    // It throws when it is read, or has no properties.
    return false;
  }
}
