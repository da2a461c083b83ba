import { load } from '../wasm/core.js';
import { keepConnectedOf } from '../reconnect/keeper.js';

export { closeError } from '../reconnect/close-error.js';

// Under the name of the function, bundlers would rename that: stacks would have keepConnected2.
const kept = /* @__PURE__ */ keepConnectedOf(load);
export { kept as keepConnected };
