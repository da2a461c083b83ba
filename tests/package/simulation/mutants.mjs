// Bugs to plant: each is one change of the package's text, and a retry package has had it somewhere.
// The simulation must find every one of them; else it would not find them when they come by themselves.

/** @type {{ name: string, edits: [file: string, find: string, put: string][] }[]} */
export const MUTANTS = [];

const plant = (name, ...edits) => MUTANTS.push({ name, edits });

const op = 'operation.js';
const story = 'progress.js';
const cut = 'interruption.js';
const time = 'timer.js';

// Signals and listeners.
plant('listeners stay after settlement', [cut, "for (const signal of this.signals) unfollow(signal, this);", '']);
plant('an operation that ends takes the others from their signal', ['signals.js', '  if (known.followers.size > 0) return;\n', '']);
plant('the abort reason is replaced', [cut, 'this.end(this.reason);', "this.end((this.reason = new DOMException('Aborted', 'AbortError')));"]);
plant('an abort is noticed only when the wait ends', [cut, 'this.wake = resolve;\n', '']);
plant('the signal of the run is ignored', [op, 'this.interruption?.watch(signal);', '']);
plant('the signal of the policy is ignored', [op, 'this.interruption?.watch(settings.signal);', '']);
plant('an aborted signal does not stop the first attempt', [op, 'if (this.interruption?.aborted) {', 'if (false) {']);
plant('one signal gets two listeners', ['signals.js', 'if (known !== undefined) {', 'if (known === null) {']);
plant('retryIf is asked after an abort in a hook', [op, "    // A hook may have aborted.\n    if (interruption?.aborted) return 'aborted';\n", '']);
plant('an abort inside the callback loses to its error', [op, "        if (interruption?.aborted) return this.stop('aborted');\n        if (this.outcome === INTERRUPTED)", '        if (this.outcome === INTERRUPTED)']);
plant('an abort in onRetry does not stop the wait', [cut, 'if (this.over) resolve(INTERRUPTED);\n      else this.waitTimer', 'this.waitTimer'], [op, "        if (interruption?.over) return this.stop(interruption.aborted ? 'aborted' : 'deadline');\n", '']);
plant('finalError wraps the abort reason', [story, "settings.finalError === 'wrap' && reason !== 'aborted'", "settings.finalError === 'wrap'"]);

// Attempts and their signals.
plant('all attempts share one controller', ['attempt.js', 'return (this.#controller ??= new AbortController()).signal;', 'return (globalThis.sharedController ??= new AbortController()).signal;']);
plant('a timed-out attempt is not told', [cut, 'abortAttempt(attempt, error);', '']);
plant('attempts are numbered from 0', [op, 'new Attempt(this.attempts + 1', 'new Attempt(this.attempts']);
plant('the previous error is that of the first attempt', [op, 'this.failed ? this.outcome : undefined, delayMs)', 'this.failed ? this.records.kept[0].error : undefined, delayMs)']);
plant('the previous delay is not told', [op, ': undefined, delayMs);', ': undefined, undefined);']);
plant('an ended attempt can still time out', [cut, '    this.attemptTimer?.cancel();\n    this.wake = undefined;', '    this.wake = undefined;']);
plant('a late rejection is unhandled', [cut, '      Promise.resolve(value).then(resolve, reject);\n      this.wake = reject;\n      if (this.over) reject(INTERRUPTED);', '      this.wake = reject;\n      if (this.over) return reject(INTERRUPTED);\n      Promise.resolve(value).then(resolve, reject);']);
plant('a synchronous throw escapes', [op, '  } catch (error) {\n    return new Operation(settings, fn, index).afterFirst(attempt, error);', '  } catch (error) {\n    throw error;']);

// Timeouts and deadlines.
plant('the attempt timeout runs from the start of the operation', [cut, 'this.attemptTimer = new Timer(attemptTimeoutMs,', 'this.attemptTimer = new Timer(Math.max(0, attemptTimeoutMs - attempt.elapsedMs),']);
plant('the attempt timeout outlives the deadline', [cut, 'if (attemptTimeoutMs >= this.deadlineAt - from) return;', ''], [cut, 'if (this.over) return;\n    this.expired = true;', 'if (this.over || this.attemptTimer) return;\n    this.expired = true;']);
plant('no deadline timer', [cut, 'this.deadlineTimer = new Timer(', 'if (totalTimeoutMs < 0) this.deadlineTimer = new Timer(']);
plant('the deadline timer stays', [cut, 'this.deadlineTimer?.cancel();', '']);
plant('the wait timer stays', [cut, 'this.waitTimer?.cancel();', '']);
plant('the deadline is counted from each attempt', [op, "    this.attemptAt = now();\n", "    this.attemptAt = now();\n    if (interruption && interruption.deadlineAt < Infinity) interruption.deadlineAt = this.attemptAt + this.settings.totalTimeoutMs;\n"]);
plant('an attempt begins after the deadline', [op, "if (interruption?.late) return this.stop('deadline');", '']);
plant('a blocking hook takes an attempt past the deadline', [op, 'if (interruption !== undefined && this.attemptAt >= interruption.deadlineAt) return', 'if (false) return']);
plant('the timeout has no cause', [op, ', this.cause);', ');']);
plant('the wall clock measures the time', [time, 'return globalThis.performance.now();', 'return Date.now();']);

// Timers.
plant('timers get fractions', [time, 'this.left = Math.ceil(ms);', 'this.left = ms;']);
plant('waits are rounded down', [time, 'this.left = Math.ceil(ms);', 'this.left = Math.floor(ms);']);
plant('long waits are not cut in pieces', [time, 'Math.min(this.left, MAX_TIMER_MS)', 'this.left']);
plant('early timers are believed', [time, 'if (missing > 0 &&', 'if (missing > 1e9 &&']);
plant('a zero wait is no turn of the event loop', [cut, '      this.wake = resolve;\n', '      if (ms === 0) return resolve(undefined);\n      this.wake = resolve;\n'], [op, 'return new Promise((resolve) => {\n      new Timer', 'if (ms === 0) return Promise.resolve();\n    return new Promise((resolve) => {\n      new Timer']);
plant('unref is forgotten', [time, 'if (this.unref) this.id?.unref?.();', '']);

// Decisions.
plant('one attempt too many', ['decision.js', '    settings.maxAttempts,\n    attempt,', '    settings.maxAttempts + 1,\n    attempt,']);
plant('permanent errors are retried', ['marks.js', 'mark(this, { permanent: true,', 'mark(this, { permanent: false,']);
plant('marks below the surface are not found', ['marks.js', 'const DEEPEST = 10;', 'const DEEPEST = 0;']);
plant('marks are looked for one too deep', ['marks.js', 'const DEEPEST = 10;', 'const DEEPEST = 11;']);
plant('the wrapper of a mark comes out', [op, 'this.outcome = unwrap(this.outcome, mark);', '']);
plant('the server hint is ignored', ['marks.js', 'afterMs: ms, wraps', 'afterMs: NaN, wraps']);
plant('afterMs is ignored', [op, "exactlyMs = afterMsOf(verdict, failed ? 'retryIf' : 'retryOnResult');", "afterMsOf(verdict, failed ? 'retryIf' : 'retryOnResult');"]);
plant('retryIf is asked twice', [op, 'let verdict = predicate(this.outcome, attempt);', 'predicate(this.outcome, attempt);\n        let verdict = predicate(this.outcome, attempt);']);
plant('a verdict that is none passes', [story, "throw new (typeof afterMs === 'number' ? RangeError : TypeError)(", "if (verdict !== null) return NaN;\n  throw new (typeof afterMs === 'number' ? RangeError : TypeError)("]);
plant('spent results reject', [story, 'if (!this.failed) {', 'if (false) {']);
plant('hints feed the decorrelated jitter', ['decision.js', 'if (computed && decision >= 0 && ', 'if (decision >= 0 && ']);
plant('bounded decorrelated jitter forgets', ['decision.js', 'hasOwnCurve(settings.jitter)', 'settings.jitter === 3']);
plant('operations share the previous wait', [story, 'this.previousMs = -1;', 'this.previousMs = settings.lastMs ?? -1;'], ['decision.js', 'state.previousMs = decision;', 'state.previousMs = settings.lastMs = decision;']);
plant('operations of a policy share their draws', [op, 'const index = settings.seeded ? settings.operations++ : 0;', 'const index = 0;']);
plant('a bad random number passes', ['decision.js', 'draw >= 0 && draw < 1', 'draw >= 0 && draw <= 1']);

// Hooks, reports, metrics.
plant('a hook that throws ends the operation', ['hooks.js', '  } catch (error) {\n    reportFailure(error);', '  } catch (error) {\n    throw error;']);
plant('a hook that rejects is unhandled', ['hooks.js', 'Promise.resolve(result).then(undefined, reportFailure);', ';']);
plant('events are not frozen', ['hooks.js', 'Object.freeze(event)', 'event']);
plant('onRetry comes after the wait', [op, "        this.tell('onRetry', this.attempts, { ...this.told(), delayMs });\n", ''], [op, "      if (interruption?.late)", "      if (settings.hooks !== undefined) this.tell('onRetry', this.attempts, { ...this.told(), delayMs });\n      if (interruption?.late)"]);
plant('onFailure is not called', [op, "this.tell('onFailure', this.attempts, this.told());", ';']);
plant('onSuccess has no result', [story, "this.tell('onSuccess', this.attempts, { result: this.outcome });", "this.tell('onSuccess', this.attempts, {});"]);
plant('records forget the first attempt', [story, 'records.splice(1, 1);', 'records.shift();']);
plant('records grow without bound', [story, 'records.length === KEPT', 'false']);
plant('records lack the delay', [op, 'delayMs = record.delayMs = next;', 'delayMs = next;']);
plant('no report beside the error', [story, 'keepReport(error, report);\n    throw error;', 'throw error;']);
plant('failures stay in flight', ['metrics.js', '  failed(reason) {\n    this.inFlight--;', '  failed(reason) {']);

// The core, by what its exports answer. The arguments are those of `decide` in decision.js.
const core = (name, body) => plant(`core: ${name}`, ['core-inline.js', 'loaderOf(() => compile(text))', `(() => { const load = loaderOf(() => compile(text)); return () => (({ decide, draw }) => { ${body} })(load()); })()`]);
const decides = (name, change, after = 'return answer;') => core(name, `return { draw, decide(...a) { ${change}; const answer = decide(...a); ${after} } };`);
decides('the cap bounds the draw and not the ceiling', 'a[2] = 2');
decides('the curve is one ahead', 'if (a[13] < a[12]) { a[13] += 1; a[12] += 1; }');
decides('no jitter where full was asked for', 'if (a[1] === 1) a[1] = 0');
decides('a wait that ends at the deadline is begun', 'if (a[16] < Infinity) a[16] = a[16] * (1 + 1e-12) + 1e-9');
decides('the floor is ignored', 'a[5] = NaN');
decides('decorrelated jitter forgets', 'a[14] = NaN');
decides('less than the server asked', '', 'return a[18] > 0 && answer > 0 ? answer * 0.9 : answer;');
decides('the limit of attempts is ignored', 'a[12] = Infinity');
decides('the factor is ignored', 'a[6] = NaN');
decides('no spread over a hint', 'if (a[18] > 0) a[20] = 0');
core('one draw for all attempts', 'return { decide, draw: (high, low, operation, attempt, lane) => draw(high, low, operation, 1, lane) };');
core('one draw for all operations', 'return { decide, draw: (high, low, operation, attempt, lane) => draw(high, low, 0, attempt, lane) };');
core('both lanes draw alike', 'return { decide, draw: (high, low, operation, attempt) => draw(high, low, operation, attempt, 0) };');
