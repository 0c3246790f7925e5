//! Look-ups by name in a list of attributes, which is not gone through for each of them.

use std::borrow::Borrow;

use super::object::JsonMember;

/// Up to so many names are gone through, for sorting them would take longer.
const FEW: usize = 16;

/// The values of a list, sorted by their names if there are many. If several have one name, the first is found, as by
/// going through.
pub(crate) struct Names<'a, T: ?Sized>(Vec<(&'a str, &'a T)>);

impl<'a, T: ?Sized> Names<'a, T> {
    pub(crate) fn new(named: impl Iterator<Item = (&'a str, &'a T)>) -> Self {
        let mut names: Vec<_> = named.collect();
        // Sorting costs more than it saves if only a few names are compared.
        if names.len() > FEW {
            names.sort_by_key(|(name, _)| *name);
        }
        Names(names)
    }

    pub(crate) fn get_named(&self, name: &str) -> Option<&'a T> {
        let found = if self.0.len() <= FEW {
            self.0.iter().find(|(known, _)| *known == name)
        } else {
            let at = self.0.partition_point(|(known, _)| *known < name);
            self.0.get(at).filter(|(known, _)| *known == name)
        };
        found.map(|(_, value)| *value)
    }

    pub(crate) fn has_name(&self, name: &str) -> bool {
        self.get_named(name).is_some()
    }
}

impl<'a> Names<'a, [u8]> {
    /// The members of an object.
    pub(crate) fn of_members(members: &'a [JsonMember<'_>]) -> Self {
        Names::new(members.iter().map(|(name, json)| (&**name, *json)))
    }

    /// Attributes in DynamoDB JSON.
    pub(crate) fn of_json(attributes: &'a [(String, Vec<u8>)]) -> Self {
        Names::new(
            attributes
                .iter()
                .map(|(name, json)| (&**name, json.borrow())),
        )
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The same is found as by going through, also of names that come twice.
        #[test]
        fn names_are_found_as_by_a_scan(
            named in proptest::collection::vec(("[ab]{0,3}", any::<u8>()), 0..40),
            asked in proptest::collection::vec("[ab]{0,3}", 1..40),
        ) {
            let names = Names::new(named.iter().map(|(name, value)| (&**name, value)));
            for name in asked {
                let scanned = named.iter().find(|(known, _)| *known == name);
                prop_assert_eq!(names.get_named(&name), scanned.map(|(_, value)| value));
                prop_assert_eq!(names.has_name(&name), scanned.is_some());
            }
        }
    }
}
