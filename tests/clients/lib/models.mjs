// A server of language models that misbehaves, in the forms of OpenAI's chat completions and responses, and of
// Anthropic's messages. It bills, and it has a tool that pays.

import { network } from './network.mjs';

export const WORDS = 'The quick brown fox jumps over the lazy dog'.split(' ').map((word, i) => (i ? ` ${word}` : word));
export const ANSWER = WORDS.join('');
/** What a request costs, in tokens, before the first token of its answer. */
export const PROMPT = 10;

const JSON_TYPE = { 'content-type': 'application/json' };
const STREAM_TYPE = { 'content-type': 'text/event-stream' };
const event = (type, data) => `${type ? `event: ${type}\n` : ''}data: ${JSON.stringify(data)}\n\n`;

/** The forms of an answer: its texts before, at and after each token, of an error, and as a whole. */
const CHAT = {
  bills: true,
  start: () => event('', chunk({ role: 'assistant', content: '' })),
  token: (text) => event('', chunk({ content: text })),
  end: () => `${event('', chunk({}, 'stop'))}data: [DONE]\n\n`,
  ping: ': keep-alive\n\n',
  error: event('', { error: { type: 'server_error', message: 'The server had an error' } }),
  whole: (message, usage) => ({
    ...{ id: 'c', object: 'chat.completion', created: 1, model: 'm' },
    usage: { prompt_tokens: PROMPT, completion_tokens: usage, total_tokens: PROMPT + usage },
    choices: [{ index: 0, finish_reason: message.tool_calls ? 'tool_calls' : 'stop', message }],
  }),
};
function chunk(delta, finish_reason = null) {
  const choices = [{ index: 0, delta, finish_reason }];
  return { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices };
}

const MESSAGE = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null };
const typed = (type, data = {}) => event(type, { type, ...data });
const MESSAGES = {
  bills: true,
  start: () =>
    typed('message_start', { message: { ...MESSAGE, usage: { input_tokens: PROMPT, output_tokens: 1 } } }) +
    typed('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  token: (text) => typed('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
  end: () =>
    typed('content_block_stop', { index: 0 }) +
    typed('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: WORDS.length } }) +
    typed('message_stop'),
  ping: typed('ping'),
  error: typed('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }),
};

/** The events of a response in the background, each with its number. */
const BACKGROUND = [
  ['response.created', { response: { id: 'resp_1', status: 'in_progress' } }],
  ...WORDS.map((delta) => ['response.output_text.delta', { delta, item_id: 'i', output_index: 0, content_index: 0 }]),
  ['response.completed', { response: { id: 'resp_1', status: 'completed' } }],
].map(([type, data], sequence_number) => typed(type, { sequence_number, ...data }));
const FAILED = typed('error', { code: 'server_error', message: 'The server had an error', sequence_number: 99 });

const EXHAUSTED = { type: 'insufficient_quota', code: 'insufficient_quota', message: 'You exceeded your quota' };
const OVERLOADED = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
const LIMITED = { error: { type: 'rate_limit_error', code: 'rate_limit_exceeded', message: 'Slow down' } };

/** How a server refuses. Each is the status, headers and JSON of a provider. */
export const REFUSALS = {
  'OpenAI, ms': [429, { 'retry-after-ms': '1500', 'x-ratelimit-remaining-requests': '0' }, LIMITED],
  'OpenAI, tokens': [429, { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '6s' }, LIMITED],
  'Anthropic, seconds': [429, { 'retry-after': '7' }, { type: 'error', ...LIMITED }],
  'Anthropic, overloaded': [529, {}, OVERLOADED],
  'Anthropic, overloaded, as it says': [529, { 'x-should-retry': 'true' }, OVERLOADED],
  'a gateway': [503, { 'content-type': 'text/html' }, 'unavailable'],
  'an hour': [429, { 'retry-after': '3600' }, LIMITED],
  'an empty account': [429, {}, { error: EXHAUSTED }],
};

/**
 * Starts the server. `script` says what becomes of each request to a model, the first first; what is behind its end is
 * answered. An entry is a name of REFUSALS, `'hangs'` (no headers), or `{ tokens, then }`: after so many tokens the
 * answer `stalls`, is `cut`, `ends`, or gets an `error` event; `gapMs`: each token comes so much later, with so many
 * `pings` in between; `silent`: there is no event before the first token.
 */
export async function modelServer() {
  /** @type {{ script: any[], requests: any[], billed: number, paid: string[], pays: any[], calls: boolean }} */
  const state = {
    script: [],
    /** The requests to models: what was asked. */
    requests: [],
    /** Tokens. */
    billed: 0,
    /** The keys of the payments that were made, and what becomes of the next requests to pay. */
    paid: [],
    pays: [],
    /** Whether the model calls the tool first. */
    calls: false,
  };
  const known = new Set();

  async function pay({ headers }, reply) {
    const key = headers['idempotency-key'];
    if (!known.has(key)) state.paid.push(key);
    known.add(key);
    if (state.pays.shift() === 'lost') return reply.cut();
    await reply.head(200, JSON_TYPE);
    reply.end('{"paid":true}');
  }

  /** Sends texts as one of the scripts says. */
  async function stream({ tokens = Infinity, then, gapMs = 0, pings = 0, silent = false, form }, texts, end, reply) {
    await reply.head(200, STREAM_TYPE);
    if (form.start && !silent) await reply.write(form.start());
    for (const [i, text] of texts.entries()) {
      if (i >= tokens) break;
      for (let ping = 0; ping < pings; ping += 1) {
        await reply.pause(gapMs / pings);
        await reply.write(form.ping);
      }
      if (pings === 0 && gapMs > 0) await reply.pause(gapMs);
      if (form.bills) state.billed += 1;
      await reply.write(text);
    }
    if (tokens === Infinity || then === undefined) return reply.end(end);
    if (then === 'stalls') return reply.pause();
    if (then === 'cut') return reply.cut();
    reply.end(then === 'error' ? form.error : '');
  }

  async function model({ method, path, body, headers }, reply) {
    const url = new URL(path, 'http://x');
    const ask = body ? JSON.parse(body) : {};
    state.requests.push({ path: url.pathname, ask, headers, method });
    const how = state.script.shift() ?? {};
    if (how === 'hangs') return reply.pause();
    if (typeof how === 'string') {
      const [status, more, json] = REFUSALS[how];
      await reply.head(status, { ...JSON_TYPE, ...more });
      return reply.end(typeof json === 'string' ? json : JSON.stringify(json));
    }
    if (url.pathname.startsWith('/v1/responses')) {
      const after = Number(url.searchParams.get('starting_after') ?? -1);
      if (method === 'POST') state.billed += PROMPT + WORDS.length;
      const events = BACKGROUND.slice(after + 1);
      const tokens = how.tokens === undefined ? Infinity : how.tokens + (method === 'POST' ? 1 : 0);
      return stream({ ...how, tokens, form: { error: FAILED, ping: ': ping\n\n' } }, events, '', reply);
    }
    const form = path === '/v1/messages' ? MESSAGES : CHAT;
    state.billed += PROMPT;
    if (!ask.stream) {
      const called = ask.messages.some(({ role }) => role === 'tool');
      const call = { id: 'call_1', type: 'function', function: { name: 'pay', arguments: '{"cents":100}' } };
      const message = { role: 'assistant', content: ANSWER };
      const tools = state.calls && !called && { content: null, tool_calls: [call, { ...call, id: 'call_2' }] };
      state.billed += WORDS.length;
      if (how.then === 'cut') return reply.cut();
      await reply.head(200, JSON_TYPE);
      if (how.then === 'stalls') {
        await reply.write('{');
        return reply.pause();
      }
      return reply.end(JSON.stringify(CHAT.whole({ ...message, ...tools }, WORDS.length)));
    }
    // It goes on where it was interrupted if it is shown what it said.
    const said = ask.messages.findLast(({ role }) => role === 'assistant')?.content ?? '';
    let length = 0;
    const rest = WORDS.filter((word) => (length += word.length) > said.length);
    return stream({ ...how, form }, rest.map(form.token), form.end(), reply);
  }

  const net = await network((request, reply) => (request.path === '/pay' ? pay : model)(request, reply));
  return Object.assign(state, {
    net,
    /** Forgets what was, and does as a script says from now on. */
    reset(script = [], { pays = [], calls = false } = {}) {
      Object.assign(state, { script: [...script], requests: [], billed: 0, paid: [], pays: [...pays], calls });
      known.clear();
    },
  });
}
