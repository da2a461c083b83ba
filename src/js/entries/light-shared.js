// The names of rejitter/light that rejitter/light/fetch imports, as shared.js lists those of the main entry.

export { retry as _retry } from '../light/index.js';
export { Attempt as _Attempt } from '../light/limits.js';
export {
  COMMON as _COMMON,
  FUNCTION as _FUNCTION,
  LIMIT as _LIMIT,
  check as _check,
  settingsOf as _settingsOf,
} from '../light/options.js';
export { hintedWait as _hintedWait } from '../light/waits.js';
export { TimeoutError as _TimeoutError } from '../run/report.js';
export { follow as _follow, reasonOf as _reasonOf, unfollow as _unfollow } from '../run/signals.js';
