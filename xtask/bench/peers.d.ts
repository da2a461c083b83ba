// The peers are not type-checked: they are installed for measuring only.
declare module '@smithy/util-retry';
declare module 'async-retry';
declare module 'axios';
declare module 'axios-retry';
declare module 'cockatiel';
declare module 'effect';
declare module 'esbuild';
declare module 'ky';
declare module 'opossum';
declare module 'p-retry';
