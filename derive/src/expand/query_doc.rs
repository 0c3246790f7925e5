//! The rustdoc of an access pattern: its keys, order, condition, shards and rows, and its call.

use proc_macro2::Ident;

use super::tokens::{described, linked, methods, plain_name, shown};
use crate::check::placeholder;
use crate::check::types::value_type;
use crate::model::{
    Entity, Field, Format, Index, IndexKind, IndexProjection, KeySource, Piece, TableRef, Template,
    TextFormat,
};

/// The documented properties of an access pattern.
pub(super) struct PatternDoc<'a> {
    pub(super) entity: &'a Entity,
    pub(super) function: Ident,
    pub(super) index: Option<&'a Index>,
    pub(super) partition: Vec<&'a KeySource>,
    pub(super) sort: Vec<&'a KeySource>,
    /// The fields that are its arguments, and the parts that follow.
    pub(super) arguments: Vec<(&'a Field, Option<Format>)>,
    pub(super) parts: Vec<&'a Ident>,
    /// The projection of the index, if the entity declares it.
    pub(super) project: Option<&'a IndexProjection<usize>>,
}

impl PatternDoc<'_> {
    /// Describes the function that begins the chain.
    pub(super) fn of_function(&self) -> String {
        let ident = &self.entity.ident;
        let place = match self.index {
            None => "in one partition of the table".to_owned(),
            Some(index) => {
                let kind = match index.kind {
                    IndexKind::Global => "global",
                    IndexKind::Local => "local",
                };
                format!("by the {kind} index `{}`", plain_name(&index.on))
            }
        };
        let mut text = format!("The rows of `{ident}` {place}.\n\n");
        text.push_str(&self.arguments());
        text.push_str(&format!("- partition key: {}\n", self.key(&self.partition)));
        match self.parts.as_slice() {
            [] if self.sort.is_empty() => text.push_str("- no sort key: rows come in no order\n"),
            [] => text.push_str(&format!("- sort key: {}\n", self.key(&self.sort))),
            parts => text.push_str(&format!(
                "- sort key: {}; rows come in the order of {}, or with `.descending()` in the reverse\n",
                self.key(&self.sort),
                listed(parts, ", then ")
            )),
        }
        if let Some(when) = self.index.and_then(|index| index.when.as_ref()) {
            text.push_str(&format!("- only rows with `{}`\n", when.text));
        }
        text.push_str(&self.shards());
        text.push_str(&self.rows());
        text.push_str(&format!("\n```text\n{}\n```", self.example()));
        text
    }

    /// Describes the arguments. Their types in the signature contain the format, and the `Option` of a field.
    fn arguments(&self) -> String {
        let arguments = self.arguments.iter().map(|(field, format)| {
            let accepted = match format.map(|format| format.text) {
                None | Some(TextFormat::Plain | TextFormat::Pad(_) | TextFormat::Fixed { .. }) => {
                    described(value_type(&field.ty))
                }
                Some(TextFormat::Seconds | TextFormat::Epoch | TextFormat::LowerSeconds) => {
                    "`Seconds`".to_owned()
                }
                Some(TextFormat::Millis | TextFormat::EpochMillis | TextFormat::LowerMillis) => {
                    "`Millis`".to_owned()
                }
                Some(TextFormat::Date) => "a date".to_owned(),
                Some(TextFormat::Month) => "a `YearMonth`".to_owned(),
                Some(TextFormat::Year) => "a `Year`".to_owned(),
                Some(TextFormat::Lower | TextFormat::Upper) => "text in any case".to_owned(),
            };
            let several = linked(&self.entity.krate, "`any_of`", "any_of");
            format!(
                "- `{}`: {accepted}, or {several} several\n",
                plain_name(&field.ident)
            )
        });
        arguments.collect()
    }

    /// Describes the type of a stage.
    pub(super) fn of_stage(&self, at: usize) -> String {
        let (ident, function) = (&self.entity.ident, plain_name(&self.function));
        let known = self.parts.get(..at).unwrap_or_default();
        let behind = match known {
            [] => String::new(),
            known => format!(" after {} by `eq`", listed(known, " and ")),
        };
        let next = self.parts.get(at).map(|part| plain_name(part));
        let next = next.unwrap_or_default();
        let krate = &self.entity.krate;
        // Strong reads are not for global indexes.
        let consistent = match self.index.map(|index| index.kind) {
            Some(IndexKind::Global) => "",
            Some(IndexKind::Local) | None => "consistent",
        };
        let settings = [
            "limit",
            "descending",
            "filter",
            "resume",
            "select",
            consistent,
        ];
        let settings: Vec<&str> = settings
            .into_iter()
            .filter(|name| !name.is_empty())
            .collect();
        format!(
            "The query [`{ident}::{function}(..)`]({ident}::{function}()){behind}. The next part of its sort key, \
             [`.{next}()`](Self::{next}()), narrows it.\n\n\
             Like every query, it has the operations of {query}: {reads}, {explain}; the settings {settings} and others; \
             and the jobs of {bulk}: {jobs}.\n\n{rows}",
            rows = self.rows(),
            query = linked(krate, "`QueryExt`", "QueryExt"),
            reads = methods(
                krate,
                "QueryExt",
                &["page", "all", "first", "one", "count", "exists", "stream"]
            ),
            explain = methods(krate, "QueryExt", &["explain"]),
            settings = methods(krate, "QueryExt", &settings),
            bulk = linked(krate, "`BulkExt`", "BulkExt"),
            jobs = methods(
                krate,
                "BulkExt",
                &["update_each", "delete_each", "transact_each"]
            ),
        )
    }

    /// Describes the method of a part.
    pub(super) fn of_part(&self, at: usize, format: Option<Format>) -> String {
        let name = |at: usize| self.parts.get(at).map(|part| plain_name(part));
        let part = name(at).unwrap_or_default();
        let goes_on = match name(at + 1) {
            Some(next) => format!(", and the next part, `.{next}()`, may follow"),
            None => String::new(),
        };
        let missing = match format {
            Some(Format { none: Some(_), .. }) => " `missing()` finds the rows that have none.",
            _ => "",
        };
        let krate = &self.entity.krate;
        format!(
            "The part `{part}` of the sort key {key}. {eq} takes one value{goes_on}; a range ends the chain: {ranges}, and \
             of text {text}.{missing}",
            key = self.key(&self.sort),
            eq = methods(krate, "query::SortPart", &["eq"]),
            ranges = methods(
                krate,
                "query::SortPart",
                &["lt", "le", "gt", "ge", "between"]
            ),
            text = methods(krate, "query::SortPart", &["starts_with"]),
        )
    }

    /// Shows a key as it was declared.
    fn key(&self, sources: &[&KeySource]) -> String {
        let keys = sources.iter().map(|source| match source {
            KeySource::Field { field, .. } => plain_name(&self.entity.fields[*field].ident),
            KeySource::Number { field, .. } => {
                format!("number({})", plain_name(&self.entity.fields[*field].ident))
            }
            KeySource::Template(template) => format!("\"{}\"", self.template(template)),
        });
        let keys: Vec<String> = keys.map(|key| format!("`{key}`")).collect();
        keys.join(", ")
    }

    fn template(&self, template: &Template) -> String {
        let pieces = template.pieces.iter().map(|piece| match piece {
            Piece::Literal(text) => text.replace('{', "{{").replace('}', "}}"),
            Piece::Part { field, format } => placeholder(&self.entity.fields[*field], *format)
                .trim_matches('"')
                .to_owned(),
        });
        pieces.collect()
    }

    fn shards(&self) -> String {
        let written = self.partition.iter().find_map(|source| source.shards());
        let read = self.index.and_then(|index| index.read_shards);
        match (written, read) {
            (Some(written), Some(read)) if read != written => format!(
                "- {written} shards of each partition are written, and {read} are read concurrently and merged\n"
            ),
            (Some(shards), _) => {
                format!("- {shards} shards of each partition, read concurrently and merged\n")
            }
            (None, _) => String::new(),
        }
    }

    fn rows(&self) -> String {
        let ident = &self.entity.ident;
        let Some(index) = self.index else {
            return format!("- each row is one `{ident}`\n");
        };
        match (&self.entity.table, self.project) {
            (TableRef::Shared(table), _) => format!(
                "- rows: the index [`{on}`]({table}::{on}) says whether each row is one `{ident}` or a key\n",
                on = plain_name(&index.on),
                table = shown(table)
            ),
            (_, Some(IndexProjection::Keys)) => {
                "- each row is a key, and with `.hydrate()` its item\n".to_owned()
            }
            (_, Some(IndexProjection::Only(fields))) => {
                let names: Vec<&Ident> = (fields.iter())
                    .map(|field| &self.entity.fields[*field].ident)
                    .collect();
                format!(
                    "- each row is a key, with `.select::<..>()` also {}, and with `.hydrate()` its item\n",
                    listed(&names, " and ")
                )
            }
            (_, Some(IndexProjection::All) | None) => format!("- each row is one `{ident}`\n"),
        }
    }

    /// Shows a call with all parts, of which the last is a range.
    fn example(&self) -> String {
        let arguments = self.arguments.iter();
        let arguments: Vec<String> = arguments
            .map(|(field, _)| plain_name(&field.ident))
            .collect();
        let last = self.parts.len().saturating_sub(1);
        let parts = self.parts.iter().enumerate().map(|(at, part)| {
            let part = plain_name(part);
            let verb = if at == last { "ge" } else { "eq" };
            format!(".{part}().{verb}({part})")
        });
        format!(
            "let rows = {}::{}({}){}.all(&db).await?;",
            self.entity.ident,
            plain_name(&self.function),
            arguments.join(", "),
            parts.collect::<String>()
        )
    }
}

/// Names fields in a sentence.
fn listed(names: &[&Ident], between: &str) -> String {
    let names = names.iter().map(|name| format!("`{}`", plain_name(name)));
    names.collect::<Vec<_>>().join(between)
}
