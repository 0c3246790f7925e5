//! `Vector<N>` is a list of `N` numbers, which vector indexes read.

use std::fmt;
use std::ops::Deref;

use super::model::TypeModel;
use super::{DynamoValue, VectorField};
use crate::json::{CodecError, Reader, Writer};

/// A vector of `N` numbers, for example an embedding of a text: 4 bytes for each number in memory and in a vector index, and
/// a list of numbers in an item.
///
/// All numbers are finite, because DynamoDB has neither NaN nor infinity. However, a model may return them. Therefore you create
/// a vector by [`try_from`](TryFrom), which also checks the length of a `Vec`.
///
/// ```
/// use dynamo_entity::Vector;
///
/// let vector = Vector::try_from([0.5, -1.0, 2.0])?;
/// assert_eq!(vector.as_slice(), [0.5, -1.0, 2.0]);
///
/// let model_output = vec![0.5_f32, -1.0];
/// let error = Vector::<3>::try_from(model_output).unwrap_err();
/// assert_eq!(error.to_string(), "a vector of 3 numbers, but 2 were given: is it of another model?");
/// let error = Vector::try_from([0.5, f32::NAN]).unwrap_err();
/// assert_eq!(error.to_string(), "number 1 of the vector is NaN: DynamoDB has only finite numbers");
/// # Ok::<(), dynamo_entity::codec::VectorError>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Vector<const N: usize>(Box<[f32; N]>);

/// The reason why numbers are not a vector.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum VectorError {
    /// The number of numbers differs from the length of the vector.
    #[error("a vector of {expected} numbers, but {found} were given: is it of another model?")]
    Length {
        /// The length of the vector.
        expected: usize,
        /// The number of given numbers.
        found: usize,
    },
    /// A number is NaN or infinite.
    #[error("number {at} of the vector is {number}: DynamoDB has only finite numbers")]
    NotFinite {
        /// Its position.
        at: usize,
        /// The number.
        number: f32,
    },
}

impl<const N: usize> Vector<N> {
    /// The numbers.
    pub fn as_slice(&self) -> &[f32] {
        &self.0[..]
    }

    /// The numbers as an array.
    pub fn into_array(self) -> [f32; N] {
        *self.0
    }

    fn checked(mut numbers: Box<[f32; N]>) -> Result<Self, VectorError> {
        for (at, number) in numbers.iter_mut().enumerate() {
            if !number.is_finite() {
                let number = *number;
                return Err(VectorError::NotFinite { at, number });
            }
            // DynamoDB has one zero, without a sign. Therefore a vector equals the one that is read again.
            *number += 0.0;
        }
        Ok(Vector(numbers))
    }
}

impl<const N: usize> TryFrom<[f32; N]> for Vector<N> {
    type Error = VectorError;

    fn try_from(numbers: [f32; N]) -> Result<Self, VectorError> {
        Vector::checked(Box::new(numbers))
    }
}

impl<const N: usize> TryFrom<Vec<f32>> for Vector<N> {
    type Error = VectorError;

    fn try_from(numbers: Vec<f32>) -> Result<Self, VectorError> {
        let found = numbers.len();
        let numbers = numbers.into_boxed_slice().try_into();
        Vector::checked(numbers.map_err(|_| VectorError::Length { expected: N, found })?)
    }
}

impl<const N: usize> TryFrom<&[f32]> for Vector<N> {
    type Error = VectorError;

    fn try_from(numbers: &[f32]) -> Result<Self, VectorError> {
        numbers.to_vec().try_into()
    }
}

impl<const N: usize> Deref for Vector<N> {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        self.as_slice()
    }
}

/// Shows the first numbers only, because there are many.
impl<const N: usize> fmt::Debug for Vector<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 4;
        write!(f, "Vector<{N}>")?;
        let mut list = f.debug_list();
        list.entries(self.iter().take(SHOWN));
        match N > SHOWN {
            true => list.finish_non_exhaustive(),
            false => list.finish(),
        }
    }
}

impl<const N: usize> VectorField for Vector<N> {
    type Vector = Vector<N>;

    const DIMENSIONS: usize = N;
}

#[diagnostic::do_not_recommend]
impl<const N: usize> DynamoValue for Vector<N> {
    stored_as!(L);

    const MODEL: TypeModel = TypeModel::Array {
        element: f32::TYPE,
        len: N,
    };

    fn encode(&self, writer: &mut Writer) -> Result<(), CodecError> {
        f32::encode_slice(self, writer)
    }

    fn decode(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        let numbers = f32::decode_vec(reader)?;
        let found = numbers.len();
        Vector::try_from(numbers).map_err(|_| {
            CodecError::mismatch(
                format!("a vector of {N} numbers"),
                format!("{found} numbers"),
            )
        })
    }

    fn as_stored(&self) -> Option<Self> {
        Some(self.clone())
    }
}
