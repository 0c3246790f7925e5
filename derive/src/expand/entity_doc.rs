//! The rustdoc of an entity: its operations, access patterns and paths, with links. Most operations are methods of
//! blanket implementations, which a reader of the page would not find.

use syn::Visibility;

use super::key_field::key_fields;
use super::tokens::{plain_name, shown};
use crate::model::{Entity, FieldRole};

/// Describes everything that can be called, above the functions of the entity.
pub(super) fn of_entity(entity: &Entity) -> String {
    let doc = EntityDoc { entity };
    format!(
        "{}\n{}\n{}\n\n{}",
        doc.operations(),
        doc.patterns(),
        doc.uniques(),
        doc.paths()
    )
}

struct EntityDoc<'a> {
    entity: &'a Entity,
}

impl EntityDoc<'_> {
    fn ident(&self) -> String {
        plain_name(&self.entity.ident)
    }

    /// Links to an item of the library, by the path that the user's crate has for it.
    fn link(&self, text: &str, item: &str) -> String {
        let krate = shown(&self.entity.krate);
        let krate = krate.trim_start_matches("::");
        format!("[{text}]({krate}::{item})")
    }

    fn operations(&self) -> String {
        let ident = self.ident();
        let parts = key_fields(self.entity);
        let parts = parts.iter().map(|key| &self.entity.fields[key.field].ident);
        let parts: Vec<String> = parts.map(plain_name).collect();
        let on_item = match self.entity.append_only {
            true => "`create`",
            false => "`create`, `put`, `update`, `changes_to` and `delete`",
        };
        let on_key = match self.entity.append_only {
            true => "`get` and `check`",
            false => "`get`, `update`, `upsert`, `modify`, `touch`, `delete` and `check`",
        };
        format!(
            "Operations:\n\n\
             - `{ident}::key({})` returns {}, with the methods {on_key}.\n\
             - {} gives each item the methods {on_item}, and the type `{ident}::get_many(keys)` and `{ident}::scan()`.",
            parts.join(", "),
            self.link("a key", "Key"),
            self.link("`EntityExt`", "EntityExt"),
        )
    }

    fn patterns(&self) -> String {
        let mut names = Vec::new();
        if self.entity.sk.is_some() {
            names.push("in_partition".to_owned());
        }
        names.extend(
            self.entity
                .indexes
                .iter()
                .map(|index| plain_name(&index.name)),
        );
        if names.is_empty() {
            return String::new();
        }
        format!(
            "- Access patterns: {}. {} has the verbs of a query, such as `page`, `all`, `stream` and `count`; {} those of jobs \
             over all its rows, such as `update_each`.",
            listed(
                names
                    .iter()
                    .map(|name| format!("`{}::{name}(..)`", self.ident()))
            ),
            self.link("`QueryExt`", "QueryExt"),
            self.link("`BulkExt`", "BulkExt"),
        )
    }

    fn uniques(&self) -> String {
        let names: Vec<_> = self
            .entity
            .uniques
            .iter()
            .map(|unique| plain_name(&unique.name))
            .collect();
        if names.is_empty() {
            return String::new();
        }
        let names = names
            .iter()
            .map(|name| format!("`{}::{name}(..)`", self.ident()));
        format!("- Look-ups of unique values: {}.", listed(names))
    }

    /// The paths that other modules can use. A private field has a private path.
    fn paths(&self) -> String {
        let keys = key_fields(self.entity);
        let rows = self.entity.fields.iter().enumerate();
        // Readers of the page are in other modules.
        let rows = rows.filter(|(_, field)| !matches!(field.vis, Visibility::Inherited));
        let rows = rows.filter_map(|(at, field)| {
            let changes = match field.role {
                FieldRole::Skip => return None,
                FieldRole::Rest => "through `entry(\"name\")`",
                _ if self.entity.append_only => "no, the entity is append-only",
                FieldRole::Attribute | FieldRole::Ttl if keys.iter().any(|key| key.field == at) => {
                    "no, it is part of the key"
                }
                FieldRole::Attribute | FieldRole::Ttl => "yes",
                _ => "no, the library sets it",
            };
            let (name, ty) = (plain_name(&field.ident), shown(&field.ty));
            Some(format!(
                "| `{name}()` | `{ty}` | {changes} |\n",
                // A bar in a closure type would end the cell of the table.
                ty = ty.replace('|', "\\|")
            ))
        });
        let rows: String = rows.collect();
        if rows.is_empty() {
            return format!(
                "Conditions and changes: see {}.",
                self.link("`expr`", "expr")
            );
        }
        format!(
            "Conditions and changes: closures such as `|path| path.{}().eq(value)` use these paths. {} lists the conditions \
             and changes for each type.\n\n| path | type | can be changed |\n|---|---|---|\n{rows}",
            self.first_path(),
            self.link("`expr`", "expr"),
        )
    }

    /// The first path that other modules can use.
    fn first_path(&self) -> String {
        let mut fields = self.entity.fields.iter();
        let field =
            fields.find(|field| field.is_stored() && !matches!(field.vis, Visibility::Inherited));
        field
            .map(|field| plain_name(&field.ident))
            .unwrap_or_default()
    }
}

/// Joins names in a sentence.
fn listed(names: impl Iterator<Item = String>) -> String {
    names.collect::<Vec<_>>().join(", ")
}
