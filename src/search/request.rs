//! The request of a search.

use std::fmt;

use crate::dynamo::Dynamo;
use crate::entity::Projected;
use crate::error::{Error, Result};
use crate::expr::Expression;
use crate::json::{CodecError, Reader, Tag, Writer, find_member};
use crate::key::point::KeyPoint;
use crate::schema::{EntityDef, Pattern, Projection, SHAPE, TableDef, VectorDef};
use crate::search::condition::Equality;
use crate::wire::{Request, Resend, ServiceOperation};

/// DynamoDB's limit for one search.
const MOST_HITS: usize = 100;

/// A search under construction, without the types of its index and its rows.
#[derive(Clone)]
pub(super) struct SearchDraft {
    /// The vector as a JSON list of numbers.
    vector: Result<Vec<u8>, CodecError>,
    pub(super) count: usize,
    equalities: Vec<Equality>,
    /// The first value that cannot be encoded.
    fault: Option<CodecError>,
    /// The attributes that are read; `None` for keys alone.
    pub(super) attributes: Option<Vec<Projected>>,
    pub(super) include_expired: bool,
}

/// The constants of a search.
#[derive(Clone, Copy)]
pub(super) struct SearchSource {
    pub(super) entity: &'static EntityDef,
    pub(super) table: &'static TableDef,
    pub(super) index: &'static VectorDef,
    pub(super) pattern: &'static Pattern,
}

impl SearchDraft {
    pub(super) fn new(vector: &[f32], count: usize) -> Self {
        SearchDraft {
            vector: encode_numbers(vector),
            count,
            equalities: Vec::new(),
            fault: None,
            attributes: None,
            include_expired: false,
        }
    }

    pub(super) fn add_equality(&mut self, equality: Result<Equality, CodecError>) {
        match equality {
            Ok(equality) => self.equalities.push(equality),
            Err(fault) => self.fault = self.fault.take().or(Some(fault)),
        }
    }

    /// The request, checked before anything is sent.
    pub(super) fn build_request(&self, source: SearchSource, db: &Dynamo) -> Result<Request> {
        if self.count > MOST_HITS {
            let message = format!(
                "a search returns at most {MOST_HITS} hits, not {}: DynamoDB returns no more, and has no pages",
                self.count
            );
            return Err(Error::config(message));
        }
        let build = self.write_body(source, db);
        let (table, body) = build.map_err(|fault| Error::encode(source.entity.type_name, fault))?;
        self.check_attributes(source)?;
        Ok(Request::new(
            ServiceOperation::SearchVectors,
            source.pattern,
            table,
            body,
            Resend::Always,
        ))
    }

    fn write_body(
        &self,
        source: SearchSource,
        db: &Dynamo,
    ) -> Result<(String, Writer), CodecError> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        let vector = self.vector.as_ref().map_err(Clone::clone)?;
        let table = db.table_name(source.table.name);
        let mut body = Writer::for_request(vector.len() + 512);
        body.push_raw("{\"TableName\":");
        body.push_quoted(&table);
        body.push_raw(",\"IndexName\":");
        body.push_quoted(source.index.index);
        body.push_raw(&format!(",\"TopK\":{}", self.count.max(1)));
        let mut expression = Expression::default();
        self.write_condition(source, &mut expression)?;
        let names = self.read_names(source);
        expression
            .begin_parameter("ProjectionExpression")
            .push_names(names);
        expression.check_limits()?;
        expression.write_members(&mut body);
        body.push_raw(",\"SearchVector\":");
        body.raw_bytes(vector);
        body.push_raw("}");
        Ok((table, body))
    }

    /// The equalities of the caller, and that of the type: items of other entities have another one.
    fn all_equalities(&self, source: SearchSource) -> Vec<Equality> {
        let mut equalities = self.equalities.clone();
        if let Some(attribute) = source.table.type_attribute {
            let mut own = Writer::default();
            own.text(source.entity.stored_name);
            equalities.push((attribute.to_owned(), own.into_bytes()));
        }
        equalities
    }

    /// Whether an item of the table still belongs to the hits: an index lags behind.
    pub(super) fn still_holds(&self, item: &[u8], source: SearchSource) -> bool {
        let mut equalities = self.all_equalities(source).into_iter();
        has_vector(item, source.index.attribute).unwrap_or(false)
            && equalities.all(|(name, wanted)| has_value(item, &name, &wanted).unwrap_or(false))
    }

    /// The index filters by each attribute.
    fn write_condition(
        &self,
        source: SearchSource,
        expression: &mut Expression,
    ) -> Result<(), CodecError> {
        let equalities = self.all_equalities(source);
        expression.begin_parameter("SearchConditionExpression");
        for (at, (name, value)) in equalities.iter().enumerate() {
            if equalities.iter().take(at).any(|(before, _)| before == name) {
                let fault = CodecError::new("a search compares an attribute once: keep one filter");
                return Err(fault.at(name.clone()));
            }
            if at > 0 {
                expression.push_operator(" AND ");
            }
            expression
                .push_name(name.clone())
                .push_operator(" = ")
                .push_json(value);
        }
        Ok(())
    }

    /// The attributes to read. The index returns the vector only if it is named.
    fn read_names(&self, source: SearchSource) -> Vec<&'static str> {
        let mut names: Vec<&'static str> = source.table.key_names().collect();
        let read = self.attributes.iter().flatten();
        let read = read.map(|attribute| attribute.name);
        let always = source
            .table
            .type_attribute
            .into_iter()
            .chain(source.entity.ttl);
        let shape = self.attributes.is_some().then_some(SHAPE);
        for name in read.chain(always).chain(shape) {
            if !names.contains(&name) && source.holds(name) {
                names.push(name);
            }
        }
        names
    }

    /// An attribute that the index does not hold would be missing, although the item may have it.
    fn check_attributes(&self, source: SearchSource) -> Result<()> {
        let mut missing = self.attributes.iter().flatten();
        let is_missing =
            |attribute: &&Projected| !attribute.may_be_missing && !source.holds(attribute.name);
        let Some(attribute) = missing.find(is_missing) else {
            return Ok(());
        };
        let message = format!(
            "the vector index `{}` does not hold the attribute `{}`: add it to `project`, or read the items by `hydrate()`",
            source.index.index, attribute.name
        );
        Err(Error::config(message))
    }
}

impl SearchSource {
    /// Whether the index holds this attribute.
    fn holds(&self, name: &str) -> bool {
        let index = self.index;
        let filters = index.filters.iter().chain(&index.within);
        let mut conditions = filters.map(|key| key.attribute);
        match index.project {
            Projection::All => true,
            Projection::Include(listed) if listed.contains(&name) => true,
            Projection::Include(_) | Projection::Keys => {
                self.table.key_names().any(|key| key == name)
                    || self.table.type_attribute == Some(name)
                    || self.entity.ttl == Some(name)
                    || conditions.any(|condition| condition == name)
            }
        }
    }

    /// All attributes of the entity, under all names that an item may have.
    pub(super) fn all_attributes(&self) -> Vec<Projected> {
        let older = self.entity.older_shapes();
        let shapes = std::iter::once(self.entity).chain(older);
        let names = shapes
            .flat_map(|shape| shape.attributes)
            .flat_map(|known| known.names());
        names.map(Projected::optional).collect()
    }
}

/// Whether the attribute is a list, as each vector is.
fn has_vector(item: &[u8], attribute: &str) -> Result<bool, CodecError> {
    let Some(vector) = find_member(item, attribute)? else {
        return Ok(false);
    };
    Ok(Reader::new(vector).tag()? == Tag::L)
}

/// Whether the attribute has this value.
fn has_value(item: &[u8], attribute: &str, wanted: &[u8]) -> Result<bool, CodecError> {
    let Some(value) = find_member(item, attribute)? else {
        return Ok(false);
    };
    let read_point = |json| KeyPoint::read_point(&mut Reader::new(json));
    Ok(read_point(value)? == read_point(wanted)?)
}

/// `[{"N":"0.5"},..]`
fn encode_numbers(vector: &[f32]) -> Result<Vec<u8>, CodecError> {
    use crate::codec::DynamoValue as _;
    let mut writer = Writer::with_capacity(vector.len() * 24);
    writer.push_raw("[");
    for (at, number) in vector.iter().enumerate() {
        if at > 0 {
            writer.push_raw(",");
        }
        number.encode(&mut writer)?;
    }
    writer.push_raw("]");
    Ok(writer.into_bytes())
}

/// Omits the values.
impl fmt::Debug for SearchDraft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SearchDraft")
            .field("count", &self.count)
            .finish_non_exhaustive()
    }
}
