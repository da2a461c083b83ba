import { permanent, retryAfter } from 'rejitter';
import { retryAfterMs } from 'rejitter/fetch';
import { keepConnected } from 'rejitter/reconnect';
import type { ReconnectOptions } from 'rejitter/reconnect';

type Handle = (data: string, type: string) => void;

export function keepEvents(url: string, handle: Handle, options?: ReconnectOptions, silenceMs = 60_000) {
  let lastId = ''; // of the last event that was handled
  let retryMs = 0; // at least this long between a connection that is lost and the next
  const lost = (error: unknown) => {
    throw retryAfter(retryMs, error);
  };
  return keepConnected<void>(async ({ signal, opened, alive, finish }) => {
    const headers = { accept: 'text/event-stream', ...(lastId && { 'last-event-id': lastId }) };
    const response = await fetch(url, { signal, headers, cache: 'no-store' }).catch(lost);
    const { status, body } = response;
    if (status === 204) return finish();
    const type = response.headers.get('content-type') ?? 'no type';
    if (status !== 200 || !body || !type.startsWith('text/event-stream')) {
      const error = Object.assign(new Error(`status ${status}, ${type}`), { status });
      void body?.cancel();
      if (status !== 200 && status < 500 && ![408, 425, 429].includes(status)) throw permanent(error);
      throw retryAfter(retryAfterMs(response) ?? retryMs, error); // a 200 of a login page, too
    }
    opened({ silenceMs });
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    let id = lastId;
    let event = { type: '', data: [] as string[] };
    for (;;) {
      const { done, value } = await reader.read().catch(lost);
      if (done) return lost(new Error('the stream ended'));
      alive();
      const lines = (rest + value).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const [, field, text = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
        if (field === 'data') event.data.push(text);
        if (field === 'event') event.type = text;
        if (field === 'id' && !text.includes('\0')) id = text;
        if (field === 'retry' && /^\d+$/.test(text)) retryMs = Number(text);
        if (line !== '') continue;
        if (event.data.length > 0) handle(event.data.join('\n'), event.type || 'message');
        lastId = id;
        event = { type: '', data: [] };
      }
    }
  }, options);
}
