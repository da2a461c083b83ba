// All hosts, in the order of the table.

import { BUNDLERS, ENGINES, IN_NODE, VITE } from './bundlers.mjs';
import { EDGE_RUNTIME, ENGINES_OF_EDGE, NITRO, WORKERD } from './edge.mjs';
import { ANGULAR_GROUP, ASTRO, NEXT, NUXT } from './frameworks.mjs';
import { PNPM, YARN_PNP } from './managers.mjs';
import { HERMES } from './native.mjs';
import { BUN, DENO, FAILURES, NODES } from './nodes.mjs';
import { CSP_PAGES, EXTENSION } from './pages.mjs';
import { JESTS, VITEST } from './runners.mjs';

export const GROUPS = [
  NODES,
  DENO,
  BUN,
  FAILURES,
  PNPM,
  YARN_PNP,
  WORKERD,
  EDGE_RUNTIME,
  ENGINES_OF_EDGE,
  ENGINES,
  NEXT,
  ...BUNDLERS,
  VITE,
  IN_NODE,
  ASTRO,
  ANGULAR_GROUP,
  HERMES,
  CSP_PAGES,
  EXTENSION,
  JESTS,
  VITEST,
  NITRO,
  NUXT,
];
