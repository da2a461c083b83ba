// The declarations of rejitter/reconnect, in a strict project of a user's.

const POSITIVE = `
const options: ReconnectOptions = { baseMs: 1000, capMs: Infinity, jitter: 'equal', wakeOn: false, signal: undefined, seed: 'a' };
export const report: Promise<ReconnectReport<number>> = keepConnected<number>(({ attempt, finish }) => finish(attempt), options);
const session = async ({ signal, opened, alive, connections }: Connection) => {
  opened();
  opened({ silenceMs: 1000, ping: () => fetch('/', { signal }) });
  if (connections > 0) alive();
};
export const all = [
  keepConnected(session, { retryIf: async (error, { openMs }) => (openMs > 0 ? { afterMs: 5 } : error.status !== 401) }),
  keepConnected(session, { onOpen: ({ connections, attempt }) => connections + attempt, onGiveUp: ({ report }) => report.openMs }),
  keepConnected(session, { wakeOn: (wake) => { wake(); return () => {}; } }),
];
export const error: Error = closeError({ code: 1000 });
declare const event: { readonly code: number; readonly reason: string; readonly wasClean: boolean };
closeError(event);
`;

const NEGATIVE = `
keepConnected(() => 1, { totalTimeoutMs: 5 }); // wrong: an option of operations
keepConnected(() => 1, { retryIf: () => {} }); // wrong: a predicate that forgets its answer
keepConnected(() => 1, { wakeOn: () => {} }); // wrong: nothing to unsubscribe by
keepConnected(({ opened }) => opened({ silence: 5 })); // wrong: the name
keepConnected<number>(({ finish }) => finish('a')); // wrong: another value
closeError(1000); // wrong: the event
`;

export default { entries: ['rejitter/reconnect'], positive: POSITIVE, negative: NEGATIVE };
