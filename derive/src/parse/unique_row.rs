//! Reads `unique(by_email, pk = "..", sk = "..", constant(..))`: a unique value in a row of another program.

use proc_macro2::Span;
use syn::Ident;

use crate::model::{KeySource, Piece, Template, Unique, UniqueKept, UniqueRow};
use crate::parse::option::{Given, Opt, OptionValue};
use crate::parse::reader::{Reader, find_field};
use crate::parse::{allow, constant, template};

const CONSTANT: &str = "constant(\"_type\" = \"_Unique\")";

/// Whether only a unique value in a row of another program has this option.
pub(super) fn is_word(opt: &Opt) -> bool {
    let is_named = opt.name == "pk" || opt.name == "sk" || opt.name == "constant";
    is_named && !matches!(opt.given, Given::Flag)
}

/// Rule: the row has a template for each key, and they name the fields.
pub(super) fn read(
    name: Ident,
    rest: Vec<Opt>,
    is_shared: bool,
    reader: &Reader<'_>,
) -> Option<Unique> {
    let span = name.span();
    let (mut pk, mut sk) = (None, None);
    let (mut constants, mut allows) = (Vec::new(), Vec::new());
    let mut is_wrong = false;
    for mut word in rest {
        let is_flag = matches!(word.given, Given::Flag);
        let key = match &*word.name.to_string() {
            "pk" if !is_flag => &mut pk,
            "sk" if !is_flag => &mut sk,
            "constant" if !is_flag => {
                word.usage = CONSTANT;
                constant::read_into(word, &mut constants, reader.diag);
                continue;
            }
            "allow" if !is_flag => {
                allow::read(word, &mut allows, reader.diag);
                continue;
            }
            _ => {
                refuse(&word, reader);
                is_wrong = true;
                continue;
            }
        };
        if key.is_some() {
            let message = format!("`{}` is given twice; keep one", word.name);
            reader.diag.at(word.name.span(), message);
        }
        *key = Some(key_template(word, reader)?);
    }
    let Some(pk) = pk else {
        let message = "the row of a unique value has a `pk`; write `pk = \"TEXT#{field}\"`";
        reader.diag.at(span, message);
        return None;
    };
    if !is_shared {
        let message = format!(
            "`{name}`: a scan of a table with one entity returns every row, also those of unique values; declare the table with \
             `#[derive(DynamoTable)]`, and name it here: `table = Shop`"
        );
        reader.diag.at(span, message);
    }
    let keys = [Some(&pk), sk.as_ref()].into_iter().flatten();
    let stored = stored(keys.clone());
    let mut fields: Vec<(usize, Span)> = Vec::new();
    for template in keys {
        for (field, _) in template.parts() {
            if fields.iter().all(|(known, _)| *known != field) {
                fields.push((field, template.span));
            }
        }
    }
    if fields.is_empty() && !is_wrong {
        let message = format!(
            "the key of `{name}` contains no field, so all items would have one row; write `pk = \"TEXT#{{field}}\"`"
        );
        reader.diag.at(pk.span, message);
    }
    Some(Unique {
        fields,
        stored,
        stored_at: span,
        kept: UniqueKept::Row(UniqueRow {
            pk: KeySource::Template(pk),
            sk: sk.map(KeySource::Template),
            constants,
        }),
        filling: false,
        allows,
        name,
    })
}

/// Rule: a key of a row is a template.
fn key_template(opt: Opt, reader: &Reader<'_>) -> Option<Template> {
    let name = opt.name.to_string();
    match opt.value(reader.diag)? {
        OptionValue::Text(text) => Some(template::read(&text, reader)),
        other => {
            let message = format!(
                "`{name}` of a unique value is a template, in which the row of another program has its key; write `{name} = \
                 \"TEXT#{{field}}\"`"
            );
            reader.diag.over(other, message);
            None
        }
    }
}

/// Rule: what a look-up needs has no place here, because the row does not name its item.
fn refuse(word: &Opt, reader: &Reader<'_>) {
    let name = word.name.to_string();
    let is_flag = matches!(word.given, Given::Flag);
    let message = if is_flag && find_field(reader.fields, &name).is_some() {
        format!("`{name}`: the templates of the row name its fields; remove the word")
    } else if name == "filling" {
        "`filling` rejects look-ups, and rows of another program have none, because they do not name their items; remove the word"
            .to_owned()
    } else if name == "rename" {
        "`rename` sets a name in the keys of this library, and these rows have the key of their template; remove `rename`"
            .to_owned()
    } else {
        format!(
            "`{name}`: a unique value in rows of another program takes `pk`, `sk`, `constant` and `allow`"
        )
    };
    reader.diag.at(word.name.span(), message);
}

/// The name of the values: the templates, without names of Rust.
fn stored<'t>(keys: impl Iterator<Item = &'t Template>) -> String {
    let texts = keys.map(|template| {
        let pieces = template.pieces.iter().map(|piece| match piece {
            Piece::Literal(text) => text.clone(),
            Piece::Part { format, .. } => match format.written() {
                none if none.is_empty() => "{}".to_owned(),
                written => format!("{{:{written}}}"),
            },
        });
        pieces.collect::<String>()
    });
    texts.collect::<Vec<_>>().join(" ")
}
