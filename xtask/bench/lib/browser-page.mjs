// @ts-check
// Runs in the page: the success path, as in Node.

import * as asyncRetry from '../contenders/async-retry.mjs';
import * as attempt from '../contenders/attempt.mjs';
import * as bare from '../contenders/bare.mjs';
import * as cockatiel from '../contenders/cockatiel.mjs';
import * as effect from '../contenders/effect.mjs';
import * as exponentialBackoff from '../contenders/exponential-backoff.mjs';
import * as handWritten from '../contenders/hand-written.mjs';
import * as pRetry from '../contenders/p-retry.mjs';
import * as rejitterFunction from '../contenders/rejitter-function.mjs';
import * as rejitterPolicy from '../contenders/rejitter-policy.mjs';
import * as smithy from '../contenders/smithy.mjs';
import { compare } from './harness.mjs';
import { designsOf, verifyOnce } from './successes.mjs';

const CONTENDERS = [
  bare,
  handWritten,
  rejitterPolicy,
  rejitterFunction,
  pRetry,
  cockatiel,
  exponentialBackoff,
  asyncRetry,
  attempt,
  smithy,
  effect,
];

/** @param {import('./harness.mjs').Plan} plan */
async function measure(plan) {
  if (!globalThis.crossOriginIsolated) throw new Error('the clock of this page is coarse: it is not isolated');
  for (const contender of CONTENDERS) await verifyOnce(contender);
  return { samples: await compare(designsOf(CONTENDERS), plan) };
}

Object.assign(globalThis, { measure });
