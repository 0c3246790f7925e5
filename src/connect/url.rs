//! Parses connection URLs, without accessing anything.

mod guess;
#[cfg(test)]
mod tests;

use std::net::IpAddr;

use crate::error::{Error, Result, nearest_word};
use guess::{guess_url, looks_like_region};

/// The forms of a URL, for messages.
pub(crate) const FORMS: &str = "write one of embedded:memory, embedded:PATH, http://HOST:PORT, \
                                https://HOST, aws, aws://REGION, aws://REGION?profile=NAME";

/// The connection that a URL describes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ConnectTarget {
    Memory,
    File(String),
    Endpoint {
        url: String,
        region: Option<String>,
    },
    Aws {
        region: Option<String>,
        profile: Option<String>,
        endpoint: Option<String>,
    },
}

impl ConnectTarget {
    /// Whether it is in this process, or at an address of this machine.
    pub(super) fn is_local(&self) -> bool {
        match self {
            ConnectTarget::Memory | ConnectTarget::File(_) => true,
            ConnectTarget::Endpoint { url, .. } => is_loopback(url),
            ConnectTarget::Aws { .. } => false,
        }
    }
}

fn is_loopback(url: &str) -> bool {
    let host = url.split_once("://").map_or(url, |(_, host)| host);
    let name = match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => name,
        _ => host,
    };
    let address = name.trim_start_matches('[').trim_end_matches(']');
    let is_name = address.eq_ignore_ascii_case("localhost");
    is_name
        || address
            .parse()
            .is_ok_and(|address: IpAddr| address.is_loopback())
}

pub(super) fn parse(url: &str) -> Result<ConnectTarget> {
    let url = url.trim();
    let target = if url == "aws" {
        aws("")
    } else if let Some(rest) = url.strip_prefix("aws://") {
        aws(rest)
    } else if let Some(path) = url.strip_prefix("embedded:") {
        embedded(path)
    } else if url.starts_with("http://") || url.starts_with("https://") {
        endpoint(url)
    } else {
        Err(Wrong::maybe(
            "it has none of the known forms",
            guess_url(url),
        ))
    };
    target.map_err(|wrong| wrong.into_error(url))
}

/// Why a URL cannot be used, and what was probably meant.
#[derive(Debug, thiserror::Error)]
#[error("{reason}.{} In general: {FORMS}", self.suggestion())]
struct Wrong {
    reason: String,
    meant: Option<String>,
}

impl Wrong {
    fn new(reason: impl Into<String>) -> Self {
        Wrong::maybe(reason, None)
    }

    fn maybe(reason: impl Into<String>, meant: Option<String>) -> Self {
        Wrong {
            reason: reason.into(),
            meant,
        }
    }

    fn into_error(self, url: &str) -> Error {
        // The text before an @ may be a password.
        let url = if url.contains('@') { "..." } else { url };
        Error::config(format!("`{url}` is no connection URL: {self}"))
    }

    fn suggestion(&self) -> String {
        // The suggestion repeats parts of the URL, so it may contain a password too.
        let meant = self.meant.iter().find(|meant| !meant.contains('@'));
        meant.map_or_else(String::new, |meant| format!(" Did you mean `{meant}`?"))
    }
}

fn embedded(path: &str) -> Result<ConnectTarget, Wrong> {
    let meant = |path: &str| Some(format!("embedded:{path}"));
    match path {
        "memory" => Ok(ConnectTarget::Memory),
        "" => Err(Wrong::maybe("the path is missing", meant("memory"))),
        ":memory:" => Err(Wrong::maybe("that is SQLite's word", meant("memory"))),
        _ if path.eq_ignore_ascii_case("memory") => Err(Wrong::maybe(
            "the word is written in lower case",
            meant("memory"),
        )),
        _ if path.starts_with("//") => {
            let rest = path.trim_start_matches("//");
            Err(Wrong::maybe(
                "a path follows the colon at once",
                meant(rest),
            ))
        }
        // A question mark is probably meant as the start of parameters.
        _ if path.contains(['?', '\0']) => {
            Err(Wrong::new("a path takes no parameters and holds no `?`"))
        }
        _ => Ok(ConnectTarget::File(path.to_owned())),
    }
}

fn endpoint(url: &str) -> Result<ConnectTarget, Wrong> {
    let (address, query) = split_query(url);
    let (scheme, rest) = address.split_once("://").unwrap_or((address, ""));
    let host = rest.strip_suffix('/').unwrap_or(rest);
    if host.contains('@') {
        return Err(Wrong::new(
            "credentials do not belong into it, set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
        ));
    }
    if host.contains(['/', '#']) {
        let host = host.split(['/', '#']).next().unwrap_or_default();
        let meant = Some(format!("{scheme}://{host}"));
        return Err(Wrong::maybe(
            "DynamoDB is served at the root, without a path",
            meant,
        ));
    }
    check_host(host)?;
    let [region] = parameters(query, ["region"])?;
    let region = region.map(|region| check_region(&region)).transpose()?;
    Ok(ConnectTarget::Endpoint {
        url: format!("{scheme}://{host}"),
        region,
    })
}

fn check_host(host: &str) -> Result<(), Wrong> {
    // An IPv6 address is in brackets, so that its colons are not taken for a port.
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
        _ => (host, None),
    };
    let bracketed = name.starts_with('[') && name.ends_with(']');
    let plain = name
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '-' | '.' | '_'));
    if name.is_empty() || !(plain || bracketed) {
        return Err(Wrong::new("the host is missing or no host"));
    }
    match port.map(str::parse::<u16>) {
        None | Some(Ok(1..)) => Ok(()),
        _ => Err(Wrong::new("the port is no number from 1 to 65535")),
    }
}

fn aws(rest: &str) -> Result<ConnectTarget, Wrong> {
    let (region, query) = split_query(rest);
    let region = match region {
        "" => None,
        region => Some(check_region(region)?),
    };
    let [profile, endpoint] = parameters(query, ["profile", "endpoint"])?;
    if let Some(url) = &endpoint {
        match url.split_once("://") {
            Some(("http" | "https", host)) => check_host(host.strip_suffix('/').unwrap_or(host))?,
            _ => return Err(Wrong::new("the endpoint is no http:// or https:// address")),
        }
    }
    Ok(ConnectTarget::Aws {
        region,
        profile,
        endpoint,
    })
}

fn check_region(region: &str) -> Result<String, Wrong> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if region.chars().all(plain) {
        return Ok(region.to_owned());
    }
    let lower: String = region
        .to_ascii_lowercase()
        .chars()
        .filter(|&c| plain(c))
        .collect();
    let meant = looks_like_region(&lower).then(|| format!("aws://{lower}"));
    Err(Wrong::maybe("a region is made of a-z, 0-9 and `-`", meant))
}

fn split_query(text: &str) -> (&str, &str) {
    text.split_once('?').unwrap_or((text, ""))
}

/// The values of the parameters, in the order of their names.
fn parameters<const N: usize>(query: &str, names: [&str; N]) -> Result<[Option<String>; N], Wrong> {
    let mut values = [const { None }; N];
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let Some(at) = names.iter().position(|known| *known == name) else {
            let close = nearest_word(name, &names).map(|known| format!("{known}={value}"));
            let known = names.join(", ");
            return Err(Wrong::maybe(
                format!("the parameter `{name}` is unknown (known: {known})"),
                close,
            ));
        };
        if value.is_empty() {
            return Err(Wrong::new(format!("the parameter `{name}` has no value")));
        }
        if values[at].replace(value.to_owned()).is_some() {
            return Err(Wrong::new(format!("the parameter `{name}` occurs twice")));
        }
    }
    Ok(values)
}
