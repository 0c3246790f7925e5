//! The texts that name entities in the lock file, in cursors and in checkpoints: no two entities of a table share one.

use std::borrow::Cow;

use super::identity::is_identified_by_key;
use super::{
    EntityDef, EntitySchema, IdentifyBy, KeyContent, KeyDef, KeySchema, KeySource, Piece,
    PieceSchema, TableDef, TableSchema, Width, Word as _,
};

impl EntityDef {
    /// The value of the type attribute with the constants, and with the keys if they identify rows: no two entities of a
    /// table share it.
    pub(crate) fn identity(&self, table: &TableDef) -> Cow<'static, str> {
        let is_by_key = is_identified_by_key(table);
        // Each query asks for it, and almost no entity has constants.
        if self.constants.is_empty() && !is_by_key {
            return Cow::Borrowed(self.stored_name);
        }
        let constants = self.constants.iter();
        let constants = constants.map(|constant| (constant.attribute, constant.value.to_string()));
        let mut text = identity_text(self.stored_name, constants);
        if is_by_key {
            let keys = [Some(&self.pk), self.sk.as_ref()];
            add_keys(&mut text, keys.into_iter().flatten().map(key_text));
        }
        Cow::Owned(text)
    }
}

impl EntitySchema {
    /// The value of the type attribute with the constants, and with the keys if they identify rows: no two entities of a
    /// table share it.
    pub(crate) fn identity(&self, table: &TableSchema) -> String {
        let constants = self.constants.iter();
        let mut text = identity_text(
            &self.stored_name,
            constants.map(|constant| (constant.attribute.as_str(), constant.to_string())),
        );
        if table.identify_by == Some(IdentifyBy::Key) {
            let keys = [Some(&self.pk), self.sk.as_ref()];
            add_keys(&mut text, keys.into_iter().flatten().map(schema_key_text));
        }
        text
    }

    /// The attribute that stores its name in the items of a shared table.
    pub fn type_attribute_in<'s>(&'s self, table: &'s TableSchema) -> Option<&'s str> {
        let own = self.type_attribute.as_deref();
        own.or(table.type_attribute.as_deref())
    }
}

/// `order where __edb_v__ = "1"`
fn identity_text<'n>(
    stored_name: &str,
    constants: impl Iterator<Item = (&'n str, String)>,
) -> String {
    let mut constants: Vec<(&str, String)> = constants.collect();
    // The order of declarations is stored nowhere.
    constants.sort_unstable();
    let mut text = stored_name.to_owned();
    for (at, (attribute, value)) in constants.iter().enumerate() {
        text.push_str(if at == 0 { " where " } else { " and " });
        text.push_str(attribute);
        text.push_str(" = ");
        text.push_str(value);
    }
    text
}

/// The text before the keys in an identity.
const KEYS: &str = " under ";

/// `order where __edb_v__ = "1" under "$shop#customer_{}" "$order_1#number_{}"`
fn add_keys(text: &mut String, keys: impl Iterator<Item = String>) {
    for (at, key) in keys.enumerate() {
        text.push_str(if at == 0 { KEYS } else { " " });
        text.push_str(&format!("{key:?}"));
    }
}

/// An identity without the keys.
pub(crate) fn without_keys(identity: &str) -> &str {
    match identity.split_once(&format!("{KEYS}\"")) {
        Some((before, _)) => before,
        None => identity,
    }
}

/// The texts of a key, without the names of its fields: what a field is called is stored nowhere.
fn key_text(key: &KeyDef) -> String {
    let KeySource::Template(pieces) = key.source else {
        return part_text(Width::Variable);
    };
    let texts = pieces.iter().map(|piece| match piece {
        Piece::Literal(text) => (*text).to_owned(),
        Piece::Part { width, .. } => part_text(*width),
        Piece::Shard(_) => SHARD.to_owned(),
    });
    texts.collect()
}

fn schema_key_text(key: &KeySchema) -> String {
    let KeyContent::Template(pieces) = &key.content else {
        return part_text(Width::Variable);
    };
    let texts = pieces.iter().map(|piece| match piece {
        PieceSchema::Text(text) => text.clone(),
        PieceSchema::Part(part) => part_text(part.width),
        PieceSchema::Shard(_) => SHARD.to_owned(),
    });
    texts.collect()
}

/// Their number may grow, and the entity stays the same.
const SHARD: &str = "{shard}";

fn part_text(width: Width) -> String {
    match width {
        Width::Variable => "{}".to_owned(),
        width => format!("{{{}}}", width.word()),
    }
}
