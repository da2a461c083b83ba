import { useEffect, useState } from 'react';
import { createFetch } from 'rejitter/fetch';

type State<T> =
  | { status: 'loading' }
  | { status: 'waiting'; until: number }
  | { status: 'done'; data: T }
  | { status: 'failed'; error: unknown };

function useJson<T>(url: string): State<T> {
  const [state, setState] = useState<State<T>>({ status: 'loading' });

  useEffect(() => {
    const stop = new AbortController();
    const fetch = createFetch({
      throwOnStatus: true,
      signal: stop.signal,
      onAttempt: () => setState({ status: 'loading' }),
      onRetry: ({ delayMs }) => setState({ status: 'waiting', until: Date.now() + delayMs }),
    });
    fetch(url)
      .then((response) => response.json())
      .then((data) => setState({ status: 'done', data }))
      .catch((error) => {
        if (!stop.signal.aborted) setState({ status: 'failed', error });
      });
    return () => stop.abort(); // also ends a wait
  }, [url]);

  return state;
}

function Countdown({ until }: { until: number }) {
  const [now, setNow] = useState(Date.now);

  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, []);

  return <>retrying in {Math.max(0, Math.ceil((until - now) / 1000))} s</>;
}

export function User({ id }: { id: number }) {
  const state = useJson<{ name: string }>(`https://example.com/users/${id}`);

  if (state.status === 'waiting') return <Countdown until={state.until} />;
  return state.status === 'done' ? state.data.name : state.status;
}
