//! What a failed `fetch` failed of, told from the texts and codes of the engines.
//!
//! `fetch` says of every network failure the same: a `TypeError`. So does a bug of the caller's
//! own. What tells them apart are the message, which each engine has its own of, and the codes
//! that Node, Deno and Bun put on the error or on its cause.

/// What is known of a failure. The greater says more: of an error and its causes it counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NetworkFailure {
    /// No engine says this of the network: a mistake of the caller's, or something else entirely.
    Unknown,
    /// The network or the server failed, and the request may have been processed.
    Network,
    /// The connection was never made, so nothing was processed.
    Unprocessed,
    /// Another attempt would fail likewise: certificates, schemes, redirects without end, bad
    /// arguments.
    Hopeless,
}

/// Codes that say that no connection was made. Those of Bun are its own words.
const UNPROCESSED_CODES: &[&[u8]] = &[
    b"ECONNREFUSED",
    b"ENOTFOUND",
    b"UND_ERR_CONNECT_TIMEOUT",
    b"ConnectionRefused",
    b"FailedToOpenSocket",
];
const UNPROCESSED_PREFIXES: &[&[u8]] = &[b"EAI_"];
/// Calls that come before the first byte of a request.
const UNPROCESSED_SYSCALLS: &[&[u8]] = &[b"connect", b"getaddrinfo"];
const UNPROCESSED_TEXTS: &[&[u8]] = &[
    // Node: the server hung up in the TLS handshake.
    b"Client network socket disconnected before secure TLS connection",
    // Bun.
    b"Unable to connect. Is the computer able to access the url?",
    b"Was there a typo in the url or port?",
    // Deno.
    b"tcp connect error",
    b"dns error",
    // Safari up to 16.
    b"Could not connect to the server.",
    b"A server with the specified hostname could not be found.",
];

const HOPELESS_CODES: &[&[u8]] = &[
    // Certificates (OpenSSL's X509_V_ERR_…, as Node and Bun name them).
    b"DEPTH_ZERO_SELF_SIGNED_CERT",
    b"SELF_SIGNED_CERT_IN_CHAIN",
    b"ERR_TLS_CERT_ALTNAME_INVALID",
    b"INVALID_CA",
    b"INVALID_PURPOSE",
    b"HOSTNAME_MISMATCH",
    // Arguments.
    b"UND_ERR_REQ_CONTENT_LENGTH_MISMATCH",
    b"UND_ERR_NOT_SUPPORTED",
    // A dispatcher that the caller closed.
    b"UND_ERR_DESTROYED",
    b"UND_ERR_CLOSED",
    // Redirects, in Bun.
    b"TooManyRedirects",
    b"UnexpectedRedirect",
];
const HOPELESS_PREFIXES: &[&[u8]] = &[
    b"CERT_",
    b"UNABLE_TO_",
    b"UND_ERR_INVALID_",
    b"ERR_INVALID_",
];
const HOPELESS_TEXTS: &[&[u8]] = &[
    // Node's causes.
    b"unknown scheme",
    b"URL scheme must be a HTTP(S) scheme",
    b"about scheme is not supported",
    b"bad port",
    b"redirect count exceeded",
    b"unexpected redirect",
    b"cors failure",
    b"cross origin not allowed",
    b"invalid method",
    b"failed to fetch the data URL",
    // Deno.
    b"invalid peer certificate",
    b"too many redirects",
    b"Maximum number of redirects",
    // Bun.
    b"redirected too many times",
];

const NETWORK_CODES: &[&[u8]] = &[
    b"ECONNRESET",
    b"ECONNABORTED",
    b"EPIPE",
    b"ETIMEDOUT",
    b"ENETDOWN",
    b"ENETRESET",
    b"ENETUNREACH",
    b"EHOSTDOWN",
    b"EHOSTUNREACH",
    b"EPROTO",
    b"ERR_STREAM_PREMATURE_CLOSE",
    b"ConnectionClosed",
    b"ConnectionReset",
];
/// undici, Node's HTTP parser, HTTP/2, TLS.
const NETWORK_PREFIXES: &[&[u8]] = &[b"UND_ERR_", b"HPE_", b"ERR_HTTP2_", b"ERR_SSL_"];
/// The whole message, or what it begins with when the engine appends the host or a reason.
const NETWORK_TEXTS: &[&[u8]] = &[
    // Chromium: "Failed to fetch", "Failed to fetch (host)"; "network error" while reading.
    b"Failed to fetch",
    b"network error",
    // Firefox.
    b"NetworkError when attempting to fetch resource.",
    // WebKit: "Load failed", "Load failed (host)"; before Safari 17 the system's own words.
    b"Load failed",
    b"The network connection was lost.",
    b"The Internet connection appears to be offline.",
    b"The request timed out.",
    // WebKit: a service worker answered with `Response.error()`.
    b"Response served by service worker is an error",
    // Node: undici, and what lies below.
    b"fetch failed",
    b"terminated",
    b"other side closed",
    b"socket hang up",
    // Deno.
    b"error sending request",
    // Bun.
    b"The socket connection was closed unexpectedly",
    // workerd.
    b"Network connection lost.",
    // React Native, and polyfills over XMLHttpRequest.
    b"Network request failed",
];

/// Safari says this before the words of a fetch that failed in a service worker, which handed it on.
const FROM_WORKER: &[u8] = b"FetchEvent.respondWith received an error: TypeError: ";

impl NetworkFailure {
    /// Judges one error by its `code`, `syscall` and `message`, each empty if it has none. An
    /// error's causes are judged one by one.
    #[must_use]
    pub fn of(code: &[u8], syscall: &[u8], message: &[u8]) -> Self {
        let message = message.strip_prefix(FROM_WORKER).unwrap_or(message);
        if any(HOPELESS_CODES, code, is)
            || any(HOPELESS_PREFIXES, code, starts)
            || any(HOPELESS_TEXTS, message, contains)
        {
            Self::Hopeless
        } else if any(UNPROCESSED_CODES, code, is)
            || any(UNPROCESSED_PREFIXES, code, starts)
            || any(UNPROCESSED_SYSCALLS, syscall, is)
            || any(UNPROCESSED_TEXTS, message, contains)
        {
            Self::Unprocessed
        } else if any(NETWORK_CODES, code, is)
            || any(NETWORK_PREFIXES, code, starts)
            || any(NETWORK_TEXTS, message, begins)
        {
            Self::Network
        } else {
            Self::Unknown
        }
    }
}

/// Whether the text and any entry of a table are so related. Called, not inlined: many small loops
/// are most of the wasm file otherwise.
#[inline(never)]
fn any(table: &[&[u8]], text: &[u8], related: fn(&[u8], &[u8]) -> bool) -> bool {
    table.iter().any(|entry| related(text, entry))
}

fn is(text: &[u8], entry: &[u8]) -> bool {
    text == entry
}

fn starts(text: &[u8], start: &[u8]) -> bool {
    text.starts_with(start)
}

// Not `windows`, which panics for an empty part: in wasm, a panic that cannot happen still brings
// its message and an allocator along.
#[inline(never)]
fn contains(text: &[u8], part: &[u8]) -> bool {
    let mut rest = text;
    loop {
        if rest.starts_with(part) {
            return true;
        }
        let [_, after @ ..] = rest else {
            return false;
        };
        rest = after;
    }
}

/// The whole text, or followed by something in brackets or after punctuation: "Load failed
/// (example.com)" but not "Load failed: see the list of files".
fn begins(text: &[u8], start: &[u8]) -> bool {
    let Some(rest) = text.strip_prefix(start) else {
        return false;
    };
    let ends_a_sentence = start.last() == Some(&b'.');
    rest.is_empty()
        || ends_a_sentence
        || rest.starts_with(b" (")
        // Deno: "error sending request for url (…)", Bun: "… unexpectedly. For more information".
        || rest.starts_with(b" for ")
        || rest.starts_with(b" from ")
        || rest.starts_with(b".")
}
