// @ts-check
// What a protection tells of itself: the caller's `onEvent`, and a channel of Node.

import { tell } from '../run/hooks.js';
import { channelOf } from '../run/tracing.js';

/** @typedef {(type: string, fields: object) => void} Tell */

/** Events that the channel publishes: changes of a breaker, and refusals. */
const PUBLISHED = ['opened', 'half-open', 'closed', 'refused'];

/** @type {{ hasSubscribers: boolean, publish: (message: object) => void } | null | undefined} not looked for: undefined */
let channel;

/**
 * @param {((event: object) => unknown) | undefined} onEvent
 * @param {string | undefined} key
 * @returns {Tell}
 */
export function teller(onEvent, key) {
  return (type, fields) => {
    if (onEvent !== undefined) tell(onEvent, eventOf(type, key, fields));
    if (!PUBLISHED.includes(type)) return;
    if (channel === undefined) channel = /** @type {any} */ (channelOf('channel', 'rejitter:protection'));
    if (channel?.hasSubscribers) channel.publish(Object.freeze(eventOf(type, key, fields)));
  };
}

/**
 * @param {string} type
 * @param {string | undefined} key
 * @param {object} fields
 */
function eventOf(type, key, fields) {
  return { type, ...(key !== undefined && { key }), ...fields };
}
