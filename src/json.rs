//! DynamoDB JSON: written, read and compared as bytes.

mod fault;
mod names;
mod number;
mod object;
mod reader;
mod scan;
mod tag;
mod tree;
mod writer;

pub use fault::CodecError;
pub(crate) use fault::KeyIdentity;
pub(crate) use names::Names;
pub use number::Number;
pub(crate) use number::float::FloatText;
pub(crate) use number::parts::Parts;
pub(crate) use object::{
    answer_members, array_elements, find_answer, find_member, is_null, object_members,
};
pub use reader::Reader;
pub(crate) use reader::key_finder::KeyFinder;
pub(crate) use reader::usual::ValueFront;
pub(crate) use scan::{digits_end, plain_run, string_end, string_end_in};
pub use tag::Tag;
pub(crate) use tree::JsonTree;
pub(crate) use writer::{MAX_DEPTH, escape_into};
pub use writer::{Name, Writer};
