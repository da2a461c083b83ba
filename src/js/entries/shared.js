// The names of the main entry that the others import: an app has one instance, one set of marks, one report per error.
// The package's file of the main entry exports these, too (xtask/npm/bundle.mjs). No declaration has them.

export { VERSION as _VERSION, isData as _isData } from '../data/write.js';
export {
  HOPELESS as _HOPELESS,
  NETWORK as _NETWORK,
  UNKNOWN as _UNKNOWN,
  UNPROCESSED as _UNPROCESSED,
  failureClass as _failureClass,
  highestClass as _highestClass,
} from '../failures/classes.js';
export { mayBeOfNetwork as _mayBeOfNetwork } from '../failures/network.js';
export {
  dateOf as _dateOf,
  retryAfterMs as _retryAfterMs,
  serverTime as _serverTime,
} from '../failures/retry-after.js';
export { headerOf as _headerOf, statusOf as _statusOf } from '../failures/status.js';
export { isTransientStatus as _isTransientStatus } from '../failures/transient.js';
export { THROTTLED as _THROTTLED, UNPROCESSED_TEXTS as _UNPROCESSED_TEXTS } from '../failures/words.js';
export {
  POLICY as _POLICY,
  behindOf as _behindOf,
  noteHint as _noteHint,
  readHints as _readHints,
  readMarks as _readMarks,
  shared as _shared,
} from '../marks.js';
export {
  isCount as _isCount,
  isFunction as _isFunction,
  isLongest as _isLongest,
  isMs as _isMs,
  isObject as _isObject,
  isReference as _isReference,
  isSignal as _isSignal,
  isText as _isText,
  isWhole as _isWhole,
  isWithin as _isWithin,
} from '../options/checks.js';
export {
  BOUND as _BOUND,
  CAP_RULES as _CAP_RULES,
  MAX_LIST as _MAX_LIST,
  MAX_MS as _MAX_MS,
  ORIGIN as _ORIGIN,
} from '../options/codes.js';
export { dropReplaced as _dropReplaced } from '../options/curve.js';
export {
  errorOf as _errorOf,
  failure as _failure,
  leftOut as _leftOut,
  messageOf as _messageOf,
  mistake as _mistake,
  problemOf as _problemOf,
} from '../options/messages.js';
export {
  ownOf as _ownOf,
  read as _read,
  requireObject as _requireObject,
  requireValid as _requireValid,
} from '../options/reader.js';
export {
  FUNCTION as _FUNCTION,
  HOOK as _HOOK,
  LIMIT as _LIMIT,
  LONGEST as _LONGEST,
  PROTECTION as _PROTECTION,
  SWITCH as _SWITCH,
} from '../options/rules.js';
export {
  inheriting as _inheriting,
  readOptions as _readOptions,
  readOverrides as _readOverrides,
  requireFunction as _requireFunction,
  settingsOf as _settingsOf,
} from '../options/settings.js';
export { RULES as _RULES } from '../options/table.js';
export { warnOnce as _warnOnce } from '../options/warnings.js';
export { abortAttempt as _abortAttempt } from '../run/attempt.js';
export { baseOf as _baseOf, computed as _computed, drawFor as _drawFor } from '../run/decision.js';
export { markRejected as _markRejected, permanent as _permanent } from '../run/directives.js';
export {
  adopt as _adopt,
  askHint as _askHint,
  emit as _emit,
  outcomeOf as _outcomeOf,
  reportFailure as _reportFailure,
  tell as _tell,
} from '../run/hooks.js';
export { record as _record } from '../run/operation.js';
export {
  RetryError as _RetryError,
  TimeoutError as _TimeoutError,
  hide as _hide,
  keepReport as _keepReport,
  restack as _restack,
} from '../run/report.js';
export { attemptsLeft as _attemptsLeft } from '../run/rows.js';
export { run as _run } from '../run/run.js';
export { reportOf as _reportOf } from '../run/settle.js';
export { follow as _follow, reasonOf as _reasonOf, unfollow as _unfollow } from '../run/signals.js';
export { afterMsOf as _afterMsOf } from '../run/steps.js';
export { elapsed as _elapsed, now as _now, startTimer as _startTimer } from '../run/timer.js';
export { channelOf as _channelOf, subscribed as _subscribed } from '../run/tracing.js';
