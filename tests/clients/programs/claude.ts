import Anthropic from '@anthropic-ai/sdk';
import { isTransientError, retry } from 'rejitter';
import { rateLimitHint } from 'rejitter/fetch';
import { heard } from './pings.mjs'; // a sample of the guide: docs/guide/language-models.md

const anthropic = new Anthropic({ maxRetries: 0 });
const GO_ON = 'Your answer broke off there. Go on with the very next character, without any other word.';

/** Shows an answer as it comes. After a break, the model goes on behind what was shown. */
export function ask(question: string, show: (text: string) => void): Promise<string> {
  let answer = '';
  return retry(
    async (attempt) => {
      const messages: Anthropic.MessageParam[] = [{ role: 'user', content: question }];
      if (answer) messages.push({ role: 'assistant', content: answer }, { role: 'user', content: GO_ON });
      const client = anthropic.withOptions({ fetch: heard(attempt) });
      const request = { model: 'claude-sonnet-5-5', max_tokens: 4000, messages, stream: true } as const;
      const stream = await client.messages.create(request, { signal: attempt.signal });
      for await (const event of attempt.watch(stream)) {
        if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') {
          answer += event.delta.text;
          show(event.delta.text);
          attempt.progress(); // the next attempt need not say this again
        }
        if (event.type === 'message_stop') return answer;
      }
      throw Object.assign(new Error('the stream has no end'), { code: 'ERR_STREAM_PREMATURE_CLOSE' });
    },
    {
      retryIf: isTransientError,
      hint: rateLimitHint,
      idleTimeoutMs: { firstMs: 60_000, thenMs: 20_000 },
      totalTimeoutMs: 300_000,
    },
  );
}
