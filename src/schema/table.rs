//! A table's schema, as plain data.

use std::collections::BTreeMap;

use super::json_form::json_record;
use super::{
    AllowSchema, Billing, CollectionSchema, Declaration, DistanceFunction, Encryption,
    EntitySchema, IdentifyBy, IndexSettings, KeyType, OnDemandMaximum, Origin, Safeguard,
    StreamView, Style, TableClass, TableSettings, ValueSchema, WarmThroughput,
};

json_record! {
    /// A table: the data that DynamoDB needs, its other declarations, and its settings.
    /// [`DynamoTable::schema`](crate::DynamoTable::schema) returns it; its name does not include a prefix yet.
    ///
    /// It is plain data. [`to_json`](TableSchema::to_json) writes it for tools in other languages, and
    /// [`from_json`](TableSchema::from_json) reads that.
    ///
    /// ```
    /// use dynamo_entity::prelude::*;
    ///
    /// /// An order of a customer.
    /// #[derive(DynamoEntity)]
    /// #[dynamo(table = "orders", key(pk = "USER#{user}", sk = "ORDER#{number:08}"))]
    /// #[dynamo(gsi(by_status, pk = "STATUS#{status}", sk = "{number}"))]
    /// struct Order { user: String, number: u32, status: String, note: Option<String> }
    ///
    /// let schema = Order::schema().deletion_protection(true).tag("team", "sales");
    /// let order = schema.entity("Order").expect("it is declared");
    /// assert_eq!(order.doc, "An order of a customer.");
    /// assert_eq!(order.pk.to_string(), "\"USER#{user}\"");
    /// let note = order.field("note").expect("it is a field");
    /// assert_eq!((note.rust_type.as_str(), note.is_required), ("Option<String>", false));
    /// assert_eq!(order.patterns[0].name, "by_status");
    /// ```
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct TableSchema {
        /// The table's name, without the prefix of the connection.
        pub name: String => must,
        /// The doc comment of a table with several entities.
        pub doc: String => may,
        /// The partition key.
        pub pk: KeyAttribute => must,
        /// The sort key.
        pub sk: Option<KeyAttribute> => may,
        /// The attribute with the name of the entity, in a table of several.
        pub type_attribute: Option<String> => may,
        /// The option `identify_by`. Without it, rows are identified by their type, and by their key only if they have no type.
        pub identify_by: Option<IdentifyBy> => may,
        /// The field with which every partition key begins; see [the guide](crate::guide::tenants).
        pub tenant: Option<String> => may,
        /// The format of key texts.
        pub style: Style => must("keys"),
        /// Global secondary indexes.
        pub global_indexes: Vec<IndexSchema> => may,
        /// Local secondary indexes, which can only be created with the table.
        pub local_indexes: Vec<IndexSchema> => may,
        /// Vector indexes.
        pub vector_indexes: Vec<VectorIndexSchema> => may,
        /// The TTL attribute: the expiry time of the item, in epoch seconds.
        pub ttl: Option<String> => may,
        /// The stream of changes.
        pub stream: Option<StreamView> => may,
        /// Its operational settings.
        pub settings: TableSettings => must,
        /// The entities; none if DynamoDB described the table.
        pub entities: Vec<EntitySchema> => may,
        /// The types with `#[derive(DynamoValue)]` of the fields of the entities, by their names.
        pub values: Vec<ValueSchema> => may,
        /// The collections that were [given](TableSchema::with_collection).
        pub collections: Vec<CollectionSchema> => may,
        /// The allowed lints for it, or for one of its indexes.
        pub allows: Vec<AllowSchema> => may,
        /// The declaration of the table; None if DynamoDB described it, or if it was read from JSON.
        pub(crate) origin: Origin<Declaration>,
    }
}

impl TableSchema {
    /// A table with only a partition key, without a declaration.
    pub(crate) fn bare(name: String, pk: KeyAttribute) -> Self {
        TableSchema {
            name,
            pk,
            ..TableSchema::default()
        }
    }

    /// The same without data that only tools read.
    pub(crate) fn without_collections(&self) -> Self {
        TableSchema {
            collections: Vec::new(),
            ..self.clone()
        }
    }

    /// The entity of this name.
    pub fn entity(&self, name: &str) -> Option<&EntitySchema> {
        self.entities.iter().find(|entity| entity.name == name)
    }

    /// The value type of this name.
    pub fn value_type(&self, name: &str) -> Option<&ValueSchema> {
        self.values.iter().find(|value| value.name == name)
    }

    /// The index of this name, global or local.
    pub fn index(&self, name: &str) -> Option<&IndexSchema> {
        self.indexes().find(|index| index.name == name)
    }

    /// All indexes, global ones first.
    pub(crate) fn indexes(&self) -> impl Iterator<Item = &IndexSchema> {
        self.global_indexes.iter().chain(&self.local_indexes)
    }

    /// The vector index of this name.
    pub fn vector_index(&self, name: &str) -> Option<&VectorIndexSchema> {
        self.vector_indexes.iter().find(|index| index.name == name)
    }

    /// The types of all key attributes of the table and its indexes, and of those that conditions of searches name, by
    /// their names.
    pub fn key_types(&self) -> BTreeMap<&str, KeyType> {
        let of_indexes = self.indexes().flat_map(IndexSchema::keys);
        let of_vectors = self.vector_indexes.iter().flat_map(VectorIndexSchema::keys);
        let attributes = self.keys().chain(of_indexes).chain(of_vectors);
        attributes
            .map(|attribute| (attribute.name.as_str(), attribute.ty))
            .collect()
    }

    /// The attributes of the primary key.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &KeyAttribute> {
        std::iter::once(&self.pk).chain(&self.sk)
    }
}

/// Settings differ between environments, so code sets them and not the declaration.
impl TableSchema {
    /// Protects the table from deletion, until the protection is disabled.
    #[must_use]
    pub fn deletion_protection(mut self, on: bool) -> Self {
        self.settings.deletion_protection = Some(on);
        self
    }

    /// Keeps backups to restore the table to any second of the last 1 to 35 days.
    #[must_use]
    pub fn point_in_time_recovery(mut self, days: u8) -> Self {
        self.settings.point_in_time_recovery = Some(days);
        self
    }

    /// Selects the table class for data that is rarely read.
    #[must_use]
    pub fn infrequent_access(mut self) -> Self {
        self.settings.class = Some(TableClass::InfrequentAccess);
        self
    }

    /// Bills the table by requests, like a new table without a setting.
    #[must_use]
    pub fn on_demand(mut self) -> Self {
        self.settings.billing = Some(Billing::OnDemand);
        self
    }

    /// Bills this number of read and write units per second, for the table and for each of its global indexes.
    #[must_use]
    pub fn provisioned(mut self, reads: u64, writes: u64) -> Self {
        self.settings.billing = Some(Billing::Provisioned { reads, writes });
        self
    }

    /// Bills by units that others change as needed, such as the auto scaling of AWS. A new table, and each of its
    /// global indexes, starts with these; for an existing table they are not compared.
    #[must_use]
    pub fn scaled(mut self, reads: u64, writes: u64) -> Self {
        self.settings.billing = Some(Billing::Scaled { reads, writes });
        self
    }

    /// Limits a table that is billed by requests to this number of read and write units per second, and each of its
    /// global indexes too. DynamoDB throttles requests beyond them, so they bound the costs of an error or an attack.
    #[must_use]
    pub fn on_demand_maximum(mut self, reads: u64, writes: u64) -> Self {
        self.settings.on_demand_maximum = Some(OnDemandMaximum::Units { reads, writes });
        self
    }

    /// The same for one global index, if its limits differ from those of the table.
    #[must_use]
    pub fn on_demand_maximum_of(mut self, index: &str, reads: u64, writes: u64) -> Self {
        self.index_settings(index).on_demand_maximum =
            Some(OnDemandMaximum::Units { reads, writes });
        self
    }

    /// Removes the limits of a table that is billed by requests, and of its global indexes.
    #[must_use]
    pub fn without_on_demand_maximum(mut self) -> Self {
        self.settings.on_demand_maximum = Some(OnDemandMaximum::Unlimited);
        self
    }

    /// Requires that the table, and each of its global indexes, can serve this number of read and write units per second
    /// at once, for example before a launch. DynamoDB charges once for an increase, and never decreases them again, so
    /// remove the setting afterwards: a table that has more is as declared.
    #[must_use]
    pub fn warm_throughput(mut self, reads: u64, writes: u64) -> Self {
        self.settings.warm_throughput = Some(WarmThroughput { reads, writes });
        self
    }

    /// The same for one global index, if it differs from the table.
    #[must_use]
    pub fn warm_throughput_of(mut self, index: &str, reads: u64, writes: u64) -> Self {
        self.index_settings(index).warm_throughput = Some(WarmThroughput { reads, writes });
        self
    }

    /// Selects the key of the encryption at rest.
    #[must_use]
    pub fn encryption(mut self, encryption: Encryption) -> Self {
        self.settings.encryption = Some(encryption);
        self
    }

    /// Demands safeguards of the table, because its environment does: a [lint](crate::lint) reports each one that the
    /// settings do not contain. It changes nothing else.
    ///
    /// ```
    /// use dynamo_entity::prelude::*;
    /// use dynamo_entity::schema::{Safeguard, TableSchema};
    ///
    /// # #[derive(DynamoEntity)]
    /// # #[dynamo(table = "orders", key(pk = number))]
    /// # struct Order { number: u32 }
    /// fn production(table: TableSchema) -> TableSchema {
    ///     table.deletion_protection(true).demand(Safeguard::ALL)
    /// }
    ///
    /// let lints = production(Order::schema()).lints();
    /// let names: Vec<&str> = lints.iter().map(|lint| lint.rule.name()).collect();
    /// assert_eq!(names, ["unrecoverable_table", "no_spend_cap"]);
    /// assert!(Order::schema().lints().is_empty());
    /// ```
    #[must_use]
    pub fn demand<'s>(mut self, safeguards: impl IntoIterator<Item = &'s Safeguard>) -> Self {
        self.settings.demands.extend(safeguards);
        self
    }

    fn index_settings(&mut self, index: &str) -> &mut IndexSettings {
        let settings = &mut self.settings.indexes;
        settings.entry(index.to_owned()).or_default()
    }

    /// Adds a tag to the table.
    #[must_use]
    pub fn tag(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.settings.tags.insert(name.into(), value.into());
        self
    }
}

/// A table as [`Dynamo::table_name`](crate::Dynamo::table_name) takes it: a schema, or the declared name.
pub trait NamedTable {
    /// The name without the prefix of a connection.
    #[doc(hidden)]
    fn base_name(&self) -> &str;
}

impl NamedTable for TableSchema {
    fn base_name(&self) -> &str {
        &self.name
    }
}

impl NamedTable for str {
    fn base_name(&self) -> &str {
        self
    }
}

impl NamedTable for String {
    fn base_name(&self) -> &str {
        self
    }
}

impl<T: NamedTable + ?Sized> NamedTable for &T {
    fn base_name(&self) -> &str {
        (**self).base_name()
    }
}

json_record! {
    /// One attribute of a key.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    pub struct KeyAttribute {
        /// Its name.
        pub name: String => must,
        /// Its type.
        pub ty: KeyType => must("type"),
    }

    /// A vector index of a table.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct VectorIndexSchema {
        /// Its name.
        pub name: String => must,
        /// The attribute with the vector.
        pub attribute: String => must,
        /// The length of the vectors.
        pub dimensions: u16 => must,
        /// The distance.
        pub distance: DistanceFunction => must,
        /// The attribute whose value each search names. Items without it are not in the index.
        pub within: Option<KeyAttribute> => may,
        /// The attributes by which searches filter.
        pub filters: Vec<KeyAttribute> => may,
        /// The attributes in the index.
        pub projection: ProjectionSchema => must,
    }

    /// An index of a table.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct IndexSchema {
        /// Its name.
        pub name: String => must,
        /// Partition key attributes: one, or up to four of a multi-attribute key. A local index has those of its
        /// table.
        pub pk: Vec<KeyAttribute> => may,
        /// Sort key attributes, up to four.
        pub sk: Vec<KeyAttribute> => may,
        /// The attributes in the index.
        pub projection: ProjectionSchema => must,
    }
}

impl IndexSchema {
    /// Its key attributes.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &KeyAttribute> {
        self.pk.iter().chain(&self.sk)
    }
}

impl VectorIndexSchema {
    /// The attributes that conditions name; DynamoDB needs their types.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &KeyAttribute> {
        self.within.iter().chain(&self.filters)
    }
}

/// The attributes in an index, in addition to the keys.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ProjectionSchema {
    /// All.
    #[default]
    All,
    /// None.
    Keys,
    /// These, sorted and without key attributes.
    Include(Vec<String>),
}
