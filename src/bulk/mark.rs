//! The mark of a job in each item that it changed.
//!
//! The request that changes the item sets the mark, and its condition requires that the mark is missing. Therefore
//! the item itself shows whether it was changed: after a crash, after a lost response, and if an index shows a row
//! twice. The attribute has the name of the job, so that concurrent jobs do not erase each other's marks; its value
//! distinguishes the runs of a job.
//!
//! Several given writes may be of one item. They are done in the order of their numbers, so the mark has the number of
//! the last one, and of those before it that were in no checkpoint then. A write that is neither in the checkpoint nor
//! in this list was not done, even if later ones were: it may have failed with another key, and was mended since.

use crate::error::Result;
use crate::expr::{Comparison, Node, Term};
use crate::json::{Reader, Writer, find_member};
use crate::path::Place;
use crate::plan::{WriteRequest, WriteVerb};
use crate::schema::TOUCH;
use crate::wire::Resend;

/// The beginning of the attribute's name. No declaration can have such a name.
const PREFIX: &str = crate::schema::JOB;

/// The mark of a job in an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JobMark {
    attribute: String,
    run: String,
    /// Set for a given write.
    given: Option<GivenMark>,
}

/// The part of the mark that distinguishes given writes of one item.
#[derive(Debug, Clone, PartialEq, Eq)]
struct GivenMark {
    number: u64,
    /// The numbers of the writes before it that are done and in no checkpoint.
    before: Vec<u64>,
}

/// The state of a given write, as the item shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MarkedFate {
    Done,
    /// It was not done, but the later write with this number was.
    Overtaken(u64),
}

impl JobMark {
    pub(super) fn new(job: &str, run: &str) -> Self {
        JobMark {
            attribute: format!("{PREFIX}{job}"),
            run: run.to_owned(),
            given: None,
        }
    }

    /// The mark that is all that a touch changes.
    pub(super) fn of_touch(run: &str) -> Self {
        JobMark {
            attribute: TOUCH.to_owned(),
            run: run.to_owned(),
            given: None,
        }
    }

    /// The mark of a given write. Several may change the same item: `before` has the numbers of those that were done to
    /// it and are in no checkpoint.
    pub(super) fn of_write(&self, number: u64, before: Vec<u64>) -> Self {
        JobMark {
            given: Some(GivenMark { number, before }),
            ..self.clone()
        }
    }

    /// The beginning of the marks of this write; the marks of later writes sort after it. Numbers begin with their
    /// length, so that their texts sort like the numbers.
    fn bound(&self) -> String {
        match &self.given {
            None => self.run.clone(),
            Some(GivenMark { number, .. }) => {
                // Texts are compared and not numbers, because the attribute also contains the run.
                // The length in front gives 10 its place after 9.
                let digits = format!("{number:x}");
                format!("{}#{:x}{digits}", self.run, digits.len() - 1)
            }
        }
    }

    /// The value of the attribute.
    fn value(&self) -> String {
        let mut value = self.bound();
        let before = self.given.iter().flat_map(|given| &given.before);
        before.for_each(|number| value.push_str(&format!(",{number:x}")));
        value
    }

    /// Sorts after the values of all writes of this run: `$` comes after `#`.
    fn end(&self) -> String {
        format!("{}$", self.run)
    }

    fn on<T>(&self, item: &[u8], look: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        let json = find_member(item, &self.attribute).ok().flatten()?;
        look(&Reader::new(json).text().ok()?)
    }

    /// Whether the item carries this mark.
    pub(super) fn is_on(&self, item: &[u8]) -> bool {
        let is_this = |text: &str| (text == self.value()).then_some(());
        self.on(item, is_this).is_some()
    }

    /// The state of this write in the item; `None` if neither this write nor a later one of this run has marked it.
    pub(super) fn fate_on(&self, item: &[u8]) -> Option<MarkedFate> {
        let number = self.given.as_ref()?.number;
        let last = self.on(item, |text| self.read(text))?;
        if last.number == number || last.before.contains(&number) {
            Some(MarkedFate::Done)
        } else if last.number > number {
            Some(MarkedFate::Overtaken(last.number))
        } else {
            None
        }
    }

    /// Reads the mark of a given write of this run.
    fn read(&self, text: &str) -> Option<GivenMark> {
        let numbers = text.strip_prefix(&*self.run)?.strip_prefix('#')?.get(1..)?;
        let mut numbers = numbers.split(',').map(|hex| u64::from_str_radix(hex, 16));
        Some(GivenMark {
            number: numbers.next()?.ok()?,
            before: numbers.collect::<Result<_, _>>().ok()?,
        })
    }

    /// Adds the mark to a write, which then takes effect only if the item has neither this mark nor a later one of
    /// this run. Updates that change nothing and deletes set no mark; of these, only given deletes check it.
    pub(super) fn onto(&self, write: &mut WriteRequest) -> Result<()> {
        let attribute = || self.attribute.clone();
        match write.verb {
            // The transaction only checks the row, so the mark is the only attribute that it writes there.
            WriteVerb::Check => write.verb = WriteVerb::Update,
            WriteVerb::Update if !write.has_changes() => return Ok(()),
            WriteVerb::Delete if self.given.is_none() => return Ok(()),
            WriteVerb::Put | WriteVerb::Update | WriteVerb::Delete => {}
        }
        let here = Term::Place(Place::of(attribute()));
        let value = Term::Value(text(&self.bound()));
        // Both conditions also hold for an item without the attribute.
        write.add_condition(match self.given {
            None => Node::Compare(here, Comparison::Ne, value),
            Some(_) => Node::Between(here, value, Term::Value(text(&self.end()))).not(),
        });
        // After a lost response, the mark shows whether the write was done. A delete may be executed twice, because no
        // later write of the item begins before it is acknowledged.
        if write.verb != WriteVerb::Delete {
            // This replaces the mark of an earlier run, which an item with a `rest` field still has.
            write.set_attribute(attribute(), text(&self.value()))?;
            write.resend = Resend::UnlessAmbiguous;
        }
        Ok(())
    }
}

/// A text as DynamoDB JSON.
fn text(text: &str) -> Vec<u8> {
    let mut json = Writer::default();
    json.text(text);
    json.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{UpdateAction, UpdateActions};
    use crate::plan::{Meaning, check};
    use crate::schema::Pattern;

    static PATTERN: Pattern = Pattern::alone("Note", "put");

    fn write(verb: WriteVerb, subject: &str) -> WriteRequest {
        let asked = (Node::all([]), Meaning::ForeignRow);
        let now = std::time::SystemTime::UNIX_EPOCH.into();
        let mut write = WriteRequest::new(verb, "notes".into(), 0, &PATTERN, now, asked);
        match verb {
            WriteVerb::Put => write.put_item(subject.as_bytes()),
            _ => write.at_key(subject.as_bytes()),
        }
        write
    }

    fn removing(attribute: &'static str) -> UpdateActions {
        let mut update = UpdateActions::default();
        update.set_action(attribute, UpdateAction::Remove);
        update
    }

    fn sent(mark: &JobMark, mut write: WriteRequest) -> (String, Resend) {
        mark.onto(&mut write).unwrap();
        let request = write.into_planned().unwrap().request;
        (
            String::from_utf8(request.body.to_vec()).unwrap(),
            request.resend,
        )
    }

    fn marked(write: WriteRequest) -> String {
        sent(&JobMark::new("price", "7f"), write).0
    }

    #[test]
    fn a_put_carries_the_mark_in_its_item() {
        assert_eq!(
            marked(write(WriteVerb::Put, r#"{"id":{"S":"a"}}"#)),
            r##"{"TableName":"notes","Item":{"_job.price":{"S":"7f"},"id":{"S":"a"}},"ConditionExpression":"#n0 <> :v0","ExpressionAttributeNames":{"#n0":"_job.price"},"ExpressionAttributeValues":{":v0":{"S":"7f"}},"ReturnValuesOnConditionCheckFailure":"ALL_OLD"}"##
        );
    }

    #[test]
    fn a_put_carries_no_mark_of_an_earlier_run() {
        let plain = r#"{"_job.price":{"S":"6e"},"id":{"S":"a"},"_job.other":{"S":"1"}}"#;
        let marked = marked(write(WriteVerb::Put, plain));
        let item = r#"{"TableName":"notes","Item":{"_job.price":{"S":"7f"},"id":{"S":"a"},"_job.other":{"S":"1"}},"#;
        assert!(marked.starts_with(item), "{marked}");
    }

    #[test]
    fn an_update_sets_it_and_asks_for_it() {
        let is_one = |name: &'static str| check::value_condition(name, br#"{"N":"1"}"#);
        let mut both = write(WriteVerb::Update, r#"{"id":{"S":"a"}}"#);
        both.encode_change(removing("b")).unwrap();
        both.add_condition(Node::any([is_one("a"), is_one("c")]));
        assert_eq!(
            marked(both),
            r##"{"TableName":"notes","Key":{"id":{"S":"a"}},"UpdateExpression":"SET #n0 = :v0 REMOVE #n1","ConditionExpression":"(#n2 = :v1 OR #n3 = :v2) AND #n0 <> :v3","ExpressionAttributeNames":{"#n0":"_job.price","#n1":"b","#n2":"a","#n3":"c"},"ExpressionAttributeValues":{":v0":{"S":"7f"},":v1":{"N":"1"},":v2":{"N":"1"},":v3":{"S":"7f"}},"ReturnValuesOnConditionCheckFailure":"ALL_OLD"}"##
        );
    }

    #[test]
    fn what_changes_nothing_carries_none() {
        for verb in [WriteVerb::Update, WriteVerb::Delete] {
            let marked = marked(write(verb, r#"{"id":{"S":"a"}}"#));
            assert_eq!(marked, r#"{"TableName":"notes","Key":{"id":{"S":"a"}}}"#);
        }
    }

    #[test]
    fn a_mark_is_that_of_its_run() {
        let mark = JobMark::new("price", "7f");
        assert!(mark.is_on(br#"{"id":{"S":"a"},"_job.price":{"S":"7f"}}"#));
        for other in [
            &br#"{"_job.price":{"S":"80"}}"#[..],
            br#"{"_job.other":{"S":"7f"}}"#,
            br#"{"_job.price":{"N":"7"}}"#,
            b"{}",
        ] {
            assert!(!mark.is_on(other));
        }
    }

    #[test]
    fn the_mark_of_a_write_tells_of_those_before_it() {
        let mark = JobMark::new("price", "7f");
        let numbers = [
            0,
            1,
            9,
            10,
            15,
            16,
            255,
            256,
            u64::from(u32::MAX),
            u64::MAX - 1,
            u64::MAX,
        ];
        // Each mark tells of its own write and of every second one before it.
        let marks = (0..numbers.len()).map(|at| {
            let before = numbers[..at].iter().rev().skip(1).step_by(2);
            mark.of_write(numbers[at], before.copied().collect())
        });
        let marks: Vec<_> = marks.collect();
        let sorted = marks.iter().flat_map(|mark| [mark.bound(), mark.value()]);
        assert!(sorted.clone().is_sorted());
        assert!(sorted.clone().all(|value| value < mark.end()));
        for (at, stored) in marks.iter().enumerate() {
            let item = format!(r#"{{"_job.price":{{"S":"{}"}}}}"#, stored.value());
            for (other, asked) in marks.iter().enumerate() {
                let told = asked.fate_on(item.as_bytes());
                let expected = match other {
                    other if other > at => None,
                    other if (at - other).is_multiple_of(2) => Some(MarkedFate::Done),
                    _ => Some(MarkedFate::Overtaken(numbers[at])),
                };
                assert_eq!(told, expected, "{} in {}", numbers[other], stored.value());
            }
            let other = JobMark::new("price", "7e").of_write(0, Vec::new());
            assert_eq!(other.fate_on(item.as_bytes()), None);
        }
        for none in [
            r#"{"_job.price":{"S":"7f"}}"#,
            r#"{"_job.price":{"S":"7f#"}}"#,
            r#"{"_job.price":{"S":"7f#01,"}}"#,
            "{}",
        ] {
            assert_eq!(marks[1].fate_on(none.as_bytes()), None);
        }
    }

    #[test]
    fn the_list_is_stored_and_the_number_is_asked_for() {
        let mark = JobMark::new("price", "7f").of_write(20, vec![3, 17]);
        let mut update = write(WriteVerb::Update, r#"{"id":{"S":"a"}}"#);
        update.encode_change(removing("b")).unwrap();
        assert_eq!(
            sent(&mark, update).0,
            r##"{"TableName":"notes","Key":{"id":{"S":"a"}},"UpdateExpression":"SET #n0 = :v0 REMOVE #n1","ConditionExpression":"NOT #n0 BETWEEN :v1 AND :v2","ExpressionAttributeNames":{"#n0":"_job.price","#n1":"b"},"ExpressionAttributeValues":{":v0":{"S":"7f#114,3,11"},":v1":{"S":"7f#114"},":v2":{"S":"7f$"}},"ReturnValuesOnConditionCheckFailure":"ALL_OLD"}"##
        );
        let (put, _) = sent(&mark, write(WriteVerb::Put, r#"{"id":{"S":"a"}}"#));
        assert!(put.contains(r#""_job.price":{"S":"7f#114,3,11"}"#), "{put}");
        assert!(put.contains(r#"{":v0":{"S":"7f#114"},":v1":{"S":"7f$"}}"#));
    }

    #[test]
    fn a_given_write_asks_for_later_ones_too() {
        let mark = JobMark::new("price", "7f").of_write(20, Vec::new());
        let (put, resend) = sent(&mark, write(WriteVerb::Put, r#"{"id":{"S":"a"}}"#));
        assert_eq!(
            put,
            r##"{"TableName":"notes","Item":{"_job.price":{"S":"7f#114"},"id":{"S":"a"}},"ConditionExpression":"NOT #n0 BETWEEN :v0 AND :v1","ExpressionAttributeNames":{"#n0":"_job.price"},"ExpressionAttributeValues":{":v0":{"S":"7f#114"},":v1":{"S":"7f$"}},"ReturnValuesOnConditionCheckFailure":"ALL_OLD"}"##
        );
        assert_eq!(resend, Resend::UnlessAmbiguous);
        let (delete, resend) = sent(&mark, write(WriteVerb::Delete, r#"{"id":{"S":"a"}}"#));
        assert_eq!(
            delete,
            r##"{"TableName":"notes","Key":{"id":{"S":"a"}},"ConditionExpression":"NOT #n0 BETWEEN :v0 AND :v1","ExpressionAttributeNames":{"#n0":"_job.price"},"ExpressionAttributeValues":{":v0":{"S":"7f#114"},":v1":{"S":"7f$"}},"ReturnValuesOnConditionCheckFailure":"ALL_OLD"}"##
        );
        assert_eq!(resend, Resend::Always);
    }
}
