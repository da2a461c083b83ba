// Failures are known by what other people's errors say: in their `code name: message`, unless a comment says
// otherwise, and as short as it is unmistakable. Case tells nearly none of it apart. It stands together because it is
// most of what an app gets of this folder, and compresses best so.

/**
 * Words of failures before the first byte. Beginnings: codes, the last two of which are Bun's. Then messages of Node
 * (the server hung up in the TLS handshake), Bun, Deno and Safari up to 16; of proxies that refuse a tunnel, and of
 * streams of HTTP/2 that the server refused before it read them (RFC 9113, 8.7); calls of the system.
 */
export const UNPROCESSED_TEXTS =
  /^(econnref|enotf|eai_|und_err_conn|connectionref|failedtoo)|before sec|unable to connect\.|was there a t|error \(connect\)|could not connect to the s|a server with the s|proxy re|refused.stream|\n(connect|getaddrinfo)$/i;

/**
 * Words of failures of the network, in the message alone. Whole messages to which an engine may append a host or a
 * reason ("Load failed (example.com)" is WebKit's, "Load failed: no such file" is not), then beginnings that no other
 * message has. Of Chromium (the second while it reads a body); Firefox; WebKit, whose service workers put "FetchEvent…"
 * before a failure that they pass on, and whose streams put its name there, and which before Safari 17 let the system's
 * own words out; Node, whose undici wraps three; Deno; Bun, which puts a code in front or "fetching" behind; workerd;
 * React Native and polyfills over XMLHttpRequest.
 */
export const NETWORK_MESSAGES =
  /^(fetchevent.*: typeerror: |\w+: )?((failed to fetch|network error|load failed|fetch failed|terminated|unable to connect|error sending request|unexpected end of file)(\.|$| \(| for | from | - )|(\w+ )?e(ai_|conn|host|net|notf|pipe|timed|of)|networkerror w|error reading a b|content-length header of n|gzip c|\w+ fetching "|response served by s|could not connect to the s|a server with the s|the (network|internet|socket) connection|(the )?request timed out| ?a network err|was there a t|network request f)/i;

/**
 * Words of failures of the network for `isTransientError`. Beginnings: codes of Node, c-ares, undici, HTTP's parser and
 * OpenSSL, gaxios's code of its own timeout; names, and names with messages of clients of HTTP, of ioredis, KafkaJS,
 * redis and pg. Then parts: codes of Chromium, whose messages are those of Electron, Playwright and Puppeteer; messages
 * of workerd, Node, node-fetch, of undici where Elasticsearch's client drops its codes, and what Expo puts before the
 * words of iOS and Android; happy-dom.
 */
export const NETWORK_TEXTS =
  /^(e(ai_|conn|host|net|notf|pipe|proto e|servf)|(?!er_q|err_sc)\S*timed?out |hpe_|und_err_|err_(http2_(\w*ses|stream_[ce])|ssl_|stream_prem|proxy_tun)|\S* ?timeouterror|\S* ((network|read)error:|maxretriesper|kafkajsconnectionc|axioserror: stream |error: (command timed|client has e|stream isn't w|socket (closed un|timeout t)|the client is o|timeout (e|waiting for a c)|connection (terminated [ud]|timeout$)|query read t)))|net::err_(?!f)|: (internal error; ref|other side c|\w+ timeout er|socket hang|network timeout a|network connection l|fetch failed: (?!the op))|body\. error: ab/i;

/**
 * Words of failures that stay. Beginnings: names; codes of Bun, Node, OpenSSL and undici. Then parts: codes of all
 * hosts; messages of Node's causes, Deno and Bun; an XMLHttpRequest that the page left; HTTP/2's answers that stay the
 * same; proxies that refuse a tunnel for good; OkHttp, iOS and Expo.
 */
export const HOPELESS_TEXTS =
  /^(\S*( (abort(?!.*proxy)|cancel|reference)|redirect|overflow)|unable_to|invalid_[cp]|hostname_m|und_err_(req_|res_e|not_|des|clo)|err_ssl_\S*(version|failure|proto|no_))|_cert|cert(_|ifi)|err_invalid_(?!http_r|chu|res)|_(denied|scheme|unsafe|too_b|bailout)|::err_(ab|bl|ssl)|[nlt] scheme|bad port|redirect (count|w)|[dtyfnp] redirect|cors fail|cross origin|invalid method|the data url|too.many.([tf]|red)|integrity m|not implemented\.|unsupported [pu]|head(ers| is )too|corrupt m|fatal alert: (?!inte|us|cl)|wrong version|: request aborted$|error code (1$|nghttp2_p)|unspecific|(_|s )http.1.1|proxy (auth|re\D+(?!408|429|5)\d)|\.net\.(ssl|unknowns)|est has been c/i;

/**
 * Beginnings of failures of databases and the AWS SDK. Codes of PostgreSQL (connections, resources, shutdowns,
 * serialization, deadlocks, locks; a wrong number of parameters has the code of PgBouncer's lost connections), MySQL
 * (deadlocks, locks, too many connections, shutdowns), mysql2 and Prisma. The SDK's name of requests that came too
 * slowly. Replies of Redis (those that its client for Go retries), which have a name of their own in ioredis alone;
 * their case tells them from other messages.
 */
export const FAILURES =
  /^(53...|08([^P]..|P01 .*: server conn)|57P0[1235]|40(001|P01)|55P03|ER_(LOCK_[DN]|CON_C|TOO_MANY_U|SERVER_S)|PROTOCOL_CON|P(10(0[128]|17)|20(24|3[47]))|\S* (\w*RequestTimeout|(Reply)?Error: (LOADING|READONLY|(MAST|CLUST)ERDOWN|TRYAGAIN|ERR max) ))/;

/** Names of the AWS SDK, which throttles with status 400 and 503; of Slack's client, and of Discord's. */
export const THROTTLED =
  /^(\w*(throttl|throughput|requestlimit|slowdown)|limitexceedede|bandwidthl|priorreq|toomanyrequestse|transactioninp|webapirate|ratelimiterror\[)/i;

/** Codes of an exhausted account of a models' service, whose 429 no wait fixes, and of a body that zlib cannot read. */
export const STAYING = /\b(insufficient_q|credit_bal|billing_[hn]|access_ter|z_data)/i;

/** What such services send in the midst of a stream. */
export const INTERRUPTED = /\b(server|overloaded|rate_limit|api)_error/;

/**
 * Beginnings of names, and of the codes of Node's and undici's failures of the network: there was no answer. Case tells
 * these from names such as EConnectorError, which a server's answer may have.
 */
export const UNANSWERED = /^(Abort|TypeE|E(AI_|CONN|HOST|NET|NOTF|PIPE|TIMED)|UND_ERR_[^R])/m;

/** Names of errors that say nothing of the network: aborts, what a program may not do or cannot read. */
export const OTHER_NAMES = /abort|^(cancel|reference|syntax|range|invalid|not)/i;
