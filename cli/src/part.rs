//! The parts of keys, which commands take as texts.

use dynamo_entity::query::DynamicSortPart;
use dynamo_entity::schema::{FieldInKey, MomentForm, TableSchema, ValueContent, ValueKind};

/// A part of a key, which is given as text.
#[derive(Debug, Clone)]
pub(crate) struct PartInput<'m> {
    of: FieldInKey<'m>,
    schema: &'m TableSchema,
    /// The name of its option, if it is one.
    pub(crate) option: String,
    /// The conditions other than one value, if it is part of a sort key.
    pub(crate) takes: Option<DynamicSortPart>,
}

/// How many values of an enum a message lists.
const MOST_VALUES: usize = 12;

/// An example of a time.
const TIME: &str = "2026-03-01T12:30:00Z";

/// The options of every query. No part may have one of these names.
const TAKEN: [&str; 14] = [
    "all",
    "cursor",
    "descending",
    "help",
    "json",
    "limit",
    "missing",
    "prefix",
    "starts-with",
    "strong",
    "units",
    "url",
    "version",
    "yes",
];

/// The parts of a key, without names of options.
pub(crate) fn inputs<'m>(
    schema: &'m TableSchema,
    fields: Vec<FieldInKey<'m>>,
) -> Vec<PartInput<'m>> {
    let inputs = fields.into_iter().map(|of| PartInput {
        of,
        schema,
        option: String::new(),
        takes: None,
    });
    inputs.collect()
}

/// Gives each part the name of an option that no other part or option has.
pub(crate) fn with_options(
    mut parts: Vec<PartInput<'_>>,
    has_environments: bool,
) -> Vec<PartInput<'_>> {
    let mut taken: Vec<String> = TAKEN.iter().map(|&name| name.to_owned()).collect();
    if has_environments {
        taken.push("env".to_owned());
    }
    for part in &mut parts {
        let plain = part.field().replace('_', "-");
        let mut names = [
            plain.clone(),
            format!("{plain}-{}", part.first_format().unwrap_or("part")),
            format!("part-{plain}"),
        ]
        .into_iter();
        let free = names.find(|name| !taken.contains(name));
        part.option = free.unwrap_or_else(|| format!("{plain}-{}", taken.len()));
        taken.push(part.option.clone());
    }
    parts
}

impl<'m> PartInput<'m> {
    /// The name of the field.
    pub(crate) fn field(&self) -> &'m str {
        self.of.name
    }

    /// Whether the key contains only a part of the field.
    pub(crate) fn has_format(&self) -> bool {
        self.of.format().is_some()
    }

    fn first_format(&self) -> Option<&'m str> {
        self.of.format()?.split(':').next()
    }

    /// The first line of the doc comment of the field.
    pub(crate) fn summary(&self) -> &'m str {
        self.of.field.map_or("", |field| first_line(&field.doc))
    }

    /// Whether it accepts a condition other than one value.
    pub(crate) fn takes(&self, accepts: fn(&DynamicSortPart) -> bool) -> bool {
        self.takes.as_ref().is_some_and(accepts)
    }

    /// The input for it: its type, and its values or an example if the type has some.
    pub(crate) fn kind(&self) -> String {
        let rust_type = self.of.field.map_or("", |field| &field.rust_type);
        // The format says how many decimals a number may have.
        let in_key = match self.of.format() {
            Some(format) if format.contains('.') => {
                format!(", in the key as `{{{}:{format}}}`", self.field())
            }
            _ => String::new(),
        };
        match (self.example(), self.allowed_values()) {
            (Some(example), _) => format!("`{rust_type}`, such as {example}{in_key}"),
            (None, Some(values)) => format!("`{rust_type}`, one of {values}"),
            (None, None) => format!("`{rust_type}`, as it is stored"),
        }
    }

    /// The stored values of an enum, at most some of them.
    fn allowed_values(&self) -> Option<String> {
        let value_type = self.of.field?.value_type.as_deref()?;
        let variants = match &self.schema.value_type(value_type)?.content {
            ValueContent::Names(variants) | ValueContent::Numbers(variants) => variants,
            _ => return None,
        };
        let stored = variants.iter().map(|variant| variant.stored.as_str());
        let shown: Vec<&str> = stored.take(MOST_VALUES).collect();
        let more = match variants.len() - shown.len() {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        Some(shown.join(", ") + &more)
    }

    /// Whether it is a moment, and not a day or a month.
    pub(crate) fn is_time(&self) -> bool {
        self.example() == Some(TIME)
    }

    /// A value of its type.
    pub(crate) fn example(&self) -> Option<&'static str> {
        match self.first_format() {
            Some("date") => return Some("2026-03-01"),
            Some("month") => return Some("2026-03"),
            Some("year") => return Some("2026"),
            _ => {}
        }
        Some(match self.of.field?.kind()? {
            ValueKind::Moment(MomentForm::Timestamp) => TIME,
            ValueKind::Day => "2026-03-01",
            ValueKind::Month => "2026-03",
            ValueKind::Year => "2026",
            ValueKind::Integer { .. } => "7",
            ValueKind::Flag => "true",
            ValueKind::Char => "x",
            ValueKind::Uuid => "018f3b6e-3c4a-7d2e-9a51-0f6b7c8d9e10",
            ValueKind::Ulid => "01J0Z3K4M5N6P7Q8R9S0T1V2W3",
            ValueKind::Decimal | ValueKind::Number | ValueKind::Float { .. } => "9.95",
            ValueKind::Text => "ann",
            _ => return None,
        })
    }

    /// Its placeholder in a usage line.
    pub(crate) fn value_name(&self) -> String {
        self.field().to_uppercase()
    }
}

/// The first line of a doc comment.
pub(crate) fn first_line(doc: &str) -> &str {
    doc.lines().next().unwrap_or_default().trim()
}
