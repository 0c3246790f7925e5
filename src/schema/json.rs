//! Schemas as JSON: [`TableSchema::to_json`] and [`TableSchema::from_json`].

mod form;
mod members;
#[cfg(test)]
mod tests;
mod word;

use super::TableSchema;
use crate::codec::Item;
use crate::error::Result;
use form::{JsonMembers, JsonRecord, refused};
pub(crate) use word::Word;

/// The number of the format. A member that readers may pass over does not raise it.
const FORMAT: u64 = 1;

impl TableSchema {
    /// The schema as JSON, one member a line and always in the same order, for tools in other languages and for diffs.
    ///
    /// | member | what it holds |
    /// |---|---|
    /// | `format` | `1`; a reader rejects a greater one. JsonMembers may be added without raising it |
    /// | `name`, `doc` | the table's name without prefix, its doc comment |
    /// | `pk`, `sk` | `name` and `type` (`S`, `N`, `B`) of the key attributes |
    /// | `type_attribute`, `keys` | the attribute that names the entity; `escaped`, or `verbatim:` and the delimiter |
    /// | `global_indexes`, `local_indexes` | `name`; `pk` and `sk`, lists of attributes; `projection`: `all`, `keys` or a list |
    /// | `ttl`, `stream` | the attribute; `keys_only`, `new_image`, `old_image` or `new_and_old_images` |
    /// | `settings` | `deletion_protection`, `point_in_time_recovery` (days), `class`, `billing` (`on_demand`, or an object of `reads`, `writes` and whether others change them, `scaled`), `tags`, `replicas` (`consistency`, `regions`, `witness`) |
    /// | `entities` | `name`, `stored_name`, `doc`, `append_only`, `shape`, `fields`, `pk`, `sk`, `patterns`, `uniques`, `allows` |
    /// | `values` | the types with `#[derive(DynamoValue)]` that fields hold, each once: `name`, `doc`, and `fields` of a struct, `wraps` (the type that a newtype is stored as), or `stored_as` (`names`, `numbers` or `tagged`), `tag` and `variants` of an enum |
    /// | a variant | `name`, `stored` (the name or number that is stored), `fields` |
    /// | a field | `name`, `attribute`, `rust_type` (as it is written), `value_type` (by what it stores, with the names of `values`), `stored` (a type of DynamoDB), `role`, `required`, `form`, `default`, `doc` |
    /// | a key of an entity | `attribute`, `type`, and `field`, or `template`: a list of `text`, of `field` with `format`, `width` and `presence`, of `shards` |
    /// | a pattern | `name`, `index`, `kind`, `pk`, `sk`, `read_shards`, `when`, `when_fields`, `when_values`, `whole_rows`, `filling` |
    /// | a unique value | `name`, `stored`, `fields`, `parts` (of its keys, as in a template), `filling` |
    /// | `allows` | of a table or an entity: `rule`, the lint that is silent, and `of`, the part of the declaration where it is |
    /// | `collections` | `name`, `doc`, `index`, `partition`, `entities` |
    ///
    /// Missing and empty values are omitted.
    pub fn to_json(&self) -> String {
        let mut members = JsonMembers::written();
        // Writing neither fails nor changes what it writes.
        drop(members.must("format", &mut { FORMAT }));
        drop(self.clone().members(&mut members));
        members.into_tree().to_text()
    }

    /// The schema that [`to_json`](TableSchema::to_json) wrote, of this version of the library or another one. It equals
    /// the one that was written; members that this version does not know are passed over. A format that is newer than
    /// this version is an error of kind [`Config`](crate::error::ErrorKind::Config), and so is anything else, with the
    /// member that is wrong.
    pub fn from_json(json: &str) -> Result<TableSchema> {
        let root =
            Item::from_json(json).map_err(|error| refused("it is not JSON").with_source(error))?;
        let mut root = JsonMembers::of(&root);
        let (mut schema, mut format) = (TableSchema::default(), FORMAT);
        root.must("format", &mut format)?;
        // Before the members are read, because those of a newer format may mean something else.
        if format > FORMAT {
            let message = format!(
                "it has format {format}, and this version reads up to {FORMAT}: take a newer version of dynamo-entity"
            );
            return Err(refused(&message));
        }
        schema.members(&mut root)?;
        Ok(schema)
    }
}
