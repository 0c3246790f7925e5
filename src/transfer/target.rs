//! The items that an import stores: those of an entity, or any.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use super::table_keys::KeysOfTable;
use crate::bulk::{PreparedWrite, RestoredValues, RestoringWrite, SingleWrite};
use crate::codec::{DynamoValue as _, Item, Value};
use crate::dynamo::Dynamo;
use crate::entity::field::is_derived;
use crate::entity::{
    DynamoEntity, DynamoTable, add_own_type, encode_as_is, is_item_of, older_shape_of, read,
    unread_names,
};
use crate::error::{Error, ErrorKind, Remedy, Result, Stage};
use crate::expr::Node;
use crate::json::{CodecError, Reader, Tag};
use crate::path::Place;
use crate::plan::{Meaning, Precondition, WriteRequest, WriteVerb, check, size};
use crate::schema::{
    DeclaredEntity, EntityDef, KeyAttribute, Pattern, TableDef, TableSchema, is_reserved,
};
use crate::write::{Intent, PlannedWrite, Put};

/// The name of items without a declaration in errors.
const NAME: &str = "Item";

static IMPORT: Pattern = Pattern::alone(NAME, "import");

/// How the items are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ImportMode {
    /// Whether items are stored as they are, without their entity.
    pub(super) is_as_is: bool,
    /// Whether an item with the same key is replaced.
    pub(super) replaces: bool,
    /// Whether attributes that the entity does not have are dropped.
    pub(super) drops_unknown: bool,
}

/// An item to be stored.
pub(super) struct ImportedItem {
    pub(super) write: Box<dyn SingleWrite>,
    /// The item after the write.
    pub(super) stored: Item,
}

/// The items that an import stores.
pub(super) trait ImportTarget: Send + Sync {
    /// The name of the entity or of the table, for errors and checkpoints.
    fn target_name(&self) -> &str;

    /// The name of the table.
    fn table_name(&self) -> &'static str;

    /// Returns an error if items of the target cannot be stored in this mode.
    fn check_mode(&self, mode: ImportMode) -> Result<()>;

    /// Whether the item belongs to the target.
    fn is_own(&self, item: &Item) -> bool;

    /// The write of the item of a line.
    fn imported_item(&self, item: Item, mode: ImportMode) -> Result<ImportedItem>;

    /// The way to store an item whose key another item has.
    fn remedy_for_existing(&self, mode: ImportMode) -> Remedy;
}

/// The items of an entity.
pub(super) struct EntityTarget<E> {
    items: TableItems,
    /// The types of the attributes that fields have.
    fields: BTreeMap<String, Option<Tag>>,
    has_rest: bool,
    /// The types of the items of its table.
    types: Vec<String>,
    entity: PhantomData<fn() -> E>,
}

impl<E: DynamoEntity> EntityTarget<E> {
    pub(super) fn new() -> Self {
        let schema = <E::Table as DynamoTable>::schema();
        let mut entities = schema.entities.iter();
        let own = entities.find(|entity| {
            let declared = entity.origin.0;
            declared.is_some_and(|declared| declared.entity.id == E::ENTITY.id)
        });
        let fields = own.into_iter().flat_map(|entity| &entity.fields);
        // During a renaming, items have the former name too, and reads know it.
        let typed = fields.clone().flat_map(|field| {
            let names = field.attribute.iter().chain(&field.former);
            names.map(|name| (name.clone(), field.stored))
        });
        EntityTarget {
            fields: typed.collect(),
            has_rest: fields
                .clone()
                .any(|field| field.role == crate::schema::FieldRole::Rest),
            types: schema
                .entities
                .iter()
                .map(|entity| entity.stored_name.clone())
                .collect(),
            items: TableItems {
                keys: KeysOfTable::of_schema(&schema),
                table: &<E::Table as DynamoTable>::TABLE,
                entity: &E::ENTITY,
                pattern: &IMPORT,
                has_uniques: !E::ENTITY.uniques.is_empty(),
                is_of_entity: true,
            },
            entity: PhantomData,
        }
    }

    /// Returns an error for a line of another entity, whose attributes would look unknown.
    fn check_type(&self, item: &Item) -> Result<()> {
        let Some(attribute) = E::ENTITY.type_attribute_in(self.items.table) else {
            return Ok(());
        };
        let (name, own) = (E::ENTITY.type_name, E::ENTITY.stored_name);
        let fail = |fault: CodecError| Error::decode(name, fault.at(attribute));
        match item.get(attribute) {
            None => check_constants(&E::ENTITY, item),
            Some(Value::S(stored)) if stored == own => check_constants(&E::ENTITY, item),
            Some(Value::S(stored)) => {
                // Only names of the model are shown, because messages contain no values.
                let mut known = self.types.iter();
                let message = match known.find(|known| *known == stored) {
                    Some(other) => format!(
                        "the type of the line is `{other}`, and that of `{name}` is `{own}`"
                    ),
                    None => format!(
                        "the type of the line is none of its table, and that of `{name}` is `{own}`"
                    ),
                };
                let error = fail(CodecError::new(message));
                Err(error.with_remedies([Remedy::ImportEntity, Remedy::ImportTable]))
            }
            Some(other) => Err(fail(CodecError::mismatch("S", other.tag().name()))),
        }
    }

    /// Gives values the types of their fields, as far as JSON lacks them, and rejects attributes that would be lost.
    fn fitting_item(&self, mut item: Item, mode: ImportMode) -> Result<Item> {
        let fail = |fault| Error::decode(E::ENTITY.type_name, fault);
        for (name, former) in unread_names(&E::ENTITY, &item) {
            if !mode.drops_unknown {
                let message = format!(
                    "it is read by its former name alone: name it `{former}` in the line, or omit it if an older program has \
                     removed the value"
                );
                let error = fail(CodecError::new(message).at(name));
                return Err(error.with_remedies([Remedy::DropUnknown]));
            }
            item.remove(name);
        }
        let older = older_shape_of(&E::ENTITY, &item);
        let has_other_key = self.has_other_key(&item);
        let mut fitting = Item::new();
        for (name, value) in item {
            let field = match older {
                // The fields of an older shape may have other types.
                Some(older) => is_read_by(older, &name).then_some(&None),
                None => self.fields.get(&name),
            };
            let value = match field {
                // JSON has fewer types than DynamoDB. The declared one tells a set from a list, and
                // bytes from a text.
                Some(Some(tag)) if value != Value::Null => {
                    let found = value.tag().name();
                    let value = value.into_type(*tag);
                    value.ok_or_else(|| fail(CodecError::mismatch(tag.name(), found).at(&*name)))?
                }
                Some(_) => value,
                None if self.is_kept(&name) => value,
                None if mode.drops_unknown => continue,
                // Without a type, only the key tells that the attributes are those of another entity.
                None if has_other_key => {
                    let message = "the entity has no field for it, and the key of the line is not one of this entity";
                    let error = fail(CodecError::new(message).at(name));
                    return Err(error.with_remedies([Remedy::ImportEntity, Remedy::ImportTable]));
                }
                None => {
                    let message =
                        "the entity has no field for it, and no `rest` field that keeps it";
                    let error = fail(CodecError::new(message).at(name));
                    return Err(error.with_remedies([Remedy::DropUnknown, Remedy::AsIs]));
                }
            };
            fitting.insert(name, value);
        }
        Ok(fitting)
    }

    /// Gives values the types of the fields of these names, if they fit.
    fn with_types(&self, item: Item) -> Item {
        let typed = item.into_iter().map(|(name, value)| {
            let tag = self.fields.get(&name).copied().flatten();
            let typed = tag.and_then(|tag| value.clone().into_type(tag));
            (name, typed.unwrap_or(value))
        });
        typed.collect()
    }

    /// Whether the item has a primary key, and it is not one of the entity.
    fn has_other_key(&self, item: &Item) -> bool {
        let mut names = self.items.table.key_names();
        names.all(|name| item.contains(name)) && !self.is_own(item)
    }

    /// Whether the entity writes the attribute itself, or keeps it.
    fn is_kept(&self, name: &str) -> bool {
        // The type and the keys of the entity are written again, and reserved attributes are of this library. A key of an index
        // that only other entities use would be lost.
        self.has_rest || is_reserved(name) || is_derived(&E::ENTITY, self.items.table, name)
    }
}

impl<E: DynamoEntity> ImportTarget for EntityTarget<E> {
    fn target_name(&self) -> &str {
        E::ENTITY.type_name
    }

    fn table_name(&self) -> &'static str {
        self.items.table.name
    }

    fn check_mode(&self, mode: ImportMode) -> Result<()> {
        if mode.replaces && E::ENTITY.append_only {
            let message = "it is `append_only`: its items are created, and never replaced";
            let error = Error::new(ErrorKind::Rejected, Stage::Request, message);
            return Err(error.of(E::ENTITY.type_name));
        }
        Ok(())
    }

    fn is_own(&self, item: &Item) -> bool {
        // An item that cannot be written as JSON is reported by the write.
        let json = item.to_dynamo_json();
        json.map_or(true, |json| is_item_of::<E>(&json))
    }

    fn remedy_for_existing(&self, mode: ImportMode) -> Remedy {
        match mode.is_as_is && self.items.has_uniques {
            true => Remedy::NotAsIs,
            false => Remedy::Replace,
        }
    }

    fn imported_item(&self, item: Item, mode: ImportMode) -> Result<ImportedItem> {
        let name = E::ENTITY.type_name;
        let fail = |fault| Error::decode(name, fault);
        if mode.is_as_is {
            let json = item.to_dynamo_json().map_err(fail)?;
            if !is_item_of::<E>(&json) {
                let message = "the item is not one of this entity, and it would be stored as it is";
                let error = Error::new(ErrorKind::Decode, Stage::Decode, message).of(name);
                return Err(error.with_remedies([Remedy::ImportTable, Remedy::NotAsIs]));
            }
            return self
                .items
                .imported_item(item, mode)
                .map_err(|error| error.of(name));
        }
        self.check_type(&item)?;
        let mut item = self.fitting_item(item, mode)?;
        add_own_type(&E::ENTITY, self.items.table, &mut item).map_err(fail)?;
        let entity: E = match read(&item.to_dynamo_json().map_err(fail)?) {
            // A field of both shapes may be a set or bytes, which JSON does not have.
            Err(_) if older_shape_of(&E::ENTITY, &item).is_some() => {
                read(&self.with_types(item).to_dynamo_json().map_err(fail)?)?
            }
            entity => entity?,
        };
        // The item that the write will store is needed beforehand: it decides whether an item that
        // is found there is this one.
        let fail = |fault| Error::encode(name, fault);
        let json = encode_as_is(&entity).map_err(fail)?;
        let stored = Item::from_dynamo_json(&json).map_err(fail)?;
        let write = RestoringWrite {
            write: Put::imported(entity, mode.replaces),
            restored: RestoredValues::of_item::<E>(|| json),
        };
        Ok(ImportedItem {
            write: Box::new(write),
            stored,
        })
    }
}

/// Returns an error for a line with another value of a constant. An import writes those that the line lacks.
fn check_constants(entity: &EntityDef, item: &Item) -> Result<()> {
    for constant in entity.constants {
        let fail =
            |fault: CodecError| Error::decode(entity.type_name, fault.at(constant.attribute));
        let Some(value) = item.get(constant.attribute) else {
            continue;
        };
        let own = Value::decode(&mut Reader::new(&constant.json())).map_err(fail)?;
        if *value != own {
            let message = format!(
                "the constant of `{}` is {}, and the line has another value",
                entity.type_name, constant.value
            );
            let error = fail(CodecError::new(message));
            return Err(error.with_remedies([Remedy::ImportEntity, Remedy::ImportTable]));
        }
    }
    Ok(())
}

/// Whether a declaration reads the attribute.
pub(super) fn is_read_by(def: &EntityDef, name: &str) -> bool {
    let mut attributes = def.attributes.iter();
    attributes.any(|attribute| attribute.names().any(|read| read == name))
}

/// Items of a table as they are.
pub(super) struct TableItems {
    keys: KeysOfTable,
    table: &'static TableDef,
    /// One of its entities.
    entity: &'static EntityDef,
    /// The pattern of the operation that stores them, an import or a copy.
    pattern: &'static Pattern,
    /// Whether some of them have unique values. The items of these values are stored like all others, so a replaced one would
    /// get another owner while the former owner still has the value.
    has_uniques: bool,
    /// Whether all of them are items of this entity, so that they replace no item of another one.
    is_of_entity: bool,
}

impl TableItems {
    /// The items of an import.
    pub(super) fn of_schema(schema: &TableSchema) -> Result<Self> {
        let DeclaredEntity { table, entity, .. } = schema.declared_entity()?;
        Ok(TableItems {
            keys: KeysOfTable::of_schema(schema),
            table,
            entity,
            pattern: &IMPORT,
            has_uniques: schema
                .entities
                .iter()
                .any(|entity| !entity.uniques.is_empty()),
            is_of_entity: false,
        })
    }
}

impl TableItems {
    /// All items of the table of these entities, stored by this pattern.
    pub(super) fn of_table(
        table: &'static TableDef,
        entities: &[&'static EntityDef],
        entity: &'static EntityDef,
        pattern: &'static Pattern,
    ) -> Self {
        TableItems {
            keys: KeysOfTable::of_table(table, entities),
            table,
            entity,
            pattern,
            has_uniques: entities.iter().any(|entity| !entity.uniques.is_empty()),
            is_of_entity: false,
        }
    }

    /// The way to store an item whose key another item has.
    pub(super) fn remedy_for_existing(&self) -> Remedy {
        match self.has_uniques {
            true => Remedy::ByEntity,
            false => Remedy::Replace,
        }
    }

    /// The attributes of the primary key.
    pub(super) fn primary_key(&self) -> &[KeyAttribute] {
        &self.keys.primary
    }

    /// The put of an item, which is also given as DynamoDB JSON.
    pub(super) fn write_of(
        &self,
        item: &Item,
        json: Vec<u8>,
        replaces: bool,
    ) -> Result<Box<dyn SingleWrite>> {
        let fail = |fault| Error::encode(NAME, fault);
        let key = self.keys.primary_key(item).map_err(fail)?;
        size::check_item(NAME, item.size())?;
        Ok(Box::new(ItemAsIs {
            key: key.to_dynamo_json().map_err(fail)?,
            item: json,
            table: self.table,
            entity: self.entity,
            pattern: self.pattern,
            replaces,
            is_of_entity: self.is_of_entity,
        }))
    }
}

impl ImportTarget for TableItems {
    fn target_name(&self) -> &str {
        self.table.name
    }

    fn table_name(&self) -> &'static str {
        self.table.name
    }

    fn check_mode(&self, _: ImportMode) -> Result<()> {
        Ok(())
    }

    fn is_own(&self, _: &Item) -> bool {
        true
    }

    fn remedy_for_existing(&self, _: ImportMode) -> Remedy {
        TableItems::remedy_for_existing(self)
    }

    fn imported_item(&self, item: Item, mode: ImportMode) -> Result<ImportedItem> {
        let json = item.to_dynamo_json();
        let json = json.map_err(|fault| Error::encode(NAME, fault))?;
        Ok(ImportedItem {
            write: self.write_of(&item, json, mode.replaces)?,
            stored: item,
        })
    }
}

/// The put of an item as it is.
struct ItemAsIs {
    key: Vec<u8>,
    item: Vec<u8>,
    table: &'static TableDef,
    entity: &'static EntityDef,
    pattern: &'static Pattern,
    replaces: bool,
    is_of_entity: bool,
}

impl SingleWrite for ItemAsIs {
    fn prepared(self: Box<Self>, db: &Dynamo) -> PreparedWrite {
        let now = db.now();
        let condition = match self.replaces {
            true => Node::all([]),
            // Entities treat an expired item as missing. This stores plain items, so an expired one counts as stored
            // too.
            false => Node::Missing(Place::of(self.table.pk)),
        };
        let (_, failure) = check::build_condition(self.entity, Precondition::Missing, None, now);
        let (failure, room) = (failure.or_expired(), 512 + self.item.len());
        let (verb, of_table) = (WriteVerb::Put, (self.table, self.entity));
        let mut write = match self.is_of_entity {
            true => {
                let asked = (condition, failure);
                WriteRequest::typed(of_table, verb, self.pattern, room, asked, now, db)
            }
            false => {
                let asked = (condition, Meaning::Row(failure));
                let table = db.table_name(self.table.name);
                WriteRequest::new(verb, table, room, self.pattern, now, asked)
            }
        };
        write.put_item(&self.item);
        PreparedWrite {
            intent: Ok(Intent::Ready(PlannedWrite::Alone(write))),
            key: Ok(self.key),
            verb: self.pattern.name,
            entity: NAME,
            pattern: self.pattern,
            table: self.table,
            // The items of unique values are lines of their own.
            restored: None,
        }
    }
}
