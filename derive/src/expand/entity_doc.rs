//! The rustdoc of an entity: its operations, access patterns and paths, with links. Most operations are methods of
//! blanket implementations, which a reader of the page would not find.

use syn::Visibility;

use super::key_field::key_fields;
use super::tokens::{linked, listed, methods, plain_name, shown};
use super::usage::is_part;
use crate::model::{Entity, FieldRole};

/// Describes everything that can be called, above the functions of the entity.
pub(super) fn of_entity(entity: &Entity) -> String {
    let doc = EntityDoc { entity };
    format!(
        "{}{}{}{}{}\n{}",
        doc.operations(),
        doc.patterns(),
        doc.jobs(),
        doc.uniques(),
        doc.large_values(),
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

    fn link(&self, text: &str, item: &str) -> String {
        linked(&self.entity.krate, text, item)
    }

    fn methods(&self, owner: &str, names: &[&str]) -> String {
        methods(&self.entity.krate, owner, names)
    }

    /// Links to a function of the entity itself. The parentheses tell rustdoc that no field is meant.
    fn own(&self, name: &str, arguments: &str) -> String {
        format!("[`{}::{name}({arguments})`](Self::{name}())", self.ident())
    }

    fn operations(&self) -> String {
        let ident = self.ident();
        let parts = key_fields(self.entity);
        let parts = parts.iter().map(|key| &self.entity.fields[key.field].ident);
        let parts: Vec<String> = parts.map(plain_name).collect();
        let (on_key, on_item, together, in_batch): (&[&str], &[&str], _, _) =
            match self.entity.append_only {
                true => (&["get", "check"], &["create"], "`create` and `check`", None),
                false => (
                    &[
                        "get", "update", "upsert", "modify", "touch", "delete", "check",
                    ],
                    &["create", "put", "update", "changes_to", "delete"],
                    "`create`, `put`, `update`, `delete` and `check`",
                    // A batch has no conditions, and a unique value needs some.
                    (self.entity.uniques.is_empty() && self.entity.large.is_empty())
                        .then(|| self.link("`Batch`", "Batch")),
                ),
            };
        let in_batch = in_batch
            .map(|batch| format!("; {batch} takes many puts and deletes without conditions"));
        format!(
            "**Operations** are values until `.send(&db)`; {explain} shows the requests without sending them. A failure is \
             an {error} with a {kind} to match.\n\n\
             - One item by its key: {key} returns a {typed}, with {on_key}.\n\
             - One item as a value: `{ident}` has {on_item}.\n\
             - Many items: {get_many}, {scan}. {transaction} takes {together} of several items{in_batch}.\n",
            explain = self.link("`explain`", "Operation::explain"),
            error = self.link("`Error`", "Error"),
            kind = self.link("kind", "ErrorKind"),
            key = self.own("key", &parts.join(", ")),
            typed = self.link("`Key`", "Key"),
            on_key = self.methods("Key", on_key),
            on_item = self.methods("EntityExt", on_item),
            get_many = self.link(&format!("`{ident}::get_many(keys)`"), "EntityExt::get_many"),
            scan = self.link(&format!("`{ident}::scan()`"), "EntityExt::scan"),
            transaction = self.link("`Transaction`", "Transaction"),
            in_batch = in_batch.unwrap_or_default(),
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
        let mut settings = vec!["limit", "descending", "filter", "resume", "select"];
        // The rows of the table are whole items already.
        if !self.entity.indexes.is_empty() {
            settings.push("hydrate");
        }
        format!(
            "- Access patterns: {}. Each is a query, with the operations of {}: {}; {} and others.\n",
            listed(names.iter().map(|name| self.own(name, ".."))),
            self.link("`QueryExt`", "QueryExt"),
            self.methods(
                "QueryExt",
                &["page", "all", "first", "one", "count", "stream"]
            ),
            self.methods("QueryExt", &settings),
        )
    }

    fn jobs(&self) -> String {
        let each: &[&str] = match self.entity.append_only {
            true => return String::new(),
            false => &["update_each", "delete_each", "transact_each"],
        };
        format!(
            "- Jobs over all rows of a query or a scan: {}. {} stores many items, each under its own condition.\n",
            self.methods("BulkExt", each),
            self.link("`put_each`", "put_each"),
        )
    }

    fn uniques(&self) -> String {
        // The row of another program names no item, so it has no look-up.
        let uniques = self.entity.uniques.iter();
        let uniques = uniques.filter(|unique| unique.row().is_none());
        let names: Vec<_> = uniques
            .map(|unique| self.own(&plain_name(&unique.name), ".."))
            .collect();
        match names.is_empty() {
            true => String::new(),
            false => format!("- Look-ups of unique values: {}.\n", names.join(", ")),
        }
    }

    fn large_values(&self) -> String {
        let values = self.entity.large.iter();
        let names: Vec<_> = values
            .map(|value| self.own(&plain_name(&value.name), ".."))
            .collect();
        match names.is_empty() {
            true => String::new(),
            false => format!("- Lists and blobs beside an item: {}.\n", names.join(", ")),
        }
    }

    /// The paths that other modules can use. A private field has a private path.
    fn paths(&self) -> String {
        let rows = self.entity.fields.iter().enumerate();
        // Readers of the page are in other modules.
        let rows = rows.filter(|(_, field)| !matches!(field.vis, Visibility::Inherited));
        let rows = rows.filter_map(|(at, field)| {
            let (changes, name, ty) = (
                self.changes(at)?,
                plain_name(&field.ident),
                shown(&field.ty),
            );
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
        let on_path = |names: &[&str]| self.methods("expr::Path", names);
        let changes = match self.entity.append_only {
            true => String::new(),
            false => format!(
                " Changes, for `apply`: {}; of numbers {}; of lists {}; of sets {}; of maps {}.",
                on_path(&["set", "set_if_absent", "set_or_remove", "remove"]),
                on_path(&["add", "sub"]),
                on_path(&["push", "push_front", "extend", "prepend", "remove_at"]),
                on_path(&["insert", "discard"]),
                on_path(&["entry", "remove_entry"]),
            ),
        };
        format!(
            "**Conditions and changes** use these paths, in closures such as `|path| path.{first}().eq(value)`.\n\n\
             | path | type | can be changed |\n|---|---|---|\n{rows}\n\
             Conditions, for `when` and `filter`: {any}; of values with an order {sorted}; of text {text}; of collections \
             {collections}.{changes} See {expr} for the types and the rules.",
            first = self.first_path(),
            any = on_path(&["eq", "ne", "is_in", "exists", "missing"]),
            sorted = on_path(&["lt", "le", "gt", "ge", "between"]),
            text = on_path(&["starts_with", "contains", "size"]),
            collections = on_path(&["contains", "len"]),
            expr = self.link("`expr`", "expr"),
        )
    }

    /// Whether a field can be changed, or nothing if it has no path.
    fn changes(&self, at: usize) -> Option<&'static str> {
        let field = &self.entity.fields[at];
        let keys = key_fields(self.entity);
        Some(match field.role {
            FieldRole::Skip => return None,
            _ if self.entity.append_only => "no, the entity is append-only",
            FieldRole::Flatten => "through its fields",
            FieldRole::Rest => "through `entry(\"name\")`",
            FieldRole::Attribute | FieldRole::Ttl if keys.iter().any(|key| key.field == at) => {
                "no, it is part of the key"
            }
            FieldRole::Attribute | FieldRole::Ttl if field.expiry.is_none() => {
                match is_part(self.entity, at) {
                    // The new key can only be derived from a value that the request contains.
                    true => {
                        "only to a given value: an index, a unique value or the expiry depends on it"
                    }
                    false => "yes",
                }
            }
            _ => "no, the library sets it",
        })
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
