//! The SQL of Athena and of DuckDB for the values of a line of an export.

use super::column::{ColumnType, ListForm, TimeForm};
use super::key_part::KeyPartText;
use crate::json::Tag;

/// The expressions of an engine over a column `line` with one object of JSON: `{"Item":{..}}`.
pub(in crate::export) trait SqlDialect {
    /// The text of a member of an attribute, `S` or `N`.
    fn attribute_text(&self, name: &str, tag: Tag) -> String;

    /// The item of a line.
    fn whole_item(&self) -> String;

    /// A whole attribute with its type.
    fn attribute_json(&self, name: &str) -> String;

    /// The JSON of a member of an attribute.
    fn member_json(&self, name: &str, tag: Tag) -> String;

    /// The text of a member of an element of a list.
    fn element_text(&self, element: &str, tag: Tag) -> String;

    /// A list of JSON or of texts, each element converted.
    fn convert_list(&self, list: &str, of_json: bool, convert: &dyn Fn(&str) -> String) -> String;

    /// A map whose values are JSON, each converted.
    fn convert_map(&self, map: &str, convert: &dyn Fn(&str) -> String) -> String;

    /// A text or number as a value of a scalar type; NULL if the type cannot contain it.
    fn convert_scalar(&self, text: &str, ty: &ColumnType) -> String;

    /// Whether a text matches an expression.
    fn matches_pattern(&self, text: &str, pattern: &str) -> String;

    /// The first group of an expression, or NULL if it does not match.
    fn first_group(&self, text: &str, pattern: &str) -> String;

    /// A text in which `%20` is a space.
    fn unescaped(&self, text: &str) -> String;

    /// JSON as the value of a column.
    fn json_column(&self, json: &str) -> String;

    /// A literal of text.
    fn quote_literal(&self, text: &str) -> String {
        quote_literal(text)
    }

    /// The name of a column or view.
    fn quote_name(&self, name: &str) -> String {
        format!("\"{}\"", name.replace('"', "\"\""))
    }

    /// An attribute as a value of a column.
    fn attribute_value(&self, name: &str, ty: &ColumnType) -> String {
        let Some(tag) = ty.stored_tag() else {
            // NULL of DynamoDB is NULL here too, and not a text.
            let (null, all) = (self.member_json(name, Tag::Null), self.attribute_json(name));
            return format!(
                "CASE WHEN {null} IS NULL THEN {} END",
                self.json_column(&all)
            );
        };
        match ty {
            ColumnType::List(element, elements) => {
                let list = self.member_json(name, tag);
                match elements {
                    ListForm::Set(_) => {
                        self.convert_list(&list, false, &|text| self.convert_scalar(text, element))
                    }
                    ListForm::Typed => {
                        self.convert_list(&list, true, &|json| self.element_value(json, element))
                    }
                }
            }
            ColumnType::Map(value) => self.convert_map(&self.member_json(name, tag), &|json| {
                self.element_value(json, value)
            }),
            scalar => self.convert_scalar(&self.attribute_text(name, tag), scalar),
        }
    }

    /// An element with its type as a value.
    fn element_value(&self, json: &str, ty: &ColumnType) -> String {
        let tag = ty.stored_tag().unwrap_or(Tag::S);
        self.convert_scalar(&self.element_text(json, tag), ty)
    }

    /// A part of a key as a value.
    fn key_value(&self, part: &KeyPartText, ty: &ColumnType) -> String {
        let key = self.attribute_text(&part.attribute, Tag::S);
        let text = self.first_group(&key, &part.pattern);
        let text = match part.is_escaped {
            true => self.unescaped(&text),
            false => text,
        };
        if !part.has_complement {
            return self.convert_scalar(&text, ty);
        }
        // `-` and the nines' complement of the digits, so that keys sort like numbers.
        let whole = |text: &str| self.convert_scalar(text, &ColumnType::Digits(38));
        let magnitude = format!("translate(substr({text}, 2), '0123456789', '9876543210')");
        let value = format!(
            "CASE WHEN {text} LIKE '-%' THEN -{} ELSE {} END",
            whole(&magnitude),
            whole(&text)
        );
        format!("TRY_CAST({value} AS {})", sql_integer(ty))
    }
}

/// A literal of text: only the quote has a meaning in it.
pub(in crate::export) fn quote_literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// A text without a fraction as an integer. Some casts of both engines round a fraction, and others fail.
fn whole_number(text: &str, ty: &str) -> String {
    format!("TRY_CAST(regexp_extract({text}, '^-?[0-9]+\\z') AS {ty})")
}

fn sql_integer(ty: &ColumnType) -> String {
    match ty {
        ColumnType::Digits(digits) => format!("decimal({digits}, 0)"),
        _ => "bigint".to_owned(),
    }
}

/// The type of numbers that no type of 64 bits contains exactly.
fn exact_number(text: &str, scale: Option<u8>) -> String {
    match scale {
        Some(scale) => format!("TRY_CAST({text} AS decimal(38, {}))", scale.min(38)),
        None => text.to_owned(),
    }
}

/// The engine of Athena, version 3.
#[derive(Debug, Clone, Copy)]
pub(in crate::export) struct AthenaSql {
    pub(in crate::export) scale: Option<u8>,
}

impl AthenaSql {
    /// A path of JSON, as a literal.
    fn json_path(members: &[&str]) -> String {
        let mut path = "$".to_owned();
        for member in members {
            // In quotes, every other character is itself.
            let member = member.replace('\\', "\\\\").replace('"', "\\\"");
            path.push_str(&format!("[\"{member}\"]"));
        }
        quote_literal(&path)
    }
}

impl SqlDialect for AthenaSql {
    fn attribute_text(&self, name: &str, tag: Tag) -> String {
        let path = Self::json_path(&["Item", name, tag.name()]);
        format!("json_extract_scalar(line, {path})")
    }

    fn whole_item(&self) -> String {
        format!("json_extract(line, {})", Self::json_path(&["Item"]))
    }

    fn attribute_json(&self, name: &str) -> String {
        format!("json_extract(line, {})", Self::json_path(&["Item", name]))
    }

    fn member_json(&self, name: &str, tag: Tag) -> String {
        let path = Self::json_path(&["Item", name, tag.name()]);
        format!("json_extract(line, {path})")
    }

    fn element_text(&self, element: &str, tag: Tag) -> String {
        let path = Self::json_path(&[tag.name()]);
        format!("json_extract_scalar({element}, {path})")
    }

    fn convert_list(&self, list: &str, of_json: bool, convert: &dyn Fn(&str) -> String) -> String {
        let element = if of_json { "json" } else { "varchar" };
        let list = format!("CAST({list} AS array({element}))");
        match convert("e") {
            same if same == "e" => list,
            value => format!("transform({list}, e -> {value})"),
        }
    }

    fn convert_map(&self, map: &str, convert: &dyn Fn(&str) -> String) -> String {
        let value = convert("v");
        format!("transform_values(CAST({map} AS map(varchar, json)), (k, v) -> {value})")
    }

    fn convert_scalar(&self, text: &str, ty: &ColumnType) -> String {
        match ty {
            ColumnType::Bytes => format!("TRY(from_base64({text}))"),
            ColumnType::Boolean => format!("TRY_CAST({text} AS boolean)"),
            ColumnType::Integer | ColumnType::Digits(_) => whole_number(text, &sql_integer(ty)),
            ColumnType::Exact => exact_number(text, self.scale),
            ColumnType::Double => format!("TRY_CAST({text} AS double)"),
            ColumnType::Date => format!("TRY_CAST({text} AS date)"),
            // Views cannot have columns with a time zone.
            ColumnType::Timestamp(TimeForm::Zoned) => {
                format!("TRY(CAST(from_iso8601_timestamp({text}) AT TIME ZONE 'UTC' AS timestamp))")
            }
            ColumnType::Timestamp(TimeForm::Civil) => {
                format!("TRY(CAST(from_iso8601_timestamp({text}) AS timestamp))")
            }
            ColumnType::Timestamp(TimeForm::Seconds) => format!(
                "TRY(CAST(from_unixtime(CAST({text} AS double)) AT TIME ZONE 'UTC' AS timestamp))"
            ),
            ColumnType::Timestamp(TimeForm::Millis) => format!(
                "TRY(CAST(from_unixtime(CAST({text} AS double) / 1000) AT TIME ZONE 'UTC' AS timestamp))"
            ),
            ColumnType::Text | ColumnType::List(..) | ColumnType::Map(_) | ColumnType::Json => {
                text.to_owned()
            }
        }
    }

    fn matches_pattern(&self, text: &str, pattern: &str) -> String {
        format!("regexp_like({text}, {})", quote_literal(pattern))
    }

    fn first_group(&self, text: &str, pattern: &str) -> String {
        format!("regexp_extract({text}, {}, 1)", quote_literal(pattern))
    }

    fn unescaped(&self, text: &str) -> String {
        // The function takes `+` for a space, and keys do not escape it.
        format!("TRY(url_decode(replace({text}, '+', '%2B')))")
    }

    fn json_column(&self, json: &str) -> String {
        format!("json_format({json})")
    }
}

/// DuckDB, from version 1.3.
#[derive(Debug, Clone, Copy)]
pub(in crate::export) struct DuckDbSql {
    pub(in crate::export) scale: Option<u8>,
}

impl DuckDbSql {
    /// A JSON pointer, as a literal: in a path of DuckDB, a quote could not be written.
    fn json_pointer(members: &[&str]) -> String {
        let mut pointer = String::new();
        for member in members {
            pointer.push('/');
            pointer.push_str(&member.replace('~', "~0").replace('/', "~1"));
        }
        quote_literal(&pointer)
    }
}

impl SqlDialect for DuckDbSql {
    fn attribute_text(&self, name: &str, tag: Tag) -> String {
        let pointer = Self::json_pointer(&["Item", name, tag.name()]);
        format!("json_extract_string(line, {pointer})")
    }

    fn whole_item(&self) -> String {
        format!("json_extract(line, {})", Self::json_pointer(&["Item"]))
    }

    fn attribute_json(&self, name: &str) -> String {
        format!(
            "json_extract(line, {})",
            Self::json_pointer(&["Item", name])
        )
    }

    fn member_json(&self, name: &str, tag: Tag) -> String {
        let pointer = Self::json_pointer(&["Item", name, tag.name()]);
        format!("json_extract(line, {pointer})")
    }

    fn element_text(&self, element: &str, tag: Tag) -> String {
        let pointer = Self::json_pointer(&[tag.name()]);
        format!("json_extract_string({element}, {pointer})")
    }

    fn convert_list(&self, list: &str, of_json: bool, convert: &dyn Fn(&str) -> String) -> String {
        let element = if of_json { "JSON" } else { "VARCHAR" };
        let list = format!("CAST({list} AS {element}[])");
        match convert("e") {
            same if same == "e" => list,
            value => format!("list_transform({list}, lambda e: {value})"),
        }
    }

    fn convert_map(&self, map: &str, convert: &dyn Fn(&str) -> String) -> String {
        let value = convert("e.value");
        format!(
            "map_from_entries(list_transform(map_entries(CAST({map} AS MAP(VARCHAR, JSON))), \
             lambda e: {{'key': e.key, 'value': {value}}}))"
        )
    }

    fn convert_scalar(&self, text: &str, ty: &ColumnType) -> String {
        let of_units = |scale: u8, micros: u32| {
            format!(
                "TRY(make_timestamp(CAST(CAST({text} AS DECIMAL(28, {scale})) * {micros} AS BIGINT)))"
            )
        };
        match ty {
            ColumnType::Bytes => format!("TRY(from_base64({text}))"),
            ColumnType::Boolean => format!("TRY_CAST({text} AS BOOLEAN)"),
            ColumnType::Integer | ColumnType::Digits(_) => {
                whole_number(text, &sql_integer(ty).to_uppercase())
            }
            ColumnType::Exact => exact_number(text, self.scale),
            ColumnType::Double => format!("TRY_CAST({text} AS DOUBLE)"),
            ColumnType::Date => format!("TRY_CAST({text} AS DATE)"),
            // A direct cast would ignore the offset.
            ColumnType::Timestamp(TimeForm::Zoned) => {
                format!("(TRY_CAST({text} AS TIMESTAMPTZ) AT TIME ZONE 'UTC')")
            }
            ColumnType::Timestamp(TimeForm::Civil) => format!("TRY_CAST({text} AS TIMESTAMP)"),
            ColumnType::Timestamp(TimeForm::Seconds) => of_units(9, 1_000_000),
            ColumnType::Timestamp(TimeForm::Millis) => of_units(6, 1_000),
            ColumnType::Text | ColumnType::List(..) | ColumnType::Map(_) | ColumnType::Json => {
                text.to_owned()
            }
        }
    }

    fn matches_pattern(&self, text: &str, pattern: &str) -> String {
        format!("regexp_matches({text}, {})", quote_literal(pattern))
    }

    fn first_group(&self, text: &str, pattern: &str) -> String {
        let pattern = quote_literal(pattern);
        // Without the condition, a key of another form would be an empty text.
        format!(
            "CASE WHEN regexp_matches({text}, {pattern}) THEN regexp_extract({text}, {pattern}, 1) END"
        )
    }

    fn unescaped(&self, text: &str) -> String {
        format!("url_decode({text})")
    }

    fn json_column(&self, json: &str) -> String {
        json.to_owned()
    }
}
