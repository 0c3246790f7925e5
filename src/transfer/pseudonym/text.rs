//! The pseudonym of a text, by its form.

use super::Pseudonyms;

/// The minimum number of letters of invented words, which have more than 60 random bits.
const LETTERS: usize = 20;

const CONSONANTS: &[u8] = b"bcdfghjklmnpqrstvwxz";
const VOWELS: &[u8] = b"aeiou";

/// The digits of a ULID.
const CROCKFORD: &[u8] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// The largest number of texts of one form that are permuted.
const MOST_TEXTS: u128 = 1 << 126;

impl Pseudonyms {
    pub(super) fn text(&self, text: &str) -> String {
        if text.is_empty() {
            return String::new();
        }
        if is_email(text) {
            return self.words("email", text, true) + "@example.com";
        }
        if is_uuid(text) {
            return self.uuid(text);
        }
        if let Some(time) = self.time_of_year(text) {
            return time;
        }
        if let Some(time) = self.time_of_day(text) {
            return time;
        }
        // A text of digits and capital letters is a code with a fixed form, which must stay one.
        let is_code = text
            .bytes()
            .all(|byte| byte.is_ascii() && !byte.is_ascii_lowercase());
        let code = is_code.then(|| self.code(text)).flatten();
        code.unwrap_or_else(|| self.words("words", text, false))
    }

    /// Invented words with the same capitals, digits and punctuation, or one word.
    fn words(&self, form: &str, text: &str, is_one: bool) -> String {
        let mut stream = self.stream(form, text.as_bytes());
        let mut next = |at: usize| {
            stream.one_of(if at.is_multiple_of(2) {
                CONSONANTS
            } else {
                VOWELS
            })
        };
        let (mut out, mut end, mut letters, mut at) = (String::new(), 0, 0, 0);
        let text = if is_one { "" } else { text };
        let mut digits = self.stream("digits", text.as_bytes());
        let mut at_end = 0;
        for char in text.chars() {
            match char {
                '0'..='9' => {
                    out.push(digits.digit(0));
                    at = 0;
                }
                _ if char.is_ascii_alphabetic() || !char.is_ascii() && !char.is_whitespace() => {
                    let letter = next(at);
                    out.push(if char.is_uppercase() {
                        letter.to_ascii_uppercase()
                    } else {
                        letter
                    });
                    at += 1;
                    letters += 1;
                    (end, at_end) = (out.len(), at);
                }
                other => {
                    out.push(other);
                    at = 0;
                }
            }
        }
        let more: String = (letters..LETTERS)
            .enumerate()
            .map(|(more, _)| next(at_end + more))
            .collect();
        out.insert_str(end, &more);
        out
    }

    /// A text of the same form. `None` if it has no digits or letters, or too many.
    fn code(&self, text: &str) -> Option<String> {
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
        // The first digit of a number stays other than zero, or zero.
        let base = |at: usize, byte: u8| -> Option<(u8, u8)> {
            match byte {
                b'0' if is_number && at == 0 && text.len() > 1 => None,
                b'1'..=b'9' if is_number && at == 0 && text.len() > 1 => Some((b'1', 9)),
                b'0'..=b'9' => Some((b'0', 10)),
                b'A'..=b'Z' => Some((b'A', 26)),
                _ => None,
            }
        };
        let (mut count, mut number) = (1_u128, 0_u128);
        for (at, byte) in text.bytes().enumerate() {
            if let Some((least, among)) = base(at, byte) {
                count = count
                    .checked_mul(u128::from(among))
                    .filter(|count| *count < MOST_TEXTS)?;
                number = number * u128::from(among) + u128::from(byte - least);
            }
        }
        if count == 1 {
            return None;
        }
        let form: String = text
            .chars()
            .map(|char| match char {
                '0'..='9' => '0',
                'A'..='Z' => 'A',
                other => other,
            })
            .collect();
        let mut number = self.permute(&format!("code {form}"), count, number);
        let mut out: Vec<u8> = text.bytes().collect();
        for (at, byte) in out.iter_mut().enumerate().rev() {
            if let Some((least, among)) = base(at, *byte) {
                let digit = u8::try_from(number % u128::from(among)).unwrap_or(0);
                number /= u128::from(among);
                *byte = least + digit;
            }
        }
        String::from_utf8(out).ok()
    }

    /// One character of the same kind.
    pub(super) fn letter(&self, text: &str) -> String {
        let mut stream = self.stream("letter", text.as_bytes());
        let (least, count) = match text.chars().next() {
            Some('0'..='9') => ('0', 10),
            Some('A'..='Z') => ('A', 26),
            Some(char @ 'a'..='z') => {
                let at = self.permute("letter", 26, u128::from(u32::from(char) - u32::from('a')));
                let at = u8::try_from(at).unwrap_or(0);
                return char::from(b'a' + at).to_string();
            }
            Some(_) => ('a', 26),
            None => return String::new(),
        };
        match self.code(text) {
            Some(code) if least != 'a' => code,
            _ => char::from_u32(u32::from(least) + stream.below(count))
                .unwrap_or('x')
                .to_string(),
        }
    }

    pub(super) fn ulid(&self, text: &str) -> String {
        let mut stream = self.stream("ulid", text.as_bytes());
        let chars = text.chars().enumerate();
        // The first digit has only three bits.
        chars
            .map(|(at, _)| stream.one_of(if at == 0 { b"01234567" } else { CROCKFORD }))
            .collect()
    }

    /// Other hexadecimal digits, with the same version and variant, in the same case.
    fn uuid(&self, text: &str) -> String {
        let lower = text.to_ascii_lowercase();
        let mut stream = self.stream("uuid", lower.as_bytes());
        let is_upper = text.bytes().any(|byte| byte.is_ascii_uppercase());
        let digits: &[u8] = if is_upper {
            b"0123456789ABCDEF"
        } else {
            b"0123456789abcdef"
        };
        let chars = text.chars().enumerate();
        chars
            .map(|(at, char)| match (at, char) {
                (14 | 19, _) | (_, '-') => char,
                _ => stream.one_of(digits),
            })
            .collect()
    }

    /// Another day of the same year, and another time of the day. `None` if the text is no date.
    fn time_of_year(&self, text: &str) -> Option<String> {
        let (date, rest) = text.split_at_checked(10)?;
        let bytes = date.as_bytes();
        let is_date = bytes.iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        });
        if !is_date {
            return None;
        }
        let (year, month, day) = (date.get(..4)?, date.get(5..7)?, date.get(8..)?);
        let months = days_of_months(year.parse().ok()?);
        let month: usize = month.parse().ok()?;
        let day: u16 = day.parse().ok()?;
        let days = *months.get(month.checked_sub(1)?)?;
        if day < 1 || day > days {
            return None;
        }
        let time = match rest.chars().next() {
            None => String::new(),
            Some(between @ ('T' | 't' | ' ')) => {
                format!("{between}{}", self.time_of_day(&rest[1..])?)
            }
            Some(_) => return None,
        };
        let before: u16 = months.iter().take(month - 1).sum();
        let all: u16 = months.iter().sum();
        let other = self.permute(
            &format!("day {year}"),
            all.into(),
            u128::from(before + day - 1),
        );
        let mut other = u16::try_from(other).unwrap_or(0);
        for (at, days) in months.iter().enumerate() {
            match other.checked_sub(*days) {
                Some(rest) => other = rest,
                None => return Some(format!("{year}-{:02}-{:02}{time}", at + 1, other + 1)),
            }
        }
        None
    }

    /// Another time of the day, with the same number of digits and the same zone. `None` if the text is no time.
    fn time_of_day(&self, text: &str) -> Option<String> {
        let two = |at: usize, most: u128| -> Option<u128> {
            let text = text.get(at..at + 2)?;
            let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
            let number = is_number.then(|| text.parse().ok()).flatten()?;
            (number < most).then_some(number)
        };
        let (hour, minute) = (two(0, 24)?, two(3, 60)?);
        if text.get(2..3) != Some(":") {
            return None;
        }
        let second = match text.get(5..6) {
            Some(":") => Some(two(6, 60)?),
            _ => None,
        };
        let (head, rest) = text.split_at_checked(if second.is_some() { 8 } else { 5 })?;
        let digits = rest.strip_prefix('.').map_or(0, |rest| {
            rest.bytes().take_while(u8::is_ascii_digit).count()
        });
        let (fraction, zone) = match digits {
            0 => ("", rest),
            1..=30 => rest.split_at_checked(1 + digits)?,
            _ => return None,
        };
        let is_zone = zone.is_empty()
            || zone.eq_ignore_ascii_case("z")
            || zone.starts_with(['+', '-'])
                && zone
                    .bytes()
                    .skip(1)
                    .all(|byte| byte.is_ascii_digit() || byte == b':');
        if !is_zone {
            return None;
        }
        let clock = match second {
            Some(second) => {
                let number = (hour * 60 + minute) * 60 + second;
                let number = self.permute("second of the day", 86_400, number);
                let (minutes, second) = (number / 60, number % 60);
                format!("{:02}:{:02}:{second:02}", minutes / 60, minutes % 60)
            }
            None => {
                let number = self.permute("minute of the day", 1440, hour * 60 + minute);
                format!("{:02}:{:02}", number / 60, number % 60)
            }
        };
        debug_assert_eq!(clock.len(), head.len(), "the same form");
        let fraction = match fraction.get(1..).map(str::parse::<u128>) {
            Some(Ok(number)) => {
                let count = 10_u128.pow(u32::try_from(digits).ok()?);
                let number = self.permute("fraction of a second", count, number);
                format!(".{number:0digits$}")
            }
            _ => String::new(),
        };
        Some(format!("{clock}{fraction}{zone}"))
    }
}

/// Whether the text looks like a mail address.
fn is_email(text: &str) -> bool {
    let Some((name, domain)) = text.split_once('@') else {
        return false;
    };
    let is_free =
        |char: char| char.is_whitespace() || char.is_control() || "@,;<>\"".contains(char);
    !name.is_empty() && domain.contains('.') && !text.replacen('@', "", 1).contains(is_free)
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

fn days_of_months(year: u16) -> [u16; 12] {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let february = if is_leap { 29 } else { 28 };
    [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
}
