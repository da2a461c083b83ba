// @ts-check
import { load } from '../wasm/core.js';
import { keepConnectedOf } from '../reconnect/keeper.js';

export { closeError } from '../reconnect/close-error.js';

export const keepConnected = /* @__PURE__ */ keepConnectedOf(load);
