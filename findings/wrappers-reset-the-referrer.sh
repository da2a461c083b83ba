#!/bin/sh
# Guess: A Request given to ky, ofetch or up-fetch is sent with all of its members, at least if no option is set.
# Found: `credentials` stays, `referrer` and `referrerPolicy` are the page's: any member next to a Request resets them.
# Versions: node@26.10.0 ky@2.1.0 ofetch@1.5.1 up-fetch@2.6.1 fetch-retry@6.0.0
# Day: 2026-11-29
set -eu
grep '^# ' "$0"
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
trap exit HUP INT TERM
echo '{}' > package.json
npm install --silent node@26.10.0 ky@2.1.0 ofetch@1.5.1 up-fetch@2.6.1 fetch-retry@6.0.0

cat > run.mjs <<'EOF'
import fetchRetry from 'fetch-retry';
import ky from 'ky';
import { createFetch } from 'ofetch';
import { up } from 'up-fetch';

const given = () =>
  new Request('http://x.test/', { referrer: '', referrerPolicy: 'origin', credentials: 'omit' });
/** Prints what `fetch` would send. */
const fetch = async (input, init) => {
  const { referrer, referrerPolicy, credentials } = new Request(input, init);
  console.log(`  ${JSON.stringify({ referrer, referrerPolicy, credentials })}`);
  return Response.json({});
};
const senders = {
  fetch: () => fetch(given()),
  'fetch of a copy': () => fetch(given().clone()),
  'fetch-retry': () => fetchRetry(fetch)(given()),
  ky: () => ky(given(), { fetch, timeout: false }),
  ofetch: () => createFetch({ fetch })(given()),
  'up-fetch': () => up(fetch)(given()),
};
for (const [name, send] of Object.entries(senders)) {
  console.log(name);
  await send();
}
EOF
node_modules/.bin/node run.mjs | tee seen
diff - seen <<'EOF'
fetch
  {"referrer":"","referrerPolicy":"origin","credentials":"omit"}
fetch of a copy
  {"referrer":"","referrerPolicy":"origin","credentials":"omit"}
fetch-retry
  {"referrer":"","referrerPolicy":"origin","credentials":"omit"}
ky
  {"referrer":"about:client","referrerPolicy":"","credentials":"omit"}
ofetch
  {"referrer":"about:client","referrerPolicy":"","credentials":"omit"}
up-fetch
  {"referrer":"about:client","referrerPolicy":"","credentials":"omit"}
EOF
