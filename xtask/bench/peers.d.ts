// The peers are not type-checked: they are installed for measuring only.
declare module '@lifeomic/attempt';
declare module '@smithy/util-retry';
declare module 'async-retry';
declare module 'axios';
declare module 'axios-retry';
declare module 'cockatiel';
declare module 'effect';
declare module 'esbuild';
declare module 'exponential-backoff';
declare module 'fetch-retry';
declare module 'ky';
declare module 'ofetch';
declare module 'opossum';
declare module 'p-retry';
declare module 'reconnecting-websocket';
