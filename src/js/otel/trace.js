// @ts-check
// The span of one operation. Without `always`, it begins when the operation retries, and reaches back to its start.

/** Values of @opentelemetry/api, which is not imported: SpanKind.INTERNAL and SpanStatusCode.ERROR. */
const INTERNAL = 0;
const ERROR = 2;

export class Trace {
  /** @type {any} */
  span;
  /** The context of the first request, for links. @type {any} */
  #first;
  #startTime = Date.now();
  /** Events from before there was a span. @type {[name: string, attributes: object, time: number][]} */
  #earlier = [];
  /** Numbers of hedges. @type {Set<number>} */
  #hedges = new Set();

  /** @param {any} tracer @param {any} context of the caller @param {boolean} always @param {string | undefined} key */
  constructor(tracer, context, always, key) {
    this.tracer = tracer;
    this.context = context;
    this.always = always;
    this.key = key;
  }

  /** @param {string | undefined} name */
  #begin(name = 'rejitter') {
    if (this.span || !this.tracer) return;
    const attributes = { 'rejitter.name': name, ...(this.key !== undefined && { 'rejitter.key': this.key }) };
    // The first request had no parent here.
    const links = this.#first ? [{ context: this.#first }] : [];
    const options = { kind: INTERNAL, startTime: this.#startTime, attributes, links };
    this.span = this.tracer.startSpan(name, options, this.context);
    for (const [event, attributes, time] of this.#earlier) this.span.addEvent(event, attributes, time);
  }

  /** @param {string} name @param {Record<string, unknown>} attributes */
  event(name, attributes) {
    const time = Date.now();
    if (this.span) this.span.addEvent(name, attributes, time);
    else this.#earlier.push([name, attributes, time]);
  }

  /** Follows a request's own span. @param {any} span @param {number} number */
  sends(span, number) {
    if (number === 1) this.#first = span.spanContext();
    else if (this.#hedges.has(number) && this.#first) span.addLink({ context: this.#first });
  }

  /** @param {string} hook @param {any} event */
  on(hook, { attempt, name, hedge, error, delayMs, reason }) {
    switch (hook) {
      case 'onAttempt':
        if (hedge) this.#hedges.add(attempt);
        if (hedge || this.always) this.#begin(name);
        break;
      case 'onFailure':
        this.event('rejitter.attempt.failed', { 'rejitter.attempt': attempt, ...failureOf(error) });
        break;
      case 'onRetry':
        this.#begin(name);
        this.event('rejitter.wait', { 'rejitter.attempt': attempt, 'rejitter.delay_ms': delayMs });
        break;
      case 'onSuccess':
        this.#end(attempt);
        break;
      default:
        if (this.always) this.#begin(name);
        this.span?.setAttributes({ 'rejitter.reason': reason, ...failureOf(error) });
        this.span?.setStatus({ code: ERROR, message: reason });
        this.#end(attempt);
    }
  }

  /** @param {number} attempts */
  #end(attempts) {
    this.span?.setAttribute('rejitter.attempts', attempts);
    this.span?.end();
  }
}

/** Classes and codes only: messages may hold secrets. @param {any} error */
function failureOf(error) {
  try {
    const type = error?.status ?? error?.code ?? error?.name;
    return type === undefined ? {} : { 'error.type': `${type}` };
  } catch {
    return {};
  }
}
