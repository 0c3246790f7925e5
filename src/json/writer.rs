//! Writes DynamoDB JSON straight into the request body.
//!
//! It takes one pass: the size of the item by DynamoDB's own rules is counted while bytes are written, so the
//! 400 KB limit is checked before anything is sent.

use crate::json::{CodecError, Number, Parts, scan};

/// How deep lists and maps of an item may nest.
pub(crate) const MAX_DEPTH: usize = 32;
/// How deep they may nest in a request: the service counts the item as the first of its 32 levels.
const MAX_SENT_DEPTH: usize = 31;

/// The name of an attribute, also as a JSON key: `"name":`. The derives make both, so that
/// nothing is escaped at run time.
#[derive(Debug, Clone, Copy)]
pub struct Name {
    pub(crate) text: &'static str,
    pub(crate) json: &'static str,
}

impl Name {
    /// A name and its JSON form.
    pub const fn new(text: &'static str, json: &'static str) -> Self {
        Name { text, json }
    }

    /// A name that only the table knows, so that the derive cannot make its JSON form.
    pub const fn of_table(text: &'static str) -> Self {
        Name { text, json: "" }
    }
}

/// Builds DynamoDB JSON.
#[derive(Debug, Clone)]
pub struct Writer {
    out: Vec<u8>,
    size: usize,
    depth: usize,
    max_depth: usize,
    /// Whether the output is the content of a value that is compressed.
    #[cfg(feature = "compress")]
    is_compressed: bool,
}

impl Default for Writer {
    fn default() -> Self {
        Writer::with_capacity(0)
    }
}

impl Writer {
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Writer {
            out: Vec::with_capacity(bytes),
            size: 0,
            depth: 0,
            max_depth: MAX_DEPTH,
            #[cfg(feature = "compress")]
            is_compressed: false,
        }
    }

    /// A writer for the body of a request, which has to keep the service's limits.
    pub(crate) fn for_request(bytes: usize) -> Self {
        Writer {
            max_depth: MAX_SENT_DEPTH,
            ..Writer::with_capacity(bytes)
        }
    }

    /// A writer for the content of a value that is compressed, within which nothing else is compressed.
    #[cfg(feature = "compress")]
    pub(crate) fn for_compressed() -> Self {
        Writer {
            is_compressed: true,
            ..Writer::for_request(256)
        }
    }

    #[cfg(feature = "compress")]
    pub(crate) fn is_compressed(&self) -> bool {
        self.is_compressed
    }

    /// The bytes that were written.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.out
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.out
    }

    /// Takes back everything written since the output had this length.
    pub(crate) fn rewind_to(&mut self, length: usize) {
        self.out.truncate(length);
        self.depth = 0;
    }

    pub(crate) fn len(&self) -> usize {
        self.out.len()
    }

    /// The output itself, for the key writer.
    pub(crate) fn output_bytes(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    pub(crate) fn add_size(&mut self, bytes: usize) {
        self.size += bytes;
    }

    /// How many bytes were written by DynamoDB's rules since the start or the last
    /// [`restart_size`](Self::restart_size).
    pub(crate) fn stored_size(&self) -> usize {
        self.size
    }

    pub(crate) fn restart_size(&mut self) {
        self.size = 0;
    }

    /// Writes JSON that is not an attribute value: the frame of a request.
    pub(crate) fn push_raw(&mut self, json: &str) {
        self.out.extend_from_slice(json.as_bytes());
    }

    pub(crate) fn raw_bytes(&mut self, json: &[u8]) {
        self.out.extend_from_slice(json);
    }

    /// Writes a JSON string that is not an attribute value.
    pub(crate) fn push_quoted(&mut self, text: &str) {
        self.out.push(b'"');
        escape_into(&mut self.out, text);
        self.out.push(b'"');
    }

    fn write_comma(&mut self) {
        // The last byte tells whether a member precedes, so no state is kept for each level. Texts
        // end with a quotation mark and are never confused with an opening.
        if !matches!(self.out.last(), None | Some(b'{' | b'[')) {
            self.out.push(b',');
        }
    }

    /// Begins the next entry of the open map.
    pub fn name(&mut self, name: &Name) {
        self.write_comma();
        self.out.extend_from_slice(name.json.as_bytes());
        self.count_name(name.text);
    }

    /// Begins the next entry of the open map, with a name known only at run time.
    pub fn dynamic_name(&mut self, name: &str) {
        self.write_comma();
        self.push_quoted(name);
        self.out.push(b':');
        self.count_name(name);
    }

    /// An entry of a nested map costs one byte more than one of the item.
    fn count_name(&mut self, name: &str) {
        // DynamoDB counts one byte more for each entry of a map or a list, but not for the
        // attributes of the item.
        self.size += name.len() + usize::from(self.depth > 0);
    }

    /// Writes an `S`.
    pub fn text(&mut self, text: &str) {
        self.push_raw("{\"S\":\"");
        escape_into(&mut self.out, text);
        self.push_raw("\"}");
        self.size += text.len();
    }

    /// Writes an `S` of plain ASCII without quotes, backslashes or control characters.
    pub(crate) fn plain_text(&mut self, text: &str) {
        self.push_raw("{\"S\":\"");
        self.push_raw(text);
        self.push_raw("\"}");
        self.size += text.len();
    }

    /// Writes the `N` of an integer.
    pub(crate) fn write_integer(&mut self, value: impl itoa::Integer) {
        let mut buffer = itoa::Buffer::new();
        let digits = buffer.format(value);
        self.size += integer_size(digits);
        self.push_raw("{\"N\":\"");
        self.push_raw(digits);
        self.push_raw("\"}");
    }

    /// Writes an `N`.
    pub fn number(&mut self, number: &Number) {
        self.push_raw("{\"N\":\"");
        self.push_raw(number.as_str());
        self.push_raw("\"}");
        self.size += number.size();
    }

    /// Writes the `N` of a number that has no text yet.
    pub(crate) fn write_decimal(&mut self, parts: &Parts<'_>) {
        self.push_raw("{\"N\":\"");
        parts.write_digits(&mut |part| self.push_raw(part));
        self.push_raw("\"}");
        self.size += parts.stored_size();
    }

    /// Writes a `B`.
    pub fn binary(&mut self, bytes: &[u8]) {
        self.push_raw("{\"B\":");
        self.write_base64(bytes);
        self.push_raw("}");
        self.size += bytes.len();
    }

    fn write_base64(&mut self, bytes: &[u8]) {
        self.out.push(b'"');
        base64_simd::STANDARD.encode_append(bytes, &mut self.out);
        self.out.push(b'"');
    }

    /// Writes a `BOOL`.
    pub fn boolean(&mut self, value: bool) {
        self.push_raw(if value {
            "{\"BOOL\":true}"
        } else {
            "{\"BOOL\":false}"
        });
        self.size += 1;
    }

    /// Writes a `NULL`.
    pub fn null(&mut self) {
        self.push_raw("{\"NULL\":true}");
        self.size += 1;
    }

    /// Opens an `L`; call [`element`](Self::element) before each value.
    pub fn open_list(&mut self) -> Result<(), CodecError> {
        self.enter_level()?;
        self.push_raw("{\"L\":[");
        Ok(())
    }

    /// Begins the next element of the open list.
    pub fn element(&mut self) {
        self.write_comma();
        self.size += 1;
    }

    /// Closes an `L`.
    pub fn close_list(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.push_raw("]}");
    }

    /// Opens an `M`; write a [`name`](Self::name) and a value in turn.
    pub fn open_map(&mut self) -> Result<(), CodecError> {
        self.enter_level()?;
        self.push_raw("{\"M\":{");
        Ok(())
    }

    /// Closes an `M`.
    pub fn close_map(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.push_raw("}}");
    }

    fn enter_level(&mut self) -> Result<(), CodecError> {
        if self.depth == self.max_depth {
            let levels = self.max_depth;
            return Err(CodecError::new(format!(
                "lists and maps nest deeper than {levels} levels below the item, DynamoDB's limit: store deep parts as texts, or as items of their own"
            )));
        }
        self.depth += 1;
        // DynamoDB counts three bytes for each map and each list.
        self.size += 3;
        Ok(())
    }

    /// Opens an `SS`, `NS` or `BS`.
    pub(crate) fn open_set(&mut self, tag: &str) {
        self.push_raw("{\"");
        self.push_raw(tag);
        self.push_raw("\":[");
    }

    /// Writes the next element of an `SS`.
    pub fn set_text(&mut self, text: &str) {
        self.write_comma();
        self.push_quoted(text);
        self.size += text.len();
    }

    pub(crate) fn set_integer(&mut self, value: impl itoa::Integer) {
        let mut buffer = itoa::Buffer::new();
        let digits = buffer.format(value);
        self.write_comma();
        self.out.push(b'"');
        self.push_raw(digits);
        self.out.push(b'"');
        self.size += integer_size(digits);
    }

    pub(crate) fn set_number(&mut self, number: &Number) {
        self.write_comma();
        self.out.push(b'"');
        self.push_raw(number.as_str());
        self.out.push(b'"');
        self.size += number.size();
    }

    pub(crate) fn set_binary(&mut self, bytes: &[u8]) {
        self.write_comma();
        self.write_base64(bytes);
        self.size += bytes.len();
    }

    pub(crate) fn close_set(&mut self) {
        self.push_raw("]}");
    }

    /// Sorts what was written since `start`, the elements of a set or the entries of a map, by their
    /// bytes. Hashed collections have no fixed order, but equal requests have to be equal bytes.
    pub(crate) fn sort_since(&mut self, start: usize, ends: &[usize]) {
        if ends.len() < 2 {
            return;
        }
        let mut from = start;
        let mut pieces: Vec<&[u8]> = Vec::with_capacity(ends.len());
        for &end in ends {
            let piece = self.out.get(from..end).unwrap_or_default();
            pieces.push(piece.strip_prefix(b",").unwrap_or(piece));
            from = end;
        }
        if pieces.is_sorted() {
            return;
        }
        pieces.sort_unstable();
        let sorted = pieces.join(&b","[..]);
        self.out.truncate(start);
        self.out.extend_from_slice(&sorted);
    }

    /// Opens an `S` whose text the key writer appends.
    pub(crate) fn open_text(&mut self) {
        self.push_raw("{\"S\":\"");
    }

    pub(crate) fn close_text(&mut self) {
        self.push_raw("\"}");
    }
}

/// The size of an integer: one byte, and one for every two significant digits; a minus sign costs one more.
fn integer_size(digits: &str) -> usize {
    let unsigned = digits.strip_prefix('-').unwrap_or(digits);
    // Zeros at the end are part of the exponent, which has a fixed size.
    let significant = unsigned.trim_end_matches('0').len();
    significant.div_ceil(2) + 1 + (digits.len() - unsigned.len())
}

/// Appends `text` with JSON's escapes. Runs of plain bytes are copied whole.
pub(crate) fn escape_into(out: &mut Vec<u8>, text: &str) {
    let mut rest = text.as_bytes();
    loop {
        let (plain, special) = rest.split_at(scan::plain_run(rest));
        out.extend_from_slice(plain);
        let Some((&byte, after)) = special.split_first() else {
            return;
        };
        escape_byte(out, byte);
        rest = after;
    }
}

#[cold]
fn escape_byte(out: &mut Vec<u8>, byte: u8) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    match byte {
        b'"' => out.extend_from_slice(b"\\\""),
        b'\\' => out.extend_from_slice(b"\\\\"),
        b'\n' => out.extend_from_slice(b"\\n"),
        b'\r' => out.extend_from_slice(b"\\r"),
        b'\t' => out.extend_from_slice(b"\\t"),
        control => {
            out.extend_from_slice(b"\\u00");
            out.push(HEX[usize::from(control >> 4)]);
            out.push(HEX[usize::from(control & 15)]);
        }
    }
}
