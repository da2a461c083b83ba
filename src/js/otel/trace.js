// One operation: its counts and its span. Without `always`, the span begins when the operation retries or is held, and
// reaches back to its start.

/** Values of @opentelemetry/api, which is not imported: SpanKind.INTERNAL and SpanStatusCode.ERROR. */
const INTERNAL = 0;
const ERROR = 2;

export class Trace {
  /** @type {any} */
  span;
  /** Number of attempts that started. */
  attempts = 0;
  /** The context of the first request, for links. @type {any} */
  #first;
  #startTime = Date.now();
  /** Whether a retry was announced that has not started. */
  #due = false;
  #ended = false;
  /** Events from before there was a span. @type {[name: string, attributes: object, time: number][] | undefined} */
  #earlier;
  /** Numbers of hedges. @type {number[] | undefined} */
  #hedges;

  /**
   * @param {any} tracer @param {import('./metrics.js').Meters} meters @param {any} context of the caller
   * @param {string} [name] @param {string} [key]
   */
  constructor(tracer, meters, context, name, key) {
    this.tracer = tracer;
    this.meters = meters;
    this.context = context;
    this.name = name ?? 'rejitter';
    this.counts = meters.counts(name, key);
  }

  /** Calls what may fail in the SDK: nothing of an operation depends on it. @param {(span: any) => void} fn */
  #safely(fn) {
    try {
      fn(this.span);
    } catch (fault) {
      console.error(fault);
    }
  }

  /** Begins the span, once. */
  begin() {
    if (this.span || !this.tracer) return;
    const attributes = { ...this.counts.labels, 'rejitter.name': this.name };
    // The first request had no parent here.
    const links = this.#first ? [{ context: this.#first }] : [];
    const options = { kind: INTERNAL, startTime: this.#startTime, attributes, links };
    this.#safely(() => {
      this.span = this.tracer.startSpan(this.name, options, this.context);
      for (const event of this.#earlier ?? []) this.span.addEvent(...event);
    });
  }

  /** @param {string} name @param {Record<string, unknown>} attributes */
  #event(name, attributes) {
    const time = Date.now();
    if (this.span) this.#safely((span) => span.addEvent(name, attributes, time));
    else (this.#earlier ??= []).push([name, attributes, time]);
  }

  /** Counts an attempt, once. One that no wait announced is a hedge. @param {{ attempt: number }} event */
  onAttempt({ attempt }) {
    if (attempt <= this.attempts) return;
    this.attempts = attempt;
    const kind = attempt === 1 ? 'first' : this.#due ? 'retry' : 'hedge';
    this.counts.attempts[kind] += 1;
    this.#due = false;
    if (kind !== 'hedge') return;
    (this.#hedges ??= []).push(attempt);
    this.begin();
  }

  /** Follows a request's own span. @param {any} span @param {number} number */
  sends(span, number) {
    if (number === 1) this.#first = span.spanContext();
    else if (this.#hedges?.includes(number) && this.#first) span.addLink({ context: this.#first });
  }

  /** @param {'wait' | 'hold'} kind @param {number} ms @param {Record<string, unknown>} attributes */
  pauses(kind, ms, attributes) {
    this.begin();
    this.#event(kind === 'wait' ? 'rejitter.wait' : 'rejitter.held', attributes);
    this.#safely(() => this.meters.record(`${kind}.duration`, ms, this.counts.labels));
  }

  /** @param {any} event */
  onFailure(event) {
    this.#event('rejitter.attempt.failed', {
      'rejitter.attempt': event.attempt,
      'error.type': typeOf(event),
      ...(Object.hasOwn(event, 'progressed') && { 'rejitter.progressed': true }),
      ...(Object.hasOwn(event, 'committed') && { 'rejitter.committed': true }),
    });
  }

  /** @param {any} event */
  onRetry({ attempt, delayMs }) {
    this.#due = true;
    this.pauses('wait', delayMs, { 'rejitter.attempt': attempt, 'rejitter.delay_ms': delayMs });
  }

  /** @param {any} event */
  onGiveUp(event) {
    const { reason } = event;
    this.#end(reason, (span) => {
      span.setAttributes({ 'rejitter.reason': reason, 'error.type': typeOf(event) });
      span.setStatus({ code: ERROR, message: reason });
    });
  }

  /** Returns the operation's promise. One that gave up may have a result, too. @param {Promise<any>} operation */
  settled(operation) {
    return operation.then((value) => {
      if (!this.#ended) this.#end('success', () => {});
      return value;
    });
  }

  /** @param {string} end @param {(span: any) => void} say */
  #end(end, say) {
    const { ends } = this.counts;
    ends[end] = (ends[end] ?? 0) + 1;
    this.#ended = true;
    if (!this.span) return;
    this.#safely(say);
    this.#safely((span) => span.setAttribute('rejitter.attempts', this.attempts));
    this.#safely((span) => span.end());
  }
}

/** Returns status, code or class: messages may hold secrets. Of results, the status. @param {any} event */
function typeOf(event) {
  try {
    const failed = Object.hasOwn(event, 'error');
    const { status, code, name } = failed ? event.error : event.result;
    // DOMExceptions have numbers of old.
    const isDom = Object.prototype.toString.call(event.error) === '[object DOMException]';
    const known = (failed ? [status, isDom ? '' : code, name] : [status]).find((each) =>
      typeof each === 'string' ? each !== '' : typeof each === 'number',
    );
    return String(known ?? '_OTHER');
  } catch {
    return '_OTHER';
  }
}
