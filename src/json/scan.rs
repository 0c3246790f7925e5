//! Finds the special bytes of JSON strings, eight bytes at a time.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Marks the bytes that are zero by their highest bits. The first mark is exact; bytes after it may be marked
/// wrongly.
const fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word & HIGHS
}

/// Marks the bytes below a space, equally exact.
const fn control_bytes(word: u64) -> u64 {
    word.wrapping_sub(ONES * 0x20) & !word & HIGHS
}

const fn equal_bytes(word: u64, byte: u8) -> u64 {
    zero_bytes(word ^ (ONES * byte as u64))
}

/// Marks the bytes that are not digits, equally exact.
const fn no_digits(word: u64) -> u64 {
    let apart = word ^ (ONES * b'0' as u64);
    (apart.wrapping_add(ONES * (0x80 - 10)) | apart) & HIGHS
}

/// The place, from `from` on, of the first byte that is special, or the length. `in_word` marks such bytes in eight
/// bytes at once, `is_special` tells a single one.
#[inline(always)]
fn find_byte(
    bytes: &[u8],
    from: usize,
    in_word: impl Fn(u64) -> u64,
    is_special: impl Fn(u8) -> bool,
) -> usize {
    let mut at = from;
    while let Some(word) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        let marks = in_word(u64::from_le_bytes(*word));
        if marks != 0 {
            return at + (marks.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    let tail = bytes.get(at..).unwrap_or_default();
    let rest = tail.iter().position(|byte| is_special(*byte));
    rest.map_or(bytes.len(), |rest| at + rest)
}

/// The place of the first quote or backslash from `from` on, or the length: where a string may end.
#[inline(always)]
pub(crate) fn string_end(bytes: &[u8], from: usize) -> usize {
    // Most strings are shorter than these two words, and inlining the first steps saves the call for them.
    let mut at = from;
    for _ in 0..2 {
        let Some(word) = bytes.get(at..).and_then(|rest| rest.first_chunk()) else {
            break;
        };
        let marks = quote_bytes(u64::from_le_bytes(*word));
        if marks != 0 {
            return at + (marks.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    long_string_end(bytes, at)
}

/// Does the same for these bytes, without a call.
#[inline(always)]
pub(crate) fn string_end_in<const N: usize>(bytes: &[u8; N], from: usize) -> usize {
    find_byte(bytes, from, quote_bytes, |byte| {
        matches!(byte, b'"' | b'\\')
    })
}

#[inline(never)]
fn long_string_end(bytes: &[u8], from: usize) -> usize {
    find_byte(bytes, from, quote_bytes, |byte| {
        matches!(byte, b'"' | b'\\')
    })
}

const fn quote_bytes(word: u64) -> u64 {
    equal_bytes(word, b'"') | equal_bytes(word, b'\\')
}

/// How many digits the bytes begin with.
#[inline(always)]
pub(crate) fn digits_end(bytes: &[u8]) -> usize {
    find_byte(bytes, 0, no_digits, |byte| !byte.is_ascii_digit())
}

/// How many bytes need no escape in a string: up to a quote, a backslash or a control character.
#[inline]
pub(crate) fn plain_run(bytes: &[u8]) -> usize {
    find_byte(
        bytes,
        0,
        |word| quote_bytes(word) | control_bytes(word),
        |byte| byte < b' ' || matches!(byte, b'"' | b'\\'),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_special_byte_is_found_wherever_it_stands() {
        let text = "0123456789abcdefghijklmn\u{7f}\u{e9}\u{10ffff}";
        for at in 0..text.len() {
            for stop in 0..=255u8 {
                let mut bytes = text.as_bytes().to_vec();
                bytes[at] = stop;
                let quote = |byte: &u8| matches!(byte, b'"' | b'\\');
                let special = |byte: &u8| *byte < b' ' || quote(byte);
                let first =
                    |is: &dyn Fn(&u8) -> bool| bytes.iter().position(is).unwrap_or(bytes.len());
                assert_eq!(string_end(&bytes, 0), first(&quote), "{stop} at {at}");
                assert_eq!(
                    string_end(&bytes, at),
                    first(&quote).max(at),
                    "{stop} at {at}"
                );
                assert_eq!(plain_run(&bytes), first(&special), "{stop} at {at}");
                let mut digits = vec![b'7'; text.len()];
                digits[at] = stop;
                let ends = digits.iter().position(|byte| !byte.is_ascii_digit());
                assert_eq!(digits_end(&digits), ends.unwrap_or(digits.len()));
            }
        }
    }
}
