//! The pseudonym of a value: of the same type, with a similar form, computed from the value and a secret.
//!
//! Values of a fixed form, such as a telephone number or a day, are permuted among all values of this form, so different
//! values never get the same pseudonym. Other texts and long bytes become so many random letters or bytes that this does
//! not happen. Numbers with fractions can get the same pseudonym.

mod stream;
mod text;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::personal::{contents, is_stored_as};
use crate::codec::{Item, Value, plain_value};
use crate::error::{Error, Result};
use crate::hex::first_digits;
use crate::json::Number;
use crate::schema::{FieldModel, ShapeModel, TypeModel, TypeOf, VariantModel};
use stream::ByteStream;

/// The rounds of a permutation.
const ROUNDS: u8 = 10;

/// The pseudonyms of one secret.
#[derive(Clone)]
pub(super) struct Pseudonyms(Hmac<Sha256>);

impl Pseudonyms {
    pub(super) fn new(secret: &[u8]) -> Result<Self> {
        let hmac = Hmac::new_from_slice(secret);
        hmac.map(Pseudonyms)
            .map_err(|_| Error::config("this secret cannot make pseudonyms"))
    }

    /// The first bytes of a hash of the secret.
    pub(super) fn fingerprint(&self) -> String {
        first_digits(&self.hash(&[b"fingerprint"]), 8)
    }

    /// The hash of a list of parts. Different lists never have the same bytes.
    fn hash(&self, parts: &[&[u8]]) -> [u8; 32] {
        let mut hmac = self.0.clone();
        for part in parts {
            hmac.update(&(part.len() as u64).to_be_bytes());
            hmac.update(part);
        }
        hmac.finalize().into_bytes().into()
    }

    /// Random bytes that depend on a value.
    fn stream(&self, form: &str, value: &[u8]) -> ByteStream {
        ByteStream::new(self.hash(&[b"stream", form.as_bytes(), value]))
    }

    /// Permutes the numbers below `count`: maps each number to another one, or to itself.
    fn permute(&self, form: &str, count: u128, number: u128) -> u128 {
        if count < 2 || number >= count {
            return number;
        }
        // A Feistel network permutes the numbers of an even number of bits. Numbers outside are permuted again, until one
        // is inside, which keeps it a permutation.
        let bits = u128::BITS - (count - 1).leading_zeros();
        let half = bits.div_ceil(2);
        let low = (1_u128 << half) - 1;
        let count_bytes = count.to_be_bytes();
        let mut number = number;
        loop {
            let (mut left, mut right) = (number >> half, number & low);
            for round in 0..ROUNDS {
                let parts: [&[u8]; 5] = [
                    b"permute",
                    form.as_bytes(),
                    &count_bytes,
                    &[round],
                    &right.to_be_bytes(),
                ];
                let hash = self.hash(&parts);
                let mut bytes = [0; 16];
                bytes.copy_from_slice(hash.split_at(16).0);
                (left, right) = (right, left ^ (u128::from_be_bytes(bytes) & low));
            }
            number = left << half | right;
            if number < count {
                return number;
            }
        }
    }

    /// The pseudonym of a value of a type, if that is known.
    pub(super) fn value(&self, value: &Value, ty: Option<TypeOf>) -> Value {
        let model = ty.map(|ty| ty().model);
        match (value, model) {
            (
                value,
                Some(TypeModel::Of {
                    name: "Nullable",
                    elements,
                }),
            ) => self.value(value, elements.first().copied()),
            (value, Some(TypeModel::Declared { value: declared })) => match declared.shape {
                ShapeModel::Newtype { inner } => self.value(value, Some(inner)),
                ShapeModel::Names { variants } | ShapeModel::Numbers { variants } => {
                    self.variant(value, declared.name, variants)
                }
                ShapeModel::Struct { fields } => match value {
                    Value::M(map) => Value::M(self.members(map, fields, "")),
                    value => self.value(value, None),
                },
                ShapeModel::Tagged { tag, variants } => match value {
                    Value::M(map) => {
                        let stored = map.get(tag).and_then(Value::as_text);
                        let mut variants = variants.iter();
                        let variant = variants.find(|variant| Some(variant.stored) == stored);
                        let fields = variant.map_or(&[][..], |variant| variant.fields);
                        Value::M(self.members(map, fields, tag))
                    }
                    value => self.value(value, None),
                },
            },
            (Value::S(text), Some(TypeModel::Known { name: "char" })) => {
                Value::S(self.letter(text))
            }
            (Value::S(text), Some(TypeModel::Known { name: "Ulid" })) => Value::S(self.ulid(text)),
            (Value::S(text), _) => Value::S(self.text(text)),
            (Value::N(number), model) => Value::N(self.number(number, model)),
            (Value::B(bytes), _) => Value::B(self.bytes(bytes)),
            (Value::Bool(is), _) => Value::Bool(self.permute("bool", 2, u128::from(*is)) == 1),
            (Value::Null, _) => Value::Null,
            (Value::L(list), model) => {
                let types = list.iter().enumerate();
                let list = types.map(|(at, value)| self.value(value, element(model, at)));
                Value::L(list.collect())
            }
            (
                Value::M(map),
                Some(TypeModel::Of {
                    name: "Map",
                    elements,
                }),
            ) => {
                let entries = map.iter().map(|(name, value)| {
                    let name = self.map_key(name, elements.first().copied());
                    (name, self.value(value, elements.last().copied()))
                });
                Value::M(entries.collect())
            }
            // The names may be those of fields.
            (Value::M(map), _) => Value::M(self.members(map, &[], "")),
            (Value::Ss(set), model) => {
                let ty = element(model, 0);
                Value::Ss(set.iter().map(|text| self.map_key(text, ty)).collect())
            }
            (Value::Ns(set), model) => {
                let model = element(model, 0).map(|ty| ty().model);
                Value::Ns(
                    set.iter()
                        .map(|number| self.number(number, model))
                        .collect(),
                )
            }
            (Value::Bs(set), _) => Value::Bs(set.iter().map(|bytes| self.bytes(bytes)).collect()),
        }
    }

    /// Masks each value of a map by its name. The tag stays, because it determines the types of the other values.
    fn members(&self, map: &Item, fields: &'static [FieldModel], tag: &str) -> Item {
        let members = map.iter().map(|(name, value)| {
            let field = fields.iter().find(|field| is_stored_as(field, name));
            let masked = match (field, contents(fields, name, value)) {
                _ if name == tag => value.clone(),
                (Some(field), _) => self.member(field, value),
                (None, Some(contents)) if !fields.is_empty() => Value::L(
                    contents
                        .map(|(field, value)| self.member(field, value))
                        .collect(),
                ),
                (None, _) => self.value(value, None),
            };
            (name.clone(), masked)
        });
        members.collect()
    }

    fn member(&self, field: &FieldModel, value: &Value) -> Value {
        // A damaged value is masked as the bytes that it is.
        let plain = plain_value(field.form, value);
        self.value(plain.as_deref().unwrap_or(value), field.value_type)
    }

    /// Masks a text that represents a value of a type: a key of a map, or an element of a set of texts.
    fn map_key(&self, text: &str, ty: Option<TypeOf>) -> String {
        let model = ty.map(|ty| ty().model);
        let is_number = match model {
            Some(TypeModel::Known { name }) => bound_of(name).is_some(),
            _ => false,
        };
        match text.parse::<Number>() {
            Ok(number) if is_number => self.number(&number, model).as_str().to_owned(),
            _ => match self.value(&Value::S(text.to_owned()), ty) {
                Value::S(text) => text,
                _ => self.text(text),
            },
        }
    }

    /// One of the variants of an enum without fields.
    fn variant(&self, value: &Value, name: &str, variants: &[VariantModel]) -> Value {
        let stored = match value {
            Value::S(text) => text.as_str(),
            Value::N(number) => number.as_str(),
            other => return other.clone(),
        };
        let at = variants.iter().position(|variant| variant.stored == stored);
        let form = format!("enum {name}");
        let other = at.map(|at| self.permute(&form, variants.len() as u128, at as u128));
        let other = other.and_then(|at| variants.get(usize::try_from(at).ok()?));
        match (value, other) {
            (Value::N(_), Some(other)) => match other.stored.parse() {
                Ok(number) => Value::N(number),
                Err(_) => value.clone(),
            },
            (_, Some(other)) => Value::S(other.stored.to_owned()),
            (Value::S(text), None) => Value::S(self.text(text)),
            (other, None) => other.clone(),
        }
    }

    fn number(&self, number: &Number, model: Option<TypeModel>) -> Number {
        let masked = match number.to_integer_text().filter(|text| text.len() <= 37) {
            Some(text) => {
                let most = match model {
                    Some(TypeModel::Known { name }) => bound_of(name),
                    _ => None,
                };
                self.integer(&text, most)
            }
            None => self.fraction(number.as_str()),
        };
        // It has the same number of digits, so it is in range.
        masked.parse().unwrap_or_else(|_| number.clone())
    }

    /// An integer with the same sign and number of digits, up to the largest one of its type.
    fn integer(&self, text: &str, most: Option<u128>) -> String {
        let (sign, digits) = match text.strip_prefix('-') {
            Some(digits) => ("-", digits),
            None => ("", text),
        };
        let Ok(amount) = digits.parse::<u128>() else {
            return text.to_owned();
        };
        let tens = 10_u128.pow(u32::try_from(digits.len().saturating_sub(1)).unwrap_or(0));
        let least = match (digits.len(), sign) {
            (1, "") => 0,
            _ => tens,
        };
        let most = most
            .unwrap_or(u128::MAX)
            .min(tens.saturating_mul(10) - 1)
            .max(amount);
        let form = format!("integer {sign}");
        let other = self.permute(&form, most - least + 1, amount.saturating_sub(least));
        format!("{sign}{}", least + other)
    }

    /// A number with the same sign, exponent and number of digits.
    fn fraction(&self, text: &str) -> String {
        let mut stream = self.stream("fraction", text.as_bytes());
        let end = text.find(['e', 'E']).unwrap_or(text.len());
        let (mantissa, exponent) = text.split_at(end);
        let is_digit = |char: char| ('1'..='9').contains(&char);
        let (first, last) = (mantissa.find(is_digit), mantissa.rfind(is_digit));
        let masked = mantissa.char_indices().map(|(at, char)| match char {
            '0'..='9' if first.is_some_and(|first| at > first) && Some(at) != last => {
                stream.digit(0)
            }
            '1'..='9' => stream.digit(1),
            other => other,
        });
        masked.chain(exponent.chars()).collect()
    }

    fn bytes(&self, bytes: &[u8]) -> Vec<u8> {
        if bytes.len() < 16 {
            let mut number = [0; 16];
            number[16 - bytes.len()..].copy_from_slice(bytes);
            let number = u128::from_be_bytes(number);
            let count = 1_u128 << (8 * bytes.len());
            let form = format!("bytes {}", bytes.len());
            let other = self.permute(&form, count, number).to_be_bytes();
            return other[16 - bytes.len()..].to_vec();
        }
        let mut stream = self.stream("bytes", bytes);
        bytes.iter().map(|_| stream.byte()).collect()
    }
}

/// The type of an element of a list or a set.
fn element(model: Option<TypeModel>, at: usize) -> Option<TypeOf> {
    match model? {
        TypeModel::Of { elements, .. } => elements.last().copied(),
        TypeModel::Array { element, .. } => Some(element),
        TypeModel::Tuple { elements } => elements.get(at).copied(),
        TypeModel::Unseen | TypeModel::Known { .. } | TypeModel::Declared { .. } => None,
    }
}

/// The largest absolute value of the integer type of this name that positive and negative numbers can have.
fn bound_of(name: &str) -> Option<u128> {
    Some(match name {
        "i8" => i8::MAX as u128,
        "i16" => i16::MAX as u128,
        "i32" => i32::MAX as u128,
        "i64" | "isize" => i64::MAX as u128,
        "i128" => i128::MAX as u128,
        "u8" => u128::from(u8::MAX),
        "u16" => u128::from(u16::MAX),
        "u32" => u128::from(u32::MAX),
        "u64" | "usize" => u128::from(u64::MAX),
        "u128" => u128::MAX,
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
