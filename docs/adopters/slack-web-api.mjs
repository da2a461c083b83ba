// Puts rejitter into an installed @slack/web-api 8, in place of p-queue, p-retry and the pauses of its queue:
//
//   node slack-web-api.mjs node_modules/@slack/web-api

import { edit } from './edited.mjs';

const [, , folder] = process.argv;

const more = edit(`${folder}/dist/WebClient.js`, [
  [
    /^const p_queue_1 = .*$/m,
    `const rejitter_1 = require("rejitter");\nconst presets_1 = require("rejitter/presets");`,
  ],
  [/^const p_retry_1 = .*$/m, `const protection_1 = require("rejitter/protection");`],
  [/^const helpers_1 = .*\n/m, ''],
  [
    /^ *\/\*\*\n(?: *\*.*\n)*? *retryConfig;\n[^]*?^( *)requestQueue;$/m,
    '$1/** Limits and retries of all requests. */\n$1requests;',
  ],
  [/^ *this\.retryConfig = retryConfig;\n/m, ''],
  [
    /^( *)this\.requestQueue = .*$/m,
    `$1const protection = (0, protection_1.protect)(
$1    (0, protection_1.limiter)({ concurrency: maxRequestConcurrency, maxQueue: Infinity }));
$1const options = { ...(0, presets_1.pRetryOptions)(retryConfig), maxRetryAfterMs: Infinity, protection };
$1this.requests = new rejitter_1.RetryPolicy(options);`,
  ],
  [/\(\) => this\.requestQueue\.add\((async \(\) => \{)$/m, '$1'],
  [/^( *)\}\);(\n *)return .*\(task, this\.retryConfig\);$/m, '$1};$2return this.requests.run(task);'],
  // The server's wait: no start before it, instead of a pause and a delay, with the backoff on top.
  [
    /^ *\/\/ pause[^]*?\.start\(\);\n( *\/\/.*\n)( *)throw (new Error\(.*\));$/m,
    '$1$2throw (0, rejitter_1.retryAfter)(retrySec * 1000, $3);',
  ],
  [/new p_retry_1\.AbortError(\(new errors_1\.)/, '(0, rejitter_1.permanent)$1'],
  [/new p_retry_1\.AbortError(\(new Error)/, '(0, rejitter_1.permanent)$1'],
  [
    /error instanceof p_retry_1\.AbortError/,
    '(0, rejitter_1.isPermanent)(error) || (0, rejitter_1.isRetryAfter)(error)',
  ],
]);
console.log(`WebClient.js: ${more} lines`);
