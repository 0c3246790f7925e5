//! The key of an item, from the texts of its parts.

use clap::ArgMatches;
use dynamo_entity::error::Stage;
use dynamo_entity::{Error, ErrorKind, Item};

use crate::arguments::texts;
use crate::failure::Failure;
use crate::model::ModelEntity;
use crate::part::PartInput;

/// The attributes of the primary key.
pub(crate) fn key_of(entity: ModelEntity<'_>, matches: &ArgMatches) -> Result<Item, Failure> {
    let parts = entity.key_parts();
    let given = texts(matches, parts.len());
    let key = entity.dynamic()?.key(given.iter().copied());
    key.map_err(|error| wrong_part(error, parts.iter().zip(given)))
}

/// The error with the given text, its type and an example, if a part is not a value of its type.
pub(crate) fn wrong_part<'p>(
    error: Error,
    mut given: impl Iterator<Item = (&'p PartInput<'p>, &'p str)>,
) -> Failure {
    let is_of_part = error.kind() == ErrorKind::InvalidKey && error.stage() == Stage::Key;
    let concerned = error.attribute().filter(|_| is_of_part);
    let part = concerned.and_then(|field| given.find(|(part, _)| part.field() == field));
    match part {
        Some((part, text)) => {
            let named = match part.option.as_str() {
                "" => part.value_name(),
                option => format!("--{option}"),
            };
            Failure::said(format!("{named}: `{text}` is no {}", part.kind()))
        }
        None => error.into(),
    }
}
