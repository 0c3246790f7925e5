//! Schemas as JSON: [`TableSchema::to_json`] and [`TableSchema::from_json`].

mod members;
#[cfg(test)]
mod tests;

use super::TableSchema;
use super::json_form::{JsonMembers, JsonRecord, refused};
use crate::codec::Item;
use crate::error::Result;

/// The number of the format. A member that readers may pass over does not raise it.
const FORMAT: u64 = 1;

impl TableSchema {
    /// The schema as JSON, with one member per line and always in the same order, for tools in other languages and for
    /// diffs.
    ///
    /// Each object has the members of one type of [`schema`](crate::schema), under the names of its fields, except for:
    ///
    /// | object | members |
    /// |---|---|
    /// | the whole, [`TableSchema`] | `format` is `1`. A reader rejects a greater number. Later versions may add members without raising it. `keys` is the style: `escaped`, or `verbatim:` and the delimiter |
    /// | `settings` | `billing` is `on_demand`, or an object of `reads`, `writes` and whether others change them, `scaled`; `on_demand_maximum` is `unlimited`, or an object of `reads` and `writes`; `encryption` is `aws_owned`, `aws_managed`, or an object of the `key` |
    /// | a key attribute, a key of an entity | `type` is `S`, `N` or `B`. A key of an entity has a `field`, or a `template`: a list of `text`, of `field` with `format`, `width` and `presence`, of `shards` |
    /// | an index | `projection` is `all`, `keys` or a list |
    /// | a field | `required`; `was` and `was_use` for the former name |
    /// | a pattern, a unique value | `whole_rows`; `filling` |
    /// | a value | `fields` of a struct, `wraps` (the type that a newtype is stored as), or `stored_as` (`names`, `numbers` or `tagged`), `tag` and `variants` of an enum |
    ///
    /// Missing and empty values are omitted.
    pub fn to_json(&self) -> String {
        let mut members = JsonMembers::written();
        // Writing neither fails nor changes what it writes.
        drop(members.must("format", &mut { FORMAT }));
        drop(self.clone().members(&mut members));
        members.into_tree().to_text()
    }

    /// Reads the schema that [`to_json`](TableSchema::to_json) wrote, of this version of the library or another one. It
    /// equals the one that was written; members that this version does not know are ignored. A format that is newer
    /// than this version is an error of kind [`Config`](crate::error::ErrorKind::Config), and so is any other text; the
    /// error names the wrong member.
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
