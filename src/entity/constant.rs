//! The constant attributes of an entity: `constant("__edb_v__" = "1")`. Every write of an item contains them, and a row of
//! the same type with other values is no row of the entity.

use super::field::check_type;
use crate::json::{CodecError, Reader, Writer};
use crate::schema::EntityDef;

/// Writes the constants of an item.
pub fn write_constants(entity: &EntityDef, writer: &mut Writer) {
    for constant in entity.constants {
        writer.dynamic_name(constant.attribute);
        constant.write_value(writer);
    }
}

/// The constants of an item that is being read.
#[derive(Debug, Default)]
pub struct ReadConstants {
    has_type: bool,
    /// One bit for each constant.
    found: u64,
}

impl ReadConstants {
    /// Reads the type, which is that of the entity.
    pub fn read_type(
        &mut self,
        reader: &mut Reader<'_>,
        name: &str,
        expected: &str,
        entities: &[&EntityDef],
    ) -> Result<(), CodecError> {
        self.has_type = true;
        check_type(reader, name, expected, entities)
    }

    /// Reads a constant, which has the value of the entity.
    pub fn read(
        &mut self,
        reader: &mut Reader<'_>,
        name: &str,
        entity: &EntityDef,
    ) -> Result<(), CodecError> {
        let mut constants = entity.constants.iter().zip(0..);
        let Some((constant, at)) = constants.find(|(constant, _)| constant.attribute == name)
        else {
            return reader.skip();
        };
        if !constant
            .is_stored(reader)
            .map_err(|fault| fault.at(name.to_owned()))?
        {
            // The stored value belongs to a user, so it is not shown.
            let expected = format!("an item with the constant {}", constant.value);
            return Err(CodecError::mismatch(expected, "another value").at(name.to_owned()));
        }
        self.found |= 1_u64.checked_shl(at).unwrap_or(0);
        Ok(())
    }

    /// Fails if the item has a type and lacks a constant: then it is an item of another program or version.
    pub fn check(&self, entity: &EntityDef) -> Result<(), CodecError> {
        let mut constants = entity.constants.iter().zip(0..);
        let lacks = |at: u32| self.found & 1_u64.checked_shl(at).unwrap_or(0) == 0;
        match constants.find(|(_, at)| self.has_type && lacks(*at)) {
            None => Ok(()),
            Some((constant, _)) => {
                let expected = format!("an item with the constant {}", constant.value);
                Err(CodecError::mismatch(expected, "no such attribute").at(constant.attribute))
            }
        }
    }
}
