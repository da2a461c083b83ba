import { permanent, retryAfter } from 'rejitter';
import { retryAfterMs } from 'rejitter/fetch';
import { keepConnected } from 'rejitter/reconnect';
import type { ReconnectOptions } from 'rejitter/reconnect';

type Handle = (data: string, type: string) => void;

export function keepEvents(url: string, handle: Handle, options?: ReconnectOptions, silenceMs = 60_000) {
  let lastId = '';
  let retryMs = 0;
  return keepConnected<void>(async ({ signal, opened, alive, finish }) => {
    const headers = { accept: 'text/event-stream', ...(lastId && { 'last-event-id': lastId }) };
    const response = await fetch(url, { signal, headers, cache: 'no-store' });
    const { status, body } = response;
    if (status === 204) return finish();
    if (status !== 200 || !body) {
      const error = Object.assign(new Error(`status ${status}`), { status });
      void body?.cancel();
      if (status < 500 && ![408, 425, 429].includes(status)) throw permanent(error);
      throw retryAfter(retryAfterMs(response) ?? 0, error);
    }
    opened({ silenceMs });
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    let event = { type: '', data: [] as string[] };
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw retryAfter(retryMs, new Error('the stream ended'));
      alive();
      const lines = (rest + value).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const [, field, text = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
        if (field === 'data') event.data.push(text);
        if (field === 'event') event.type = text;
        if (field === 'id' && !text.includes('\0')) lastId = text;
        if (field === 'retry' && /^\d+$/.test(text)) retryMs = Number(text);
        if (line !== '') continue;
        if (event.data.length > 0) handle(event.data.join('\n'), event.type || 'message');
        event = { type: '', data: [] };
      }
    }
  }, options);
}
