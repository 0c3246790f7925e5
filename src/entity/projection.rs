//! Some fields of an entity.

use super::{DynamoEntity, KeyParts};
use crate::entity::field::{or_null, within};
use crate::json::{CodecError, Reader};
use crate::schema::SHAPE;

/// Some fields of an entity, read without the others. Derive it.
///
/// ```
/// # use dynamo_entity::prelude::*;
/// #[derive(DynamoEntity)]
/// #[dynamo(table = "orders", key(pk = "USER#{user}", sk = "{number:06}"))]
/// struct Order { user: String, number: u32, total: u32, note: Option<String> }
///
/// /// Names and types are those of the entity, or it does not compile.
/// #[derive(Debug, PartialEq, DynamoProjection)]
/// #[dynamo(entity = Order)]
/// struct OrderRow { number: u32, total: u32 }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// # let db = Dynamo::connect("embedded:memory").await?;
/// # db.create_tables([Order::schema()]).await?;
/// Order { user: "ann".into(), number: 1, total: 30, note: None }.put().send(&db).await?;
/// let rows = Order::in_partition("ann").select::<OrderRow>().all(&db).await?;
/// assert_eq!(rows, [OrderRow { number: 1, total: 30 }]);
/// # Ok(()) }
/// ```
///
/// A row whose stored key is not the one that its fields give is rejected by every read as a
/// [`KeyMismatch`](crate::ErrorKind::KeyMismatch). A projection can only compare the fields that it has: without those
/// of the key it returns such a row, although a read of the whole entity rejects it. Include the whole key if you
/// intend to read or write by the result.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no projection",
    label = "not a projection",
    note = "write `#[derive(DynamoProjection)]` and `#[dynamo(entity = ..)]` on a struct with some fields of the entity"
)]
pub trait DynamoProjection: Sized + Send + 'static {
    /// The entity that the fields belong to.
    type Entity: DynamoEntity;

    /// The attributes that are read.
    #[doc(hidden)]
    fn attributes() -> Vec<Projected>;

    /// Reads an object of attributes, which includes those of the key.
    #[doc(hidden)]
    fn read(json: &[u8]) -> Result<Self, CodecError>;
}

/// An attribute that a projection reads.
#[derive(Debug, Clone, Copy)]
pub struct Projected {
    pub(crate) name: &'static str,
    /// The name under which older programs store it.
    pub(crate) former: Option<&'static str>,
    /// Whether an index need not hold the attribute: the primary key has the value too, or rows are read without it.
    pub(crate) may_be_missing: bool,
}

#[cfg(feature = "vectors")]
impl Projected {
    /// An attribute that rows may omit.
    pub(crate) fn optional(name: &'static str) -> Self {
        Projected {
            name,
            former: None,
            may_be_missing: true,
        }
    }
}

/// A field of the entity `E`: its type, and how it is read.
pub struct StoredField<E: DynamoEntity, T> {
    stored: Option<StoredAs<T>>,
    of_key: Option<fn(&E::KeyParts) -> T>,
    /// Set if the field has an attribute and is a part of the key too.
    put_in_key: Option<fn(&mut E::KeyParts, &T)>,
}

/// A field with an attribute of its own.
#[derive(Debug)]
struct StoredAs<T> {
    name: &'static str,
    former: Option<&'static str>,
    read: ReadField<T>,
    absent: fn() -> Option<T>,
    /// Whether the field has a default, which a NULL represents too.
    or_null: bool,
}

type ReadField<T> = fn(&mut Reader<'_>) -> Result<T, CodecError>;

impl<T> StoredAs<T> {
    /// Reads the value; `None` for a NULL that represents the default.
    fn read(&self, reader: &mut Reader<'_>) -> Result<Option<T>, CodecError> {
        match self.or_null {
            true => or_null(reader, self.read),
            false => (self.read)(reader).map(Some),
        }
    }
}

impl<E: DynamoEntity, T> StoredField<E, T> {
    /// A field with an attribute of this name.
    pub fn stored(name: &'static str, read: ReadField<T>, absent: fn() -> Option<T>) -> Self {
        StoredField {
            stored: Some(StoredAs {
                name,
                former: None,
                read,
                absent,
                or_null: false,
            }),
            of_key: None,
            put_in_key: None,
        }
    }

    /// The field of which older programs store the attribute under this name.
    #[must_use]
    pub fn formerly(mut self, name: &'static str) -> Self {
        if let Some(stored) = &mut self.stored {
            stored.former = Some(name);
        }
        self
    }

    /// Makes a NULL represent the default, as absence does.
    #[must_use]
    pub fn or_null(mut self) -> Self {
        if let Some(stored) = &mut self.stored {
            stored.or_null = true;
        }
        self
    }

    /// A field without an attribute of its own: a part of the key.
    pub fn in_key(of_key: fn(&E::KeyParts) -> T) -> Self {
        StoredField {
            stored: None,
            of_key: Some(of_key),
            put_in_key: None,
        }
    }

    /// The field can be read from the key too.
    #[must_use]
    pub fn or_in_key(self, of_key: fn(&E::KeyParts) -> T) -> Self {
        StoredField {
            of_key: Some(of_key),
            ..self
        }
    }

    /// The field is a part in a template of the key.
    #[must_use]
    pub fn as_part(self, put_in_key: fn(&mut E::KeyParts, &T)) -> Self {
        StoredField {
            put_in_key: Some(put_in_key),
            ..self
        }
    }

    /// Whether the key is needed for this field: for its value, or to check the value that was read.
    pub fn is_of_key(&self, found: &Option<T>) -> bool {
        match found {
            Some(_) => self.put_in_key.is_some(),
            None => self.of_key.is_some(),
        }
    }

    /// Replaces the key's part by the value that was read, if the field is a part of the key.
    pub fn put_in(&self, key: &mut E::KeyParts, found: &Option<T>) {
        if let (Some(put), Some(value)) = (self.put_in_key, found) {
            put(key, value);
        }
    }

    /// Its attribute.
    pub fn attribute(&self) -> Option<Projected> {
        self.stored.as_ref().map(|stored| Projected {
            name: stored.name,
            former: stored.former,
            may_be_missing: self.of_key.is_some(),
        })
    }

    /// Reads the next value.
    pub fn read(&self, reader: &mut Reader<'_>) -> Result<Option<T>, CodecError> {
        match &self.stored {
            Some(stored) => within(stored.name, stored.read(reader)),
            None => reader.skip().map(|()| None),
        }
    }

    /// The value that was read, else the one in the key, else what absence means.
    pub fn finish(&self, found: Option<T>, key: Option<&E::KeyParts>) -> Result<T, CodecError> {
        if let Some(value) = found {
            return Ok(value);
        }
        if let (Some(of_key), Some(key)) = (self.of_key, key) {
            return Ok(of_key(key));
        }
        let stored = self.stored.as_ref();
        let absent = stored.and_then(|stored| (stored.absent)());
        absent.ok_or_else(|| {
            let name = stored.map_or("", |stored| stored.name);
            CodecError::new("the attribute is missing").at(name)
        })
    }
}

/// The numbers of the fields of a projection, by the names of their attributes.
#[derive(Debug)]
pub struct FieldNumbers<const N: usize> {
    named: [(&'static str, usize); N],
    /// Whether they are sorted, since going through all of them would take longer.
    is_sorted: bool,
}

impl<const N: usize> FieldNumbers<N> {
    /// The fields in their order, those without an attribute too.
    pub fn new(fields: [Option<Projected>; N]) -> Self {
        let mut number = 0;
        let mut named = fields.map(|field| {
            number += 1;
            // No attribute has an empty name.
            (field.map_or("", |field| field.name), number - 1)
        });
        let is_sorted = N > 16;
        if is_sorted {
            named.sort_unstable();
        }
        FieldNumbers { named, is_sorted }
    }

    /// The number of the field with this attribute.
    pub fn of(&self, name: &str) -> Option<usize> {
        let found = match self.is_sorted {
            false => self.named.iter().find(|(known, _)| *known == name),
            true => {
                let at = self.named.partition_point(|(known, _)| *known < name);
                self.named.get(at).filter(|(known, _)| *known == name)
            }
        };
        found.map(|(_, number)| *number)
    }
}

impl<E: DynamoEntity, T> std::fmt::Debug for StoredField<E, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "StoredField({:?})", self.attribute())
    }
}

/// Reads the key, which has to stay the same if the values that were read replace its parts (law K8).
pub fn key_with<E: DynamoEntity>(
    json: &[u8],
    put: &mut dyn FnMut(&mut E::KeyParts),
) -> Result<E::KeyParts, CodecError> {
    E::KeyParts::read_with(&mut Reader::new(json), Some(put))
}

/// The attributes of the fields that have one, former names among them, and the one by which an item of a newer shape is
/// rejected.
pub fn stored_names<const N: usize>(names: [Option<Projected>; N]) -> Vec<Projected> {
    let also = |name| Projected {
        name,
        former: None,
        may_be_missing: true,
    };
    let former = names.iter().flatten().filter_map(|field| field.former);
    let more = former.map(also).chain([also(SHAPE)]);
    names.iter().flatten().copied().chain(more).collect()
}
