// All hosts, in the order of the table.

import { BUN, DENO, NODES } from './nodes.mjs';

export const GROUPS = [NODES, DENO, BUN];
