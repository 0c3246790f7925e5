//! Bytes as hexadecimal digits.

use std::fmt::Write;

/// The bytes as digits in lower case, two for each.
pub(crate) fn hex_digits(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a text never fails.
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

/// The digits of the first bytes.
pub(crate) fn first_digits(bytes: &[u8], count: usize) -> String {
    hex_digits(bytes.get(..count).unwrap_or(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_has_two_digits() {
        assert_eq!(hex_digits(&[0, 9, 10, 16, 255]), "00090a10ff");
        assert_eq!(first_digits(&[1, 2, 3], 2), "0102");
        assert_eq!(first_digits(&[1], 2), "01");
    }
}
