// Who calls a service in the worlds: this package, and others with 100 ms doubling, full jitter.

import { StandardRetryStrategy } from '@smithy/util-retry';
import {
  ExponentialBackoff,
  SamplingBreaker,
  circuitBreaker,
  fullJitterGenerator,
  handleAll,
  retry,
  wrap,
} from 'cockatiel';
import CircuitBreaker from 'opossum';
import * as rejitter from 'rejitter';
import * as fetching from 'rejitter/fetch';
import * as protection from 'rejitter/protection';

import { retryWithStrategy } from '../contenders.mjs';
import { once, oursOf } from './ours.mjs';

const BASE_MS = 100;

export const CONTENDERS = {
  ...oursOf({ ...rejitter, ...fetching, ...protection }),
  cockatiel() {
    const generator = fullJitterGenerator;
    const backoff = new ExponentialBackoff({ generator, initialDelay: BASE_MS, maxDelay: 30_000 });
    const circuit = circuitBreaker(handleAll, {
      halfOpenAfter: 5000,
      breaker: new SamplingBreaker({ threshold: 0.5, duration: 10_000, minimumRps: 1 }),
    });
    const policies = once(({ maxAttempts }) =>
      maxAttempts === 1 ? circuit : wrap(retry(handleAll, { maxAttempts: maxAttempts - 1, backoff }), circuit),
    );
    return { call: (fn, options) => policies(options).execute(fn) };
  },
  opossum(random) {
    const circuit = new CircuitBreaker(async (fn) => fn(), {
      timeout: false,
      volumeThreshold: 10,
    });
    const retryIf = ({ code }) => code !== 'EOPENBREAKER';
    const policies = once((options) => new rejitter.RetryPolicy({ ...options, random, retryIf }));
    return {
      call: (fn, options) => policies(options).run(() => circuit.fire(fn)),
      stop: () => circuit.shutdown(),
    };
  },
  'AWS tokens'() {
    const strategy = new StandardRetryStrategy({ maxAttempts: 4, baseDelay: BASE_MS });
    return { call: (fn, { maxAttempts }) => retryWithStrategy(strategy, fn, maxAttempts) };
  },
};
