//! The place of a value in an item.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use super::{Former, FormerUse};
use crate::json::CodecError;

/// The form of a field whose None is NULL, as the derive numbers it. Its values are stored in the type's own form.
const NULL_FORM: u8 = 7;

/// An attribute, or something inside one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    attribute: Cow<'static, str>,
    /// The steps into the attribute; empty for the attribute itself.
    steps: Vec<PlaceStep>,
    /// Whether the caller named the attribute, instead of a field.
    is_of_rest: bool,
    /// The form in which values are stored here; 0 is the type's own.
    form: u8,
    /// The name under which older programs store the attribute.
    former: Option<Former>,
}

/// One step into a map or a list.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum PlaceStep {
    /// Into a map.
    Name(Cow<'static, str>),
    /// Into a list.
    Index(usize),
}

impl Place {
    /// An attribute.
    #[doc(hidden)]
    pub fn of(attribute: impl Into<Cow<'static, str>>) -> Self {
        Place {
            attribute: attribute.into(),
            steps: Vec::new(),
            is_of_rest: false,
            form: 0,
            former: None,
        }
    }

    /// The item itself, whose entries are its attributes.
    #[doc(hidden)]
    #[must_use]
    pub fn of_item() -> Self {
        // DynamoDB has no attribute without a name.
        Place::of("")
    }

    /// The same place in an attribute that older programs store under another name.
    #[doc(hidden)]
    #[must_use]
    pub fn formerly(mut self, name: &'static str, usage: FormerUse) -> Self {
        self.former = Some(Former { name, usage });
        self
    }

    pub(crate) fn former_name(&self) -> Option<Former> {
        self.former
    }

    /// The same place under the name that items have now, and under no other.
    pub(crate) fn under_new_name(&self) -> Place {
        Place {
            former: None,
            ..self.clone()
        }
    }

    /// The same place under the former name of its attribute.
    pub(crate) fn under_former_name(&self, former: Former) -> Place {
        Place {
            attribute: former.name.into(),
            former: None,
            ..self.clone()
        }
    }

    /// The same place, with values stored in another form. Places of two forms are not compared or copied.
    #[doc(hidden)]
    #[must_use]
    pub fn in_form(mut self, form: u8) -> Self {
        self.form = form;
        self
    }

    /// Whether None is stored as NULL here.
    pub(crate) fn is_nullable(&self) -> bool {
        self.form == NULL_FORM
    }

    /// Rejects a place whose values are stored in another form than here.
    pub(crate) fn check_form(&self, other: &Place) -> Result<(), CodecError> {
        let own = |form| if form == NULL_FORM { 0 } else { form };
        if own(self.form) == own(other.form) {
            return Ok(());
        }
        Err(CodecError::new(format!(
            "`{self}` and `{other}` store their values in different forms, for example a TTL and a timestamp: read one and give its value"
        )))
    }

    /// An attribute that must not have a field.
    pub(crate) fn of_rest(attribute: String) -> Self {
        Place {
            is_of_rest: true,
            ..Place::of(attribute)
        }
    }

    pub(crate) fn is_of_rest(&self) -> bool {
        self.is_of_rest
    }

    /// An entry of the map here.
    #[doc(hidden)]
    #[must_use]
    pub fn entry(&self, name: impl Into<Cow<'static, str>>) -> Self {
        if self.is_item() {
            return Place::of(name);
        }
        self.with_step(PlaceStep::Name(name.into()))
    }

    /// An element of the list here.
    pub(crate) fn element_at(&self, index: usize) -> Self {
        self.with_step(PlaceStep::Index(index))
    }

    fn with_step(&self, step: PlaceStep) -> Self {
        let mut place = self.clone().in_form(0);
        place.steps.push(step);
        place
    }

    pub(crate) fn attribute_name(&self) -> &Cow<'static, str> {
        &self.attribute
    }

    pub(crate) fn path_steps(&self) -> &[PlaceStep] {
        &self.steps
    }

    pub(crate) fn is_item(&self) -> bool {
        self.attribute.is_empty() && self.steps.is_empty() && !self.is_of_rest
    }

    pub(crate) fn is_attribute(&self) -> bool {
        self.steps.is_empty()
    }

    /// The place of the map or list that contains this one; `None` for an attribute.
    pub(crate) fn parent_place(&self) -> Option<Place> {
        let (_, before) = self.steps.split_last()?;
        Some(Place {
            attribute: self.attribute.clone(),
            steps: before.to_vec(),
            is_of_rest: self.is_of_rest,
            form: 0,
            former: self.former,
        })
    }

    /// Whether the place is an element of a list.
    pub(crate) fn is_element(&self) -> bool {
        matches!(self.steps.last(), Some(PlaceStep::Index(_)))
    }

    /// Whether one of the two contains the other, or they are the same.
    pub(crate) fn overlaps_with(&self, other: &Place) -> bool {
        self.attribute == other.attribute
            && (self.steps.starts_with(&other.steps) || other.steps.starts_with(&self.steps))
    }
}

macro_rules! from_names {
    ($($name:ty)*) => {$(
        impl From<$name> for Place {
            fn from(attribute: $name) -> Self {
                Place::of(attribute)
            }
        }
    )*};
}

from_names!(&'static str String Cow<'static, str>);

/// Places of which none contains another, sorted so that a place that overlaps one of them would be next to it.
/// Therefore a place need not be compared with all of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct DisjointPlaces(BTreeSet<(Cow<'static, str>, Vec<PlaceStep>)>);

impl DisjointPlaces {
    pub(crate) fn insert_place(&mut self, place: &Place) {
        self.0
            .insert((place.attribute.clone(), place.steps.clone()));
    }

    /// Whether one of them contains this place, or is contained in it.
    pub(crate) fn overlaps_any(&self, place: &Place) -> bool {
        let own = (place.attribute.clone(), place.steps.clone());
        let overlaps = |(attribute, steps): &(Cow<'static, str>, Vec<PlaceStep>)| {
            *attribute == own.0 && (steps.starts_with(&own.1) || own.1.starts_with(steps))
        };
        let before = self.0.range(..=&own).next_back();
        let behind = self.0.range(&own..).next();
        before.is_some_and(overlaps) || behind.is_some_and(overlaps)
    }
}

/// `address.city`, `lines[0].qty`. Names of map entries are data, so they are not shown.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.attribute)?;
        for step in &self.steps {
            match step {
                PlaceStep::Name(Cow::Borrowed(field)) => write!(f, ".{field}")?,
                PlaceStep::Name(Cow::Owned(_)) => f.write_str(".(an entry)")?,
                PlaceStep::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn place() -> impl Strategy<Value = Place> {
        let step = prop_oneof![
            proptest::sample::select(vec!["", "a", "ab", "b"])
                .prop_map(|name| PlaceStep::Name(name.into())),
            (0_usize..3).prop_map(PlaceStep::Index),
        ];
        let attribute = proptest::sample::select(vec!["x", "y"]);
        (attribute, proptest::collection::vec(step, 0..4)).prop_map(|(attribute, steps)| Place {
            steps,
            ..Place::of(attribute)
        })
    }

    proptest! {
        /// The sorted places find the same overlaps as comparing all places.
        #[test]
        fn overlaps_are_found(places in proptest::collection::vec(place(), 0..60)) {
            let (mut sorted, mut listed) = (DisjointPlaces::default(), Vec::<Place>::new());
            for place in places {
                let overlaps = listed.iter().any(|other| other.overlaps_with(&place));
                prop_assert_eq!(sorted.overlaps_any(&place), overlaps, "{:?} in {:?}", place, listed);
                if !overlaps {
                    sorted.insert_place(&place);
                    listed.push(place);
                }
            }
        }
    }
}
