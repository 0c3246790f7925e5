//! The width and the decimals that the template of a key sets for a number.

/// The width and the decimals that a template sets: `{n:06}`, `{price:06.2}` or `{price:.2}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pad {
    /// The width of the whole text; 0 if the template sets no width.
    pub width: usize,
    /// The number of digits after the point; `None` if the template does not set it.
    pub decimals: Option<usize>,
}

impl Pad {
    /// `{n:06}`
    pub const fn to_width(width: usize) -> Self {
        Pad {
            width,
            decimals: None,
        }
    }

    /// `{price:06.2}`, or with the width 0 `{price:.2}`
    pub const fn with_decimals(width: usize, decimals: usize) -> Self {
        Pad {
            width,
            decimals: Some(decimals),
        }
    }

    /// Reads the first word of a format: `06`, `06.2` or `.2`. Returns `None` for other words.
    pub(crate) fn read_pad(format: &str) -> Option<Self> {
        let word = format.split(':').next()?;
        let (width, decimals) = match word.split_once('.') {
            Some((width, decimals)) => (width, Some(read_digits(decimals)?)),
            None => (word, None),
        };
        let width = match (width.strip_prefix('0'), decimals) {
            (Some(width), _) => read_digits(width)?,
            (None, Some(_)) if width.is_empty() => 0,
            (None, _) => return None,
        };
        Some(Pad { width, decimals })
    }
}

/// Parses digits only, because Rust would also accept a sign before them.
fn read_digits(text: &str) -> Option<usize> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}
