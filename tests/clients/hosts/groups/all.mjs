// All hosts, in the order of the table.

import { ELECTRON, EXPO, TAURI } from './apps.mjs';
import { FAILURES, FAILURES_ELSEWHERE } from './failures.mjs';
import { HERMES } from './native.mjs';
import { NEXT } from './next.mjs';
import { BUNDLERS, CSP_PAGES, ENGINES, EXTENSION, VITE } from './pages.mjs';
import { BUN, DENO, IN_NODE, JESTS, NODES, PNPM, VITEST, YARN_PNP } from './programs.mjs';
import { ANGULAR, ASTRO, EDGE_RUNTIME, ENGINES_OF_EDGE, NITRO, NUXT, WORKERD } from './servers.mjs';

export const GROUPS = [
  ...[NODES, DENO, BUN, FAILURES, FAILURES_ELSEWHERE, EXPO, TAURI, ELECTRON, PNPM, YARN_PNP],
  ...[WORKERD, EDGE_RUNTIME, ENGINES_OF_EDGE, ENGINES, NEXT],
  ...[...BUNDLERS, VITE, IN_NODE],
  ...[ASTRO, ANGULAR, HERMES, CSP_PAGES, EXTENSION, JESTS, VITEST, NITRO, NUXT],
];
