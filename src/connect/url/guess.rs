//! Suggestions for URLs that are nearly right.

use crate::error::nearest_word;

/// The URL that was probably meant.
pub(super) fn guess_url(url: &str) -> Option<String> {
    let lower = url.to_ascii_lowercase();
    if matches!(
        lower.as_str(),
        "memory" | ":memory:" | "embedded" | "embedded-memory"
    ) {
        return Some("embedded:memory".into());
    }
    if matches!(lower.as_str(), "localhost" | "local") {
        return Some("http://localhost:8000".into());
    }
    if looks_like_region(&lower) {
        return Some(format!("aws://{lower}"));
    }
    if lower.ends_with(".db") || lower.ends_with(".sqlite") {
        let path = url.split_once(':').map_or(url, |(_, path)| path);
        return Some(format!("embedded:{path}"));
    }
    let scheme_ends = url.find([':', '/']).unwrap_or(url.len());
    let (scheme, rest) = url.split_at(scheme_ends);
    // `localhost:8000` has the form of a scheme with a path, so it is recognized by its port.
    let host_and_port = rest
        .strip_prefix(':')
        .is_some_and(|port| port.parse::<u16>().is_ok());
    if host_and_port && !scheme.is_empty() {
        return Some(format!("http://{url}"));
    }
    let rest = rest.trim_start_matches([':', '/']);
    match nearest_word(
        &scheme.to_ascii_lowercase(),
        &["embedded", "https", "http", "aws"],
    )? {
        "embedded" => Some(format!("embedded:{rest}")),
        "aws" if rest.is_empty() => Some("aws".into()),
        scheme if rest.is_empty() => Some(format!("{scheme}://localhost:8000")),
        scheme => Some(format!("{scheme}://{rest}")),
    }
}

/// Whether the text has the form of a region, such as `eu-central-1` or `us-gov-west-1`.
pub(super) fn looks_like_region(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let Some((number, words)) = parts.split_last() else {
        return false;
    };
    words.len() >= 2
        && number.parse::<u8>().is_ok()
        && words
            .iter()
            .all(|word| word.len() >= 2 && word.bytes().all(|b| b.is_ascii_lowercase()))
}
