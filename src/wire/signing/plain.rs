//! The plain request: a POST with a body in memory and headers of one value each.
//!
//! Its canonical form needs no encoding, trimming or joining. A request that would need them is not plain.

use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use sha2::{Digest, Sha256};

use super::date::Date;
use super::key::Hex;

pub(in crate::wire) const DATE: &str = "x-amz-date";
pub(super) const TOKEN: &str = "x-amz-security-token";
/// Headers that are never signed, because proxies may change them.
const UNSIGNED: [&str; 3] = ["user-agent", "x-amzn-trace-id", "transfer-encoding"];
/// Headers that signing adds, and one that may be `aws-chunked`: such bodies are signed in chunks.
const FOREIGN: [&str; 6] = [
    "authorization",
    "content-encoding",
    "host",
    "x-amz-content-sha256",
    DATE,
    TOKEN,
];

/// A plain request in its canonical form.
pub(in crate::wire) struct Plain {
    text: String,
    /// The positions of the names of the signed headers in the text.
    names: std::ops::Range<usize>,
}

impl Plain {
    /// None if the request is not plain.
    #[cfg(feature = "aws")]
    pub(super) fn read_request(
        request: &HttpRequest,
        token: Option<&str>,
        date: &Date,
    ) -> Option<Self> {
        if request.method() != "POST" {
            return None;
        }
        let (host, path) = signed_target(request.uri())?;
        let body = request.body().bytes()?;
        let headers = signed_headers(request, host, token, date.date_time())?;
        Some(write_canonical(path, &headers, body))
    }

    pub(super) fn header_names(&self) -> &str {
        self.text.get(self.names.clone()).unwrap_or_default()
    }

    pub(super) fn canonical_hash(&self) -> [u8; 32] {
        Sha256::digest(&self.text).into()
    }
}

/// The common part of requests that differ only in length, date, token and body.
pub(in crate::wire) struct PlainHead {
    path: Box<str>,
    /// The headers to sign, in order.
    headers: Vec<(Box<str>, HeaderPart)>,
}

/// The value of a header.
enum HeaderPart {
    Fixed(Box<str>),
    Length,
    Date,
    Token,
}

impl PlainHead {
    /// None if requests like this one are not plain.
    pub(in crate::wire) fn read_head(request: &HttpRequest) -> Option<Self> {
        if request.method() != "POST" {
            return None;
        }
        let (host, path) = signed_target(request.uri())?;
        // A token is assumed here, so that its position among the sorted names is known. It is left
        // out below for credentials without one.
        let headers = signed_headers(request, host, Some(""), "")?;
        let headers = headers.into_iter().map(|(name, value)| {
            let part = match name {
                "content-length" => HeaderPart::Length,
                DATE => HeaderPart::Date,
                TOKEN => HeaderPart::Token,
                _ => HeaderPart::Fixed(value.into()),
            };
            (name.into(), part)
        });
        Some(PlainHead {
            path: path.into(),
            headers: headers.collect(),
        })
    }

    /// The canonical form of one of them.
    pub(in crate::wire) fn canonical_request(
        &self,
        length: &str,
        token: Option<&str>,
        date: &Date,
        body: &[u8],
    ) -> Plain {
        let mut headers = Vec::with_capacity(self.headers.len());
        for (name, part) in &self.headers {
            let value = match part {
                HeaderPart::Fixed(value) => value,
                HeaderPart::Length => length,
                HeaderPart::Date => date.date_time(),
                HeaderPart::Token => match token {
                    Some(token) => token,
                    None => continue,
                },
            };
            headers.push((&**name, value));
        }
        write_canonical(&self.path, &headers, body)
    }
}

fn write_canonical(path: &str, headers: &[(&str, &str)], body: &[u8]) -> Plain {
    // Each name occurs twice, in its line and in the list of names. The text never grows beyond
    // this.
    let length: usize = headers.iter().map(|(k, v)| 2 * k.len() + v.len() + 3).sum();
    let mut text = String::with_capacity(path.len() + length + 73);
    for part in ["POST\n", path, "\n\n"] {
        text.push_str(part);
    }
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
fn signed_headers<'a>(
    request: &'a HttpRequest,
    host: &'a str,
    token: Option<&'a str>,
    date: &'a str,
) -> Option<Vec<(&'a str, &'a str)>> {
    let mut headers = Vec::with_capacity(request.headers().len() + 3);
    for (name, value) in request.headers().iter() {
        if UNSIGNED.contains(&name) {
            continue;
        }
        // The SDK's signer replaces, adds or splits these headers by rules of its own.
        if FOREIGN.contains(&name) || !is_plain(value) {
            return None;
        }
        headers.push((name, value));
    }
    headers.push(("host", host));
    headers.push((DATE, date));
    if let Some(token) = token {
        headers.push((TOKEN, token));
    }
    headers.sort_unstable_by_key(|&(name, _)| name);
    // Repeated headers must be joined in their order of arrival, which the unstable sort has lost.
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

/// Host and path as they are signed. None if either would have to be rewritten for that.
fn signed_target(uri: &str) -> Option<(&str, &str)> {
    let (default, rest) = match uri.strip_prefix("https://") {
        Some(rest) => ("443", rest),
        None => ("80", uri.strip_prefix("http://")?),
    };
    let (authority, path) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, "/"),
    };
    is_canonical(path).then_some((signed_host(authority, default)?, path))
}

/// The host that is signed. The SDK signs a user's name and password as a part of it, unless it omits the default port.
fn signed_host<'a>(authority: &'a str, default_port: &str) -> Option<&'a str> {
    let (user, place) = match authority.rsplit_once('@') {
        Some((user, place)) => (user, place),
        None => ("", authority),
    };
    // The colons inside the brackets of an IPv6 address do not begin a port.
    let end = place.rfind(']').map_or(0, |at| at + 1);
    let (name, port) = match place.get(end..)?.find(':') {
        Some(at) => (place.get(..end + at)?, place.get(end + at + 1..)),
        None => (place, None),
    };
    let address = name
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    let known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    let is_known = match address {
        Some(address) => address
            .bytes()
            .all(|byte| byte.is_ascii_hexdigit() || byte == b':'),
        None => name.bytes().all(known),
    };
    let is_user = |byte: u8| known(byte) || matches!(byte, b':' | b'~' | b'%' | b'!' | b'*');
    if name.is_empty() || !is_known || !user.bytes().all(is_user) {
        return None;
    }
    match port {
        Some(port) if !is_port(port) => None,
        Some(port) if port == default_port => Some(name),
        _ => Some(authority),
    }
}

/// Whether a path is signed unchanged: without characters to encode, empty parts, and dots to resolve.
fn is_canonical(path: &str) -> bool {
    let is_plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'~' | b'.' | b'/');
    let is_normal = |part: &str| !matches!(part, "" | "." | "..");
    match path.strip_prefix('/') {
        None => false,
        Some("") => true,
        Some(rest) => {
            let parts = rest.strip_suffix('/').unwrap_or(rest);
            path.bytes().all(is_plain) && parts.split('/').all(is_normal)
        }
    }
}

fn is_port(port: &str) -> bool {
    port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok()
}
