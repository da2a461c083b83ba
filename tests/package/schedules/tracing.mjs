// A subscriber of the tracing channel that records its events.

import { tracingChannel } from 'node:diagnostics_channel';

export function channelOf(world) {
  const channel = tracingChannel('rejitter:operation');
  const seen = Object.fromEntries(
    ['start', 'end', 'asyncStart', 'asyncEnd', 'error'].map((name) => [
      name,
      (context) => {
        world.traced.push({ name, context, attempts: context.attempts, report: context.report, error: context.error });
      },
    ]),
  );
  return { subscribe: () => channel.subscribe(seen), unsubscribe: () => channel.unsubscribe(seen) };
}
