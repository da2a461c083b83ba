// @ts-check
// Events of a protection: for the caller's `onEvent`, and for a channel of Node.

import { tell } from '../run/hooks.js';
import { channelOf } from '../run/tracing.js';

/** @typedef {{ tell: (type: string, fields: object) => void }} Teller */

/** Events that the channel publishes: changes of a breaker, and rejections. */
const PUBLISHED = ['opened', 'half-open', 'closed', 'rejected'];

/**
 * @type {{ hasSubscribers: boolean, publish: (message: object) => void } | null | undefined} not looked for: undefined
 */
let channel;

/**
 * @param {((event: object) => unknown) | undefined} onEvent
 * @param {string | undefined} key
 * @param {string} type
 * @param {object} fields
 */
export function tellOf(onEvent, key, type, fields) {
  const event = () => ({ type, ...(key !== undefined && { key }), ...fields });
  if (onEvent !== undefined) tell(onEvent, event());
  if (!PUBLISHED.includes(type)) return;
  if (channel === undefined) channel = /** @type {any} */ (channelOf('channel', 'rejitter:protection'));
  if (channel?.hasSubscribers) channel.publish(Object.freeze(event()));
}
