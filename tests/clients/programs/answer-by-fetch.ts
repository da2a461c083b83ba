import { isTransientError, retry } from 'rejitter';
import { rateLimitHint } from 'rejitter/fetch';

const url = 'https://api.openai.com/v1/chat/completions';
const headers = { 'content-type': 'application/json', authorization: `Bearer ${process.env.OPENAI_API_KEY}` };

/** An error as the SDKs have it: with the members by which it is understood. */
const failed = (message: string, members: object) => Object.assign(new Error(message), members);

/** Shows an answer as it comes; returns its finish reason. */
export const answer = (messages: object[], show: (text: string) => void) =>
  retry(
    async (attempt) => {
      const body = JSON.stringify({ model: 'gpt-6.2-sol', messages, stream: true });
      const response = await fetch(url, { method: 'POST', headers, body, signal: attempt.signal });
      if (!response.ok || !response.body) {
        const { error } = await response.json().catch(() => ({ error: undefined }));
        throw failed(`status ${response.status}`, { status: response.status, headers: response.headers, ...error });
      }
      let rest = '';
      let reason: string | undefined;
      // What is watched are pieces of text: the comments that keep a connection alive count, too.
      for await (const piece of attempt.watch(response.body.pipeThrough(new TextDecoderStream()))) {
        const lines = (rest + piece).split(/\r?\n/);
        rest = lines.pop() ?? '';
        for (const line of lines) {
          const data = /^data: ?(.*)/.exec(line)?.[1];
          if (data === '[DONE]' && reason) return reason;
          if (data === undefined || data === '[DONE]') continue;
          const { choices = [], error } = JSON.parse(data);
          if (error) throw failed(error.message, error);
          const text = choices[0]?.delta?.content;
          reason = choices[0]?.finish_reason ?? reason;
          if (!text) continue;
          attempt.commit();
          show(text);
        }
      }
      if (reason) return reason;
      throw failed('the stream has no end', { code: 'ERR_STREAM_PREMATURE_CLOSE' });
    },
    {
      retryIf: isTransientError,
      hint: rateLimitHint,
      idleTimeoutMs: { firstMs: 60_000, thenMs: 20_000 },
      totalTimeoutMs: 300_000,
    },
  );
