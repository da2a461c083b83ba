// The npm packages of tests/clients, whose package.json names them.

import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder tests/clients. */
export const clients = dirname(dirname(fileURLToPath(import.meta.url)));

/** A package, or a file of one, by its path in node_modules. */
export const packaged = (path) => join(clients, 'node_modules', path);
