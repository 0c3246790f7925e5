//! The plain request: a POST to `/` with a body in memory and headers of one value each.
//!
//! Its canonical form needs no encoding, trimming or joining. A request that would need them is not plain.

use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use sha2::{Digest, Sha256};

use super::date::Date;
use super::key::Hex;
use super::{DATE, TOKEN};

/// Headers that are never signed, because proxies may change them.
const UNSIGNED: [&str; 3] = ["user-agent", "x-amzn-trace-id", "transfer-encoding"];
/// Headers that are made while signing, and one that may say `aws-chunked`: such bodies are signed piece by piece.
const FOREIGN: [&str; 6] = [
    "authorization",
    "content-encoding",
    "host",
    "x-amz-content-sha256",
    DATE,
    TOKEN,
];

/// A plain request in its canonical form.
pub(super) struct Plain {
    text: String,
    /// The positions of the names of the signed headers in the text.
    names: std::ops::Range<usize>,
}

impl Plain {
    /// None if the request is not plain.
    pub(super) fn read(request: &HttpRequest, token: Option<&str>, date: &Date) -> Option<Self> {
        if request.method() != "POST" {
            return None;
        }
        let host = host(request.uri())?;
        let body = request.body().bytes()?;
        let headers = headers(request, host, token, date)?;
        Some(write(&headers, body))
    }

    pub(super) fn names(&self) -> &str {
        self.text.get(self.names.clone()).unwrap_or_default()
    }

    pub(super) fn digest(&self) -> [u8; 32] {
        Sha256::digest(&self.text).into()
    }
}

fn write(headers: &[(&str, &str)], body: &[u8]) -> Plain {
    const START: &str = "POST\n/\n\n";
    let length: usize = headers.iter().map(|(k, v)| 2 * k.len() + v.len() + 3).sum();
    let mut text = String::with_capacity(START.len() + length + 66);
    text.push_str(START);
    for (name, value) in headers {
        for part in [name, ":", value, "\n"] {
            text.push_str(part);
        }
    }
    text.push('\n');
    let start = text.len();
    for (at, (name, _)) in headers.iter().enumerate() {
        if at > 0 {
            text.push(';');
        }
        text.push_str(name);
    }
    let names = start..text.len();
    text.push('\n');
    text.push_str(Hex::new(&Sha256::digest(body).into()).as_str());
    Plain { text, names }
}

/// The headers to sign, in order.
fn headers<'a>(
    request: &'a HttpRequest,
    host: &'a str,
    token: Option<&'a str>,
    date: &'a Date,
) -> Option<Vec<(&'a str, &'a str)>> {
    let mut headers = Vec::with_capacity(request.headers().len() + 3);
    for (name, value) in request.headers().iter() {
        if UNSIGNED.contains(&name) {
            continue;
        }
        if FOREIGN.contains(&name) || !is_plain(value) {
            return None;
        }
        headers.push((name, value));
    }
    headers.push(("host", host));
    headers.push((DATE, date.text()));
    if let Some(token) = token {
        headers.push((TOKEN, token));
    }
    headers.sort_unstable_by_key(|&(name, _)| name);
    // The values of a repeated header would have to be joined in their order.
    let repeated = headers.windows(2).any(|pair| pair[0].0 == pair[1].0);
    (!repeated).then_some(headers)
}

/// Whether a value is printable ASCII with single spaces and none at the ends. The loop does not end early, so that
/// many bytes are checked at a time.
fn is_plain(value: &str) -> bool {
    let bytes = value.as_bytes();
    let strange = |byte: &u8| !matches!(byte, b' '..=b'~');
    let is_strange = bytes.iter().fold(false, |any, byte| any | strange(byte));
    let pairs = bytes.iter().zip(bytes.get(1..).unwrap_or_default());
    let is_gap = |(one, next): (&u8, &u8)| (*one == b' ') & (*next == b' ');
    let has_gaps = pairs.fold(false, |any, pair| any | is_gap(pair));
    let at_an_end = value.starts_with(' ') || value.ends_with(' ');
    !(is_strange | has_gaps | at_an_end)
}

/// The value of the `Host` header for a URI without path and query.
fn host(uri: &str) -> Option<&str> {
    let (default, rest) = match uri.strip_prefix("https://") {
        Some(rest) => ("443", rest),
        None => ("80", uri.strip_prefix("http://")?),
    };
    let authority = rest.strip_suffix('/').unwrap_or(rest);
    let (host, port) = match authority.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    };
    let known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    if host.is_empty() || !host.bytes().all(known) {
        return None;
    }
    match port {
        Some(port) if !is_port(port) => None,
        Some(port) if port == default => Some(host),
        _ => Some(authority),
    }
}

fn is_port(port: &str) -> bool {
    port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok()
}
