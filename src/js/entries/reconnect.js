export { closeError } from '../reconnect/close-error.js';
export { keepConnected } from '../reconnect/keeper.js';
