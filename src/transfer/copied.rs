//! The items that a copy stores: rows of an entity with their unique values, masked rows, or items as they are.

use std::collections::HashSet;

use sha2::{Digest, Sha256};

use super::mask::{Mask, has_personal_expiry, has_personal_key};
use super::nulls::add_nulls;
use super::personal::{is_stored_as, personal_paths, unknown_of};
use super::target::{TableItems, is_read_by};
use crate::bulk::{PreparedWrite, RestoredValues, RestoringWrite, SingleWrite};
use crate::codec::Item;
use crate::dynamo::Dynamo;
use crate::entity::field::is_derived;
use crate::entity::sentinel::is_sentinel;
use crate::entity::{
    DynamoEntity, DynamoTable, UntypedEntity, encode_as_is, encode_present, is_item_of,
    older_shape_of, read,
};
use crate::error::{Error, ErrorKind, Remedy, Result, Stage};
use crate::hex::first_digits;
use crate::json::CodecError;
use crate::plan::size;
use crate::query::QuerySource;
use crate::schema::{
    EntityDef, EntityModel, FieldRole, KeyAttribute, Pattern, TableDef, is_reserved, is_unique_row,
};
use crate::write::{copied_put, untyped_key};

static COPY: Pattern = Pattern::alone("Item", "copy");

/// The functions of an entity that a copy needs.
#[derive(Clone, Copy)]
pub(crate) struct CopiedEntity {
    pub(super) def: &'static EntityDef,
    pub(super) model: &'static EntityModel,
    table: &'static TableDef,
    is_own: fn(&[u8]) -> bool,
    as_it_is: fn(&[u8]) -> Result<CopiedRow>,
    masked: fn(&[u8], &Mask, bool) -> Result<CopiedRow>,
    restored: fn(&[u8]) -> Option<RestoredValues>,
}

/// A row of an entity, and its item in the target.
struct CopiedRow {
    entity: Box<dyn UntypedEntity + Send>,
    item: Vec<u8>,
}

impl CopiedEntity {
    pub(super) fn of<E: DynamoEntity>() -> Self {
        CopiedEntity {
            def: &E::ENTITY,
            model: &E::MODEL,
            table: &<E::Table as DynamoTable>::TABLE,
            is_own: is_item_of::<E>,
            as_it_is: |item| {
                Ok(CopiedRow {
                    entity: Box::new(read::<E>(item)?),
                    item: item.to_vec(),
                })
            },
            masked: masked::<E>,
            restored: |item| RestoredValues::of_item::<E>(|| item.to_vec()),
        }
    }
}

/// Decodes a row, masks it, and encodes it again, so that its keys are built from the masked values.
fn masked<E: DynamoEntity>(
    json_of_row: &[u8],
    mask: &Mask,
    drops_unknown: bool,
) -> Result<CopiedRow> {
    let def = &E::ENTITY;
    let fail = |fault| Error::decode(def.type_name, fault);
    let entity: E = read(json_of_row)?;
    if !drops_unknown {
        let item = Item::from_dynamo_json(json_of_row).map_err(fail)?;
        check_fields::<E>(&item)
            .map_err(|fault| fail(fault).with_remedies([Remedy::DropUnknown]))?;
    }
    let present = encode_present(&entity).and_then(|json| Item::from_dynamo_json(&json));
    let table = &<E::Table as DynamoTable>::TABLE;
    let masked = mask.mask_item(def, &E::MODEL, table, present.map_err(fail)?);
    let json = masked.and_then(|masked| masked.to_dynamo_json());
    let json = json.map_err(fail)?;
    let entity: E = read(&json).map_err(|error| {
        let message =
            format!("a pseudonym does not fit its field, so the row was not copied: {error}");
        Error::new(ErrorKind::InvalidValue, Stage::Encode, message)
            .of(def.type_name)
            .with_remedies([Remedy::ChooseValue])
            .with_source(error)
    })?;
    let item = encode_as_is(&entity).map_err(|fault| Error::encode(def.type_name, fault))?;
    let item = with_nulls::<E>(json_of_row, item).map_err(fail)?;
    let item = with_expiry(def, json_of_row, item).map_err(fail)?;
    Ok(CopiedRow {
        entity: Box::new(entity),
        item,
    })
}

/// Returns the item with the NULLs of its row. Encoding omits those that were read as None, and writes the defaults of
/// others.
fn with_nulls<E: DynamoEntity>(row: &[u8], item: Vec<u8>) -> Result<Vec<u8>, CodecError> {
    let stored = Item::from_dynamo_json(row)?;
    // The attributes of another shape have other meanings.
    if older_shape_of(&E::ENTITY, &stored).is_some() {
        return Ok(item);
    }
    let mut copy = Item::from_dynamo_json(&item)?;
    if !add_nulls(E::MODEL.fields, &stored, &mut copy) {
        return Ok(item);
    }
    let with_nulls = copy.to_dynamo_json()?;
    // A type with code of its own may read NULL as another value.
    Ok(
        match (E::ENTITY.reread)(&with_nulls) == (E::ENTITY.reread)(&item) {
            true => with_nulls,
            false => item,
        },
    )
}

/// Returns the item with the expiry of its row. Encoding derives another one if the declared lifetime has changed since, or
/// if the row has none.
fn with_expiry(def: &EntityDef, row: &[u8], item: Vec<u8>) -> Result<Vec<u8>, CodecError> {
    let (Some(ttl), Some(_)) = (def.ttl, def.expiry) else {
        return Ok(item);
    };
    let stored = Item::from_dynamo_json(row)?;
    let mut copy = Item::from_dynamo_json(&item)?;
    match stored.get(ttl) {
        Some(value) => copy.insert(ttl, value.clone()),
        None => copy.remove(ttl),
    };
    copy.to_dynamo_json()
}

/// Returns an error for an attribute without a field, because no declaration says whether it is personal.
fn check_fields<E: DynamoEntity>(item: &Item) -> Result<(), CodecError> {
    let (def, table) = (&E::ENTITY, &<E::Table as DynamoTable>::TABLE);
    let older = older_shape_of(def, item);
    let fields = E::MODEL.fields;
    // Another shape has other types.
    for (name, value) in item.iter().filter(|_| older.is_none()) {
        let field = fields.iter().find(|field| is_stored_as(field, name));
        // A personal value is masked with all of its members.
        let open = field.filter(|field| !field.is_personal);
        if let Some(member) = open.and_then(|field| unknown_of(field, value)) {
            let message =
                "its type has no field for it, so no declaration tells whether it is personal";
            return Err(CodecError::new(message).at(member).at(name.as_str()));
        }
    }
    if fields.iter().any(|field| field.role == FieldRole::Rest) {
        return Ok(());
    }
    for (name, _) in item {
        let is_known = match older {
            Some(older) => is_read_by(older, name),
            None => fields.iter().any(|field| is_stored_as(field, name)),
        };
        if !is_known && !is_reserved(name) && !is_derived(def, table, name) {
            let message = "the entity has no field for it and no `rest` field, so no declaration tells whether it is personal";
            return Err(CodecError::new(message).at(name.as_str()));
        }
    }
    Ok(())
}

/// The rows of a copy, and the settings by which their items are stored.
pub(super) struct CopyTarget {
    /// The entity of the rows; None if they are all items of a table.
    pub(super) entity: Option<CopiedEntity>,
    /// The entities of a masked copy of a table.
    pub(super) entities: Vec<CopiedEntity>,
    table: &'static TableDef,
    /// All entities of the table.
    declared: &'static [&'static EntityDef],
    /// The writes of items as they are, for a copy of a table.
    items: TableItems,
    pub(super) mask: Option<Mask>,
    pub(super) mode: CopyMode,
    /// The hashes of the keys of masked items, if two rows may get the same key.
    keys: HashSet<[u8; 16]>,
}

/// The settings for the stored items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct CopyMode {
    pub(super) replaces: bool,
    pub(super) drops_unknown: bool,
    pub(super) copies_others: bool,
}

/// A row that is copied.
pub(super) struct CopiedItem {
    pub(super) stored: Item,
    pub(super) write: Box<dyn SingleWrite>,
}

impl CopyTarget {
    pub(super) fn new(entity: Option<CopiedEntity>, source: &QuerySource) -> Self {
        CopyTarget {
            entity,
            entities: Vec::new(),
            table: source.table,
            declared: source.entities,
            items: TableItems::of_table(source.table, source.entities, source.entity, &COPY),
            mask: None,
            mode: CopyMode::default(),
            keys: HashSet::new(),
        }
    }

    /// Returns an error for settings that could lose or reveal something, or that have no effect.
    pub(super) fn check(&self, source: &QuerySource) -> Result<()> {
        self.check_settings()?;
        self.check_entities(source)?;
        self.check_replacing(source.entities)?;
        self.check_large(source)?;
        self.check_second_keys(source.entities)?;
        match &self.mask {
            Some(mask) => self.check_masked(mask),
            None => Ok(()),
        }
    }

    /// The entities whose types are known.
    fn copied_entities(&self) -> impl Iterator<Item = &CopiedEntity> {
        self.entity.iter().chain(&self.entities)
    }

    /// Returns an error for a setting without an effect, because its caller expects one.
    fn check_settings(&self) -> Result<()> {
        let mode = self.mode;
        let message = match (&self.mask, self.entity) {
            (None, _) if mode.copies_others => {
                "`.copy_others()` is for masked copies: others copy every item of the table"
            }
            (None, _) if mode.drops_unknown => {
                "`.drop_unknown()` is for masked copies: others copy each item with all of its attributes"
            }
            (None, _) if !self.entities.is_empty() => {
                "`.entity::<..>()` is for masked copies: others copy every item of the table"
            }
            (Some(_), Some(_)) if mode.copies_others => {
                "`.copy_others()` is for copies of a table, and this is a copy of one entity"
            }
            (Some(_), Some(_)) if !self.entities.is_empty() => {
                "`.entity::<..>()` is for copies of a table, and this is a copy of one entity"
            }
            _ => return Ok(()),
        };
        Err(Error::config(message))
    }

    /// Returns an error for a copy that would silently omit lists and blobs. A copy of all items of a table as they are copies them.
    fn check_large(&self, source: &QuerySource) -> Result<()> {
        let of_entity = self.entity.iter().map(|entity| entity.def);
        let masked = source.entities.iter().copied();
        let masked = masked.filter(|_| self.mask.is_some() && self.entity.is_none());
        let mut copied = of_entity.chain(masked);
        match copied.find(|def| !def.large.is_empty()) {
            None => Ok(()),
            Some(def) => Err(Error::config(format!(
                "a copy of `{}` would not contain its lists and blobs: copy all items of the table as they are, by `scan_items()` of its \
                 schema and without `masked`",
                def.type_name
            ))),
        }
    }

    /// Returns an error if not all of the named entities are of the table, or if a masked copy lacks one.
    fn check_entities(&self, source: &QuerySource) -> Result<()> {
        let (all, table) = (source.entities, source.table.name);
        let stranger = self.entities.iter().find(|entity| {
            let mut all = all.iter();
            !all.any(|def| def.id == entity.def.id)
        });
        if let Some(stranger) = stranger {
            let entity = stranger.def.type_name;
            let message = format!("`{entity}` is not an entity of the table `{table}`");
            return Err(Error::config(message));
        }
        if self.mask.is_none() || self.entity.is_some() {
            return Ok(());
        }
        let missing = all.iter().find(|def| {
            let mut named = self.entities.iter();
            !named.any(|entity| entity.def.id == def.id)
        });
        match missing {
            None => Ok(()),
            Some(def) => Err(Error::config(format!(
                "a masked copy of a table needs the type of each of its entities: add `.entity::<{0}>()`, or copy its entities \
                 one by one",
                def.type_name
            ))),
        }
    }

    /// Returns an error if items that are created only would be replaced.
    fn check_replacing(&self, all: &[&'static EntityDef]) -> Result<()> {
        let written: Vec<&EntityDef> = match self.entity {
            Some(entity) => vec![entity.def],
            // All items of the table are copied, whatever they are.
            None => all.to_vec(),
        };
        let fixed = written.iter().find(|def| def.append_only);
        match fixed.filter(|_| self.mode.replaces) {
            None => Ok(()),
            Some(fixed) => {
                let message = "it is `append_only`: its items are created, and never replaced";
                let error = Error::new(ErrorKind::Rejected, Stage::Request, message);
                Err(error.of(fixed.type_name))
            }
        }
    }

    /// Returns an error for an entity whose items are stored under two keys.
    fn check_second_keys(&self, all: &[&EntityDef]) -> Result<()> {
        let mut copied = self.copied_entities();
        match copied.find(|entity| has_two_rows(entity.def, all)) {
            None => Ok(()),
            Some(doubled) => {
                let message = "its items are stored under two keys, by `next_key` or `was_key`, and a copy writes one row at a time";
                let error = Error::config(message).of(doubled.def.type_name);
                Err(error.with_remedies([Remedy::CopyTable]))
            }
        }
    }

    /// Returns an error if the pseudonyms would tell a value, or if they would store a row twice.
    fn check_masked(&self, mask: &Mask) -> Result<()> {
        let mut copied = self.copied_entities();
        if let Some(entity) = copied.find(|of| has_personal_expiry(of.def, of.model)) {
            let message = "its expiry is derived from a personal field: the expiry of the row would tell its value, and another one \
                           could delete the copy at once: derive the expiry from another time, or write it in a field of its own";
            return Err(Error::config(message).of(entity.def.type_name));
        }
        let mut copied = self.copied_entities();
        let Some(keyed) = copied.find(|of| has_personal_key(of.def, of.model)) else {
            return Ok(());
        };
        let (message, remedy) = if mask.is_random() {
            let message = "a personal field is a part of its primary key, so a second copy with another secret would store each row \
                           again, under another key";
            (message, Remedy::WithSecret)
        } else if self.mode.replaces {
            let message = "a personal field is a part of its primary key, so a replaced item could be the copy of another row";
            (message, Remedy::DoNotReplace)
        } else {
            return Ok(());
        };
        let error = Error::config(message).of(keyed.def.type_name);
        Err(error.with_remedies([remedy]))
    }

    /// The text in checkpoints that identifies the mask and the fields that it replaces.
    pub(super) fn mask_name(&self) -> String {
        let Some(mask) = &self.mask else {
            return "as it is".to_owned();
        };
        let masked = self.entity.iter().chain(&self.entities);
        let paths = masked.map(|entity| personal_paths(entity.def.id, entity.model.fields));
        let mut paths: Vec<String> = paths.flatten().collect();
        paths.sort_unstable();
        let hash = first_digits(&Sha256::digest(paths.join("\n")), 8);
        format!(
            "masked with {}, {} personal fields ({hash})",
            mask.fingerprint(),
            paths.len()
        )
    }

    /// The name of the rows in checkpoints.
    pub(super) fn rows_name(&self) -> &'static str {
        self.entity
            .map_or("all items", |entity| entity.def.type_name)
    }

    /// The attributes of the primary key of the table.
    pub(super) fn primary_key(&self) -> &[KeyAttribute] {
        self.items.primary_key()
    }

    /// Returns the item to store for a row, or None if a masked copy omits it. Fails if the row would get the key of an
    /// earlier one.
    pub(super) fn copied_item(&mut self, row: &[u8]) -> Result<Option<CopiedItem>> {
        let Some((entity, row)) = self.masked_row(row)? else {
            return match self.is_omitted(row) {
                true => Ok(None),
                false => self.unmasked_item(row).map(Some),
            };
        };
        // A closure may return one value twice, and a key may contain a part of a value only, such as the month of a day.
        if has_personal_key(entity.def, entity.model) {
            let key = untyped_key(&*row.entity)?;
            let hash = Sha256::digest(key.json());
            let mut short = [0; 16];
            short.copy_from_slice(hash.split_at(16).0);
            if !self.keys.insert(short) {
                let message = "an earlier row has the same pseudonyms in its primary key; a part of a time in a key, as in \
                               `{at:month}`, has too few values for pseudonyms";
                let error = Error::new(ErrorKind::AlreadyExists, Stage::Encode, message);
                let error = error.with_remedies([Remedy::ChooseValue]);
                return Err(error.of(entity.def.type_name));
            }
        }
        entity_item(&entity, row, self.mode).map(Some)
    }

    /// The remedy for a row whose key another item has.
    pub(super) fn remedy_for_existing(&self) -> Remedy {
        match (&self.mask, self.entity) {
            // A second copy has other pseudonyms, so each of its rows differs.
            (Some(mask), _) if mask.is_random() => Remedy::WithSecret,
            (Some(_), _) | (None, Some(_)) => Remedy::Replace,
            (None, None) => self.items.remedy_for_existing(),
        }
    }

    /// Creates another write of a row, for a further attempt.
    pub(super) fn rewrite(&self, row: &[u8]) -> Result<Box<dyn SingleWrite>> {
        let item = match self.masked_row(row)? {
            Some((entity, row)) => entity_item(&entity, row, self.mode)?,
            None => self.unmasked_item(row)?,
        };
        Ok(item.write)
    }

    /// The masked row; None if the row is not masked.
    fn masked_row(&self, row: &[u8]) -> Result<Option<(CopiedEntity, CopiedRow)>> {
        let Some(mask) = &self.mask else {
            return Ok(None);
        };
        let Some(entity) = self.entity.or_else(|| self.entity_of(row)) else {
            return Ok(None);
        };
        let row = (entity.masked)(row, mask, self.mode.drops_unknown)?;
        Ok(Some((entity, row)))
    }

    /// The entity of a row of a masked copy of a table.
    fn entity_of(&self, row: &[u8]) -> Option<CopiedEntity> {
        let mut entities = self.entities.iter();
        // The item of a unique value contains the value of the source, and is written again with the masked row.
        let found = entities.find(|entity| !self.stores_value(row) && (entity.is_own)(row));
        found.copied()
    }

    /// Whether a row stores a unique value.
    fn stores_value(&self, row: &[u8]) -> bool {
        is_sentinel(row) || is_unique_row(self.table, self.declared, row)
    }

    /// Whether a masked copy omits a row that it cannot mask.
    fn is_omitted(&self, row: &[u8]) -> bool {
        self.mask.is_some() && (self.stores_value(row) || !self.mode.copies_others)
    }

    fn unmasked_item(&self, row: &[u8]) -> Result<CopiedItem> {
        if let Some(entity) = self.entity {
            return entity_item(&entity, (entity.as_it_is)(row)?, self.mode);
        }
        let item = Item::from_dynamo_json(row).map_err(|fault| Error::decode("Item", fault))?;
        let write = self
            .items
            .write_of(&item, row.to_vec(), self.mode.replaces)?;
        Ok(CopiedItem {
            stored: item,
            write,
        })
    }
}

/// Whether items of the entity are stored under two keys.
fn has_two_rows(def: &EntityDef, all: &[&EntityDef]) -> bool {
    let is_other = |entity: &&EntityDef| {
        let second = entity
            .second_key
            .filter(|_| entity.writes_second_row(false));
        second.is_some_and(|second| second.other.id == def.id)
    };
    def.writes_second_row(false) || all.iter().any(is_other)
}

fn entity_item(entity: &CopiedEntity, row: CopiedRow, mode: CopyMode) -> Result<CopiedItem> {
    let name = entity.def.type_name;
    let stored = Item::from_dynamo_json(&row.item).map_err(|fault| Error::decode(name, fault))?;
    size::check_size(row.entity.declaration(), &row.item, stored.size())?;
    let write = RestoringWrite {
        restored: (entity.restored)(&row.item),
        write: EntityCopy {
            row,
            replaces: mode.replaces,
            table: entity.table,
            def: entity.def,
        },
    };
    Ok(CopiedItem {
        stored,
        write: Box::new(write),
    })
}

/// The put of a row of an entity, together with the items of its unique values.
struct EntityCopy {
    row: CopiedRow,
    replaces: bool,
    table: &'static TableDef,
    def: &'static EntityDef,
}

impl SingleWrite for EntityCopy {
    fn prepared(self: Box<Self>, db: &Dynamo) -> PreparedWrite {
        let CopiedRow { entity, item } = self.row;
        PreparedWrite {
            intent: copied_put(&*entity, &item, self.replaces, &COPY, db),
            key: untyped_key(&*entity).map(|key| key.json().to_vec()),
            verb: "copy",
            entity: self.def.type_name,
            pattern: &COPY,
            table: self.table,
            restored: None,
        }
    }
}
