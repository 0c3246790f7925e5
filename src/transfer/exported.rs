//! The files of exports to S3, read as entities: items of full exports, and changes of incremental ones.

use std::error::Error as StdError;
use std::fmt;
use std::io::Read;
use std::marker::PhantomData;

#[cfg(feature = "gzip")]
use super::folder::{ExportFolder, FolderLines};
use super::lines::{LineReader, LineText};
use super::report::{LinePlace, of_caller};
use crate::clock::Timestamp;
use crate::codec::Item;
use crate::entity::sentinel::{has_sentinel_key, is_sentinel};
use crate::entity::{DynamoEntity, Key, read, read_key};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::json::{CodecError, Reader, find_member};
use crate::query::{QuerySource, RowKind};
use crate::schema::{TypeMatch, has_uniques, is_identified_by_type, may_be_key_of};

/// A changed item of an incremental export: its states at the begin and at the end of the time of the export.
///
/// It is not an event: all changes of an item in this time are one `Exported`, and an item that was created and deleted
/// in between is in no file.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Exported<E: DynamoEntity> {
    /// The key of the item.
    pub key: Key<E>,
    /// The item at the begin; None if it did not exist, or if the export has no old states.
    pub old: Option<E>,
    /// The item at the end; None if it was deleted.
    pub new: Option<E>,
    /// The time of the last write.
    pub written_at: Option<Timestamp>,
}

impl<E: DynamoEntity> Exported<E> {
    /// Whether the item does not exist at the end.
    pub fn is_deleted(&self) -> bool {
        self.new.is_none()
    }
}

/// The items of an entity in a data file of a full export, which is decompressed; see
/// [`of_reader`](ExportedItems::of_reader).
///
/// Items of other entities, and those that store unique values, are omitted. Items of older shapes are upgraded. A line
/// that cannot be read is an error, and the next call continues after it.
pub struct ExportedItems<'r, E> {
    lines: NumberedLines<'r>,
    entity: PhantomData<fn() -> E>,
}

/// The changes of an entity in a data file of an incremental export, which is decompressed; see
/// [`of_reader`](ExportedChanges::of_reader).
///
/// Items of other entities, and those that store unique values, are omitted. Items of older shapes are upgraded. A line
/// that cannot be read is an error, and the next call continues after it.
pub struct ExportedChanges<'r, E> {
    lines: NumberedLines<'r>,
    entity: PhantomData<fn() -> E>,
}

/// A line of an export that cannot be read. Its text has the number of the line and the reason, and never a value.
///
/// A change is not read if one of its two states cannot be read. Use [`key`](Self::key) to read the item from the table,
/// or [`new_state`](Self::new_state) if only the old state is broken.
pub struct UnreadLine {
    place: LinePlace,
    error: Error,
    items: Box<LineItems>,
}

/// The attributes of a line that is no entity, as far as it is JSON.
#[derive(Default)]
struct LineItems {
    key: Option<Item>,
    new: Option<Item>,
}

impl LineItems {
    fn of_line(line: &[u8]) -> Self {
        let item = |name: &str| {
            let item = find_member(line, name).ok().flatten()?;
            Item::from_dynamo_json(item).ok()
        };
        LineItems {
            key: item("Keys"),
            new: item("NewImage").or_else(|| item("Item")),
        }
    }
}

impl UnreadLine {
    /// The number of the line in its file, from 1.
    pub fn number(&self) -> u64 {
        self.place.number
    }

    /// The name of the file in a folder, such as `data/abc.json.gz`.
    pub fn file(&self) -> Option<&str> {
        self.place.file.as_deref()
    }

    /// The reason.
    pub fn error(&self) -> &Error {
        &self.error
    }

    /// The key of the item, for a line of an incremental export.
    pub fn key(&self) -> Option<&Item> {
        self.items.key.as_ref()
    }

    /// The state at the end as stored, or the item of a full export; None if it was deleted, or if the line is no JSON.
    pub fn new_state(&self) -> Option<&Item> {
        self.items.new.as_ref()
    }
}

/// Shows no values of the item, because errors do not show them either.
impl fmt::Debug for UnreadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnreadLine")
            .field("place", &self.place)
            .field("error", &self.error)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for UnreadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.error)
    }
}

impl StdError for UnreadLine {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&self.error)
    }
}

impl<'r, E: DynamoEntity> ExportedItems<'r, E> {
    /// Reads the lines of DynamoDB JSON, `{"Item":{..}}`. The reader decompresses the file.
    ///
    /// ```
    /// use dynamo_entity::prelude::*;
    /// use dynamo_entity::transfer::ExportedItems;
    ///
    /// #[derive(Debug, DynamoEntity)]
    /// #[dynamo(table = "orders", key(pk = id))]
    /// struct Order { id: u32, total: u64 }
    ///
    /// let file = br#"{"Item":{"id":{"N":"1"},"total":{"N":"30"}}}
    /// {"Item":{"id":{"N":"2"},"total":{"S":"many"}}}
    /// {"Item":{"id":{"N":"3"},"total":{"N":"12"}}}"#;
    /// let (mut sum, mut unread) = (0, Vec::new());
    /// for order in ExportedItems::<Order>::of_reader(&file[..]) {
    ///     match order {
    ///         Ok(order) => sum += order.total,
    ///         Err(line) => unread.push(line.number()),
    ///     }
    /// }
    /// assert_eq!((sum, unread), (42, vec![2]));
    /// ```
    pub fn of_reader(reader: impl Read + Send + 'r) -> Self {
        ExportedItems {
            lines: NumberedLines::of_reader(reader),
            entity: PhantomData,
        }
    }

    /// Reads all data files of the folder of a full export. Each of them is compared with its checksum before the first
    /// line is read. A file with other lines than the manifest says ends the iteration with an error.
    #[cfg(feature = "gzip")]
    pub fn of_folder(folder: ExportFolder) -> Result<Self> {
        Ok(ExportedItems {
            lines: NumberedLines::of_folder(folder, false)?,
            entity: PhantomData,
        })
    }
}

impl<E: DynamoEntity> Iterator for ExportedItems<'_, E> {
    type Item = Result<E, UnreadLine>;

    fn next(&mut self) -> Option<Self::Item> {
        self.lines.next_row(|line| {
            let item = member_of(line, "Item")?;
            match item {
                Some(item) => image_as::<E>(item),
                None => Err(other_line::<E>(
                    "`{\"Item\":{..}}`, a line of a full export",
                )),
            }
        })
    }
}

impl<'r, E: DynamoEntity> ExportedChanges<'r, E> {
    /// Reads the lines of DynamoDB JSON, `{"Metadata":{..},"Keys":{..},"OldImage":{..},"NewImage":{..}}`. The reader
    /// decompresses the file.
    ///
    /// ```
    /// use dynamo_entity::prelude::*;
    /// use dynamo_entity::transfer::ExportedChanges;
    ///
    /// #[derive(Debug, PartialEq, DynamoEntity)]
    /// #[dynamo(table = "orders", key(pk = id))]
    /// struct Order { id: u32, total: u64 }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let file = br#"{"Metadata":{"WriteTimestampMicros":{"N":"1772357400000000"}},"Keys":{"id":{"N":"1"}},"OldImage":{"id":{"N":"1"},"total":{"N":"30"}},"NewImage":{"id":{"N":"1"},"total":{"N":"12"}}}
    /// {"Metadata":{"WriteTimestampMicros":{"N":"1772357400000001"}},"Keys":{"id":{"N":"2"}},"OldImage":{"id":{"N":"2"},"total":{"N":"5"}}}"#;
    /// let changes: Vec<_> = ExportedChanges::<Order>::of_reader(&file[..]).collect::<Result<_, _>>()?;
    /// assert_eq!(changes[0].new, Some(Order { id: 1, total: 12 }));
    /// assert_eq!(changes[1].key, Order::key(2));
    /// assert!(changes[1].is_deleted());
    /// # Ok(()) }
    /// ```
    pub fn of_reader(reader: impl Read + Send + 'r) -> Self {
        ExportedChanges {
            lines: NumberedLines::of_reader(reader),
            entity: PhantomData,
        }
    }

    /// Reads all data files of the folder of an incremental export. Each of them is compared with its checksum before the first
    /// line is read. A file with other lines than the manifest says ends the iteration with an error.
    #[cfg(feature = "gzip")]
    pub fn of_folder(folder: ExportFolder) -> Result<Self> {
        Ok(ExportedChanges {
            lines: NumberedLines::of_folder(folder, true)?,
            entity: PhantomData,
        })
    }
}

impl<E: DynamoEntity> Iterator for ExportedChanges<'_, E> {
    type Item = Result<Exported<E>, UnreadLine>;

    fn next(&mut self) -> Option<Self::Item> {
        self.lines.next_row(change_of_line)
    }
}

/// The change of a line; None if it is of another entity.
fn change_of_line<E: DynamoEntity>(line: &[u8]) -> Result<Option<Exported<E>>> {
    let Some(keys) = member_of(line, "Keys")? else {
        return Err(other_line::<E>(
            "`{\"Metadata\":{..},\"Keys\":{..},..}`, a line of an incremental export",
        ));
    };
    let images = (member_of(line, "OldImage")?, member_of(line, "NewImage")?);
    let image = |image: Option<&[u8]>| image.map_or(Ok(None), image_as::<E>);
    let (old, new) = (image(images.0)?, image(images.1)?);
    let is_own = match images {
        // Only a deleted item has no image at all, if the export omits old states.
        (None, None) => is_own_key::<E>(keys)?,
        _ => old.is_some() || new.is_some(),
    };
    if !is_own {
        return Ok(None);
    }
    let written_at = match member_of(line, "Metadata")? {
        Some(metadata) => Some(write_time(metadata).map_err(decode_error::<E>)?),
        None => None,
    };
    Ok(Some(Exported {
        key: read_key::<E>(keys)?,
        old,
        new,
        written_at,
    }))
}

/// The entity of an image; None if it belongs to another one, or stores a unique value.
fn image_as<E: DynamoEntity>(image: &[u8]) -> Result<Option<E>> {
    let source = QuerySource::table::<E>();
    // As in a scan: a key of an item may begin like that of a unique value if nothing in the table can be unique.
    let is_of_newer = || source.may_get_uniques() && has_sentinel_key(image, source.table.pk);
    if is_sentinel(image) || is_of_newer() {
        return Ok(None);
    }
    let Some(by_key) = source.by_key(0, true) else {
        return read::<E>(image).map(Some);
    };
    match E::ENTITY.type_match(source.table, image) {
        TypeMatch::Own => return read::<E>(image).map(Some),
        TypeMatch::Foreign(_) => return Ok(None),
        // The row is an error below, if its key may be one of the entity.
        TypeMatch::Typeless(_) | TypeMatch::Typed | TypeMatch::Untyped => {}
    }
    match by_key.row_kind(image) {
        RowKind::Meant => read::<E>(image).map(Some),
        RowKind::Other => Ok(None),
        RowKind::Unlike(error) => Err(*error),
    }
}

/// Whether a key without an image is one of the entity.
fn is_own_key<E: DynamoEntity>(keys: &[u8]) -> Result<bool> {
    let source = QuerySource::table::<E>();
    let has_values = has_uniques(source.entities) || source.may_get_uniques();
    if has_values && has_sentinel_key(keys, source.table.pk) {
        return Ok(false);
    }
    Ok(match source.by_key(0, true) {
        None => true,
        // Nothing shows the type, and the key may be that of several entities: it is missing for all of them.
        Some(_) if is_identified_by_type(source.table) => {
            may_be_key_of(source.table, source.entity, keys)
        }
        // A key fits at most one entity of a table.
        Some(by_key) => matches!(by_key.row_kind(keys), RowKind::Meant),
    })
}

fn write_time(metadata: &[u8]) -> Result<Timestamp, CodecError> {
    let fault = || {
        CodecError::new("the time of the write is no number of microseconds")
            .at("WriteTimestampMicros")
    };
    let time = find_member(metadata, "WriteTimestampMicros")?.ok_or_else(fault)?;
    let number = find_member(time, "N")?.ok_or_else(fault)?;
    let number = Reader::new(number).string()?;
    let micros: i64 = number.parse().map_err(|_| fault())?;
    let nanos = u32::try_from(micros.rem_euclid(1_000_000)).unwrap_or_default() * 1_000;
    Timestamp::from_unix(micros.div_euclid(1_000_000), nanos).ok_or_else(fault)
}

fn member_of<'l>(line: &'l [u8], name: &str) -> Result<Option<&'l [u8]>> {
    find_member(line, name).map_err(|fault| Error::decode("Item", fault))
}

fn decode_error<E: DynamoEntity>(fault: CodecError) -> Error {
    Error::decode(E::ENTITY.type_name, fault)
}

fn other_line<E: DynamoEntity>(expected: &str) -> Error {
    decode_error::<E>(CodecError::new(format!("the line is not {expected}")))
}

/// Lines with their numbers.
struct NumberedLines<'r> {
    source: LineSource<'r>,
    /// Whether the file cannot be read further.
    has_failed: bool,
}

enum LineSource<'r> {
    Reader(LineReader<'r>),
    #[cfg(feature = "gzip")]
    Folder(Box<FolderLines>),
}

impl LineSource<'_> {
    fn next(&mut self) -> Result<Option<LineText>> {
        match self {
            LineSource::Reader(lines) => lines
                .next()
                .map_err(|error| of_caller("reader of the export", error)),
            #[cfg(feature = "gzip")]
            LineSource::Folder(lines) => lines.next(),
        }
    }

    /// The place of the line that was read last.
    fn line_place(&self) -> LinePlace {
        match self {
            LineSource::Reader(lines) => LinePlace {
                order: 0,
                file: None,
                number: lines.line_number(),
            },
            #[cfg(feature = "gzip")]
            LineSource::Folder(lines) => lines.line_place(),
        }
    }
}

impl<'r> NumberedLines<'r> {
    fn of_reader(reader: impl Read + Send + 'r) -> Self {
        NumberedLines {
            source: LineSource::Reader(LineReader::new(reader)),
            has_failed: false,
        }
    }

    /// The lines of all data files, if the export has the expected kind.
    #[cfg(feature = "gzip")]
    fn of_folder(folder: ExportFolder, is_incremental: bool) -> Result<Self> {
        if folder.is_incremental() != is_incremental {
            let path = folder.path().display();
            let message = match is_incremental {
                true => format!("{path}: the export is full: read it by `ExportedItems`"),
                false => format!("{path}: the export is incremental: read it by `ExportedChanges`"),
            };
            return Err(Error::new(ErrorKind::Config, Stage::Decode, message));
        }
        let mut lines = Box::new(FolderLines::new(folder));
        while lines.check_part()?.is_some() {}
        Ok(NumberedLines {
            source: LineSource::Folder(lines),
            has_failed: false,
        })
    }

    /// The next row that is one of the entity, or the next line that cannot be read.
    fn next_row<T>(
        &mut self,
        read_line: impl Fn(&[u8]) -> Result<Option<T>>,
    ) -> Option<Result<T, UnreadLine>> {
        while !self.has_failed {
            let mut items = LineItems::default();
            let read = match self.source.next() {
                Ok(None) => return None,
                Ok(Some(LineText::Text(text))) if text.is_empty() => continue,
                Ok(Some(LineText::Text(text))) => whole_object(&text).and_then(|()| {
                    read_line(&text).inspect_err(|_| items = LineItems::of_line(&text))
                }),
                Ok(Some(LineText::TooLong)) => {
                    let message = "the line has more than 16 MB, and an item has at most 400 KB";
                    Err(Error::new(ErrorKind::TooLarge, Stage::Decode, message))
                }
                Err(error) => {
                    self.has_failed = true;
                    Err(error)
                }
            };
            match read {
                Ok(None) => {}
                Ok(Some(row)) => return Some(Ok(row)),
                Err(error) => {
                    let place = self.source.line_place();
                    let items = Box::new(items);
                    return Some(Err(UnreadLine {
                        place,
                        error,
                        items,
                    }));
                }
            }
        }
        None
    }
}

/// Whether a line is one object of JSON: a file that was cut ends in the middle of a line.
fn whole_object(line: &[u8]) -> Result<()> {
    let fail = |fault| Error::decode("Item", fault);
    if std::str::from_utf8(line).is_err() {
        return Err(fail(CodecError::new("not JSON: the line is not UTF-8")));
    }
    let mut reader = Reader::new(line);
    reader.skip().map_err(fail)?;
    reader.finish_text().map_err(fail)
}

/// Shows the place of the line that was read last.
impl<E> fmt::Debug for ExportedItems<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ExportedItems({})", self.lines.source.line_place())
    }
}

/// Shows the place of the line that was read last.
impl<E> fmt::Debug for ExportedChanges<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ExportedChanges({})", self.lines.source.line_place())
    }
}
