// The lab's wasm, read from its file: CommonJS is for Node and Jest, which have the package as a folder.

import { readFileSync } from 'node:fs';
import { linkerOf } from './linker.js';

export const link = /* @__PURE__ */ linkerOf(() => new WebAssembly.Module(readFileSync(`${__dirname}/lab.wasm`)));
