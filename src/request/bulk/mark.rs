//! The mark of a job in each item that it changed.
//!
//! It is set by the same request as the change and asked for by its condition, so the item itself tells
//! whether the change took place: after a crash, after a lost answer, and where an index shows a row twice.
//! The attribute has the name of the job, so that jobs side by side do not erase each other's marks; its
//! value tells one run of a job from the next.
//!
//! Of writes that were given several may be of one item. They are done in the order of their numbers, so the mark
//! has the number of the last one: that tells of all before it, too.

use bytes::Bytes;

use crate::codec::{Fault, Reader, Writer, member, members};
use crate::wire::{Operation, Request, Resend};

/// The name of the attribute begins so. No declaration can have one.
const PREFIX: &str = crate::schema::JOB;

/// What a job leaves in an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mark {
    attribute: String,
    run: String,
    /// Of a write that was given.
    number: Option<u64>,
}

impl Mark {
    pub(super) fn new(job: &str, run: &str) -> Self {
        Mark {
            attribute: format!("{PREFIX}{job}"),
            run: run.to_owned(),
            number: None,
        }
    }

    /// Of one of the writes of a job, of which several may change the same item.
    pub(super) fn of_write(&self, number: u64) -> Self {
        Mark {
            number: Some(number),
            ..self.clone()
        }
    }

    /// What stands in the item. Numbers begin with their length, so that their texts sort as they do.
    fn value(&self) -> String {
        match self.number {
            None => self.run.clone(),
            Some(number) => {
                let digits = format!("{number:x}");
                format!("{}#{:x}{digits}", self.run, digits.len() - 1)
            }
        }
    }

    /// Behind the values of all writes of this run: `$` comes after `#`.
    fn end(&self) -> String {
        format!("{}$", self.run)
    }

    fn on<T>(&self, item: &[u8], look: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        let json = member(item, &self.attribute).ok().flatten()?;
        look(&Reader::new(json).text().ok()?)
    }

    /// Whether the item carries it.
    pub(super) fn is_on(&self, item: &[u8]) -> bool {
        let is_this = |text: &str| (text == self.value()).then_some(());
        self.on(item, is_this).is_some()
    }

    /// The number of the last write of this run that the item has seen.
    pub(super) fn last_on(&self, item: &[u8]) -> Option<u64> {
        self.on(item, |text| {
            let digits = text.strip_prefix(&*self.run)?.strip_prefix('#')?.get(1..)?;
            u64::from_str_radix(digits, 16).ok()
        })
    }

    /// The same write with the mark, which takes effect only where the mark is not, or a later one of this run.
    /// Updates that change nothing leave none, and neither do deletes; those of given writes ask for it.
    pub(super) fn onto(&self, request: Request) -> Result<Request, Fault> {
        let parameters = members(&request.body)?;
        let has = |name: &str| parameters.iter().any(|(known, _)| known == name);
        let is_delete = request.operation == Operation::DeleteItem;
        let asks = match request.operation {
            Operation::PutItem => true,
            Operation::UpdateItem => has("UpdateExpression"),
            Operation::DeleteItem => self.number.is_some(),
            _ => false,
        };
        if !asks {
            return Ok(request);
        }
        let mut body = Writer::with_capacity(request.body.len() + 256);
        body.raw("{");
        for (name, value) in &parameters {
            body.dynamic_name(name);
            match &**name {
                "Item" => self.add_to_item(value, &mut body)?,
                "UpdateExpression" => add_to_update(value, &mut body),
                "ConditionExpression" => self.add_to_condition(value, &mut body),
                "ExpressionAttributeNames" => self.add_to_names(value, &mut body),
                "ExpressionAttributeValues" => self.add_to_values(value, &mut body),
                _ => body.raw_bytes(value),
            }
        }
        for name in [
            "ConditionExpression",
            "ExpressionAttributeNames",
            "ExpressionAttributeValues",
            "ReturnValuesOnConditionCheckFailure",
        ] {
            if has(name) {
                continue;
            }
            body.dynamic_name(name);
            match name {
                "ConditionExpression" => body.quoted(self.not_yet()),
                "ExpressionAttributeNames" => self.add_to_names(b"{}", &mut body),
                "ExpressionAttributeValues" => self.add_to_values(b"{}", &mut body),
                _ => body.quoted("ALL_OLD"),
            }
        }
        body.raw("}");
        Ok(Request {
            body: Bytes::from(body.into_bytes()),
            // After a lost answer the item is looked at. A delete may be done twice as ever, for nothing follows it
            // before it is acknowledged.
            resend: match is_delete {
                true => request.resend,
                false => Resend::UnlessAmbiguous,
            },
            ..request
        })
    }

    /// In the place of the one that an earlier run has left, which a field of all the rest brings along.
    fn add_to_item(&self, item: &[u8], body: &mut Writer) -> Result<(), Fault> {
        body.raw("{");
        body.dynamic_name(&self.attribute);
        body.text(&self.value());
        for (name, value) in members(item)? {
            if name != self.attribute {
                body.dynamic_name(&name);
                body.raw_bytes(value);
            }
        }
        body.raw("}");
        Ok(())
    }

    fn add_to_names(&self, names: &[u8], body: &mut Writer) {
        let mut entry = Writer::default();
        entry.raw("\"#job\":");
        entry.quoted(&self.attribute);
        add_entry(names, entry.as_bytes(), body);
    }

    fn add_to_values(&self, values: &[u8], body: &mut Writer) {
        let mut entry = Writer::default();
        entry.raw("\":job\":");
        entry.text(&self.value());
        if self.number.is_some() {
            entry.raw(",\":end\":");
            entry.text(&self.end());
        }
        add_entry(values, entry.as_bytes(), body);
    }

    fn add_to_condition(&self, expression: &[u8], body: &mut Writer) {
        let inside = expression.strip_prefix(b"\"").unwrap_or(expression);
        let inside = inside.strip_suffix(b"\"").unwrap_or(inside);
        body.raw("\"(");
        body.raw_bytes(inside);
        body.raw(") AND ");
        body.raw(self.not_yet());
        body.raw("\"");
    }

    /// True of an item without the attribute too.
    fn not_yet(&self) -> &'static str {
        match self.number {
            None => "#job <> :job",
            Some(_) => "NOT #job BETWEEN :job AND :end",
        }
    }
}

/// Another first entry of an object.
fn add_entry(object: &[u8], entry: &[u8], body: &mut Writer) {
    let inside = object
        .strip_prefix(b"{")
        .unwrap_or(object)
        .trim_ascii_start();
    body.raw("{");
    body.raw_bytes(entry);
    body.raw(if inside.starts_with(b"}") { "" } else { "," });
    body.raw_bytes(inside);
}

/// The expressions are the library's own: `SET` comes first, and quotes stand around them.
fn add_to_update(expression: &[u8], body: &mut Writer) {
    match expression.strip_prefix(b"\"SET ") {
        Some(rest) => {
            body.raw("\"SET #job = :job, ");
            body.raw_bytes(rest);
        }
        None => {
            body.raw("\"SET #job = :job ");
            body.raw_bytes(expression.strip_prefix(b"\"").unwrap_or(expression));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(operation: Operation, body: &'static str) -> Request {
        Request {
            operation,
            table: "notes".into(),
            body: Bytes::from(body),
            resend: Resend::Always,
        }
    }

    fn marked(operation: Operation, body: &'static str) -> String {
        let mark = Mark::new("price", "7f");
        let request = mark.onto(request(operation, body)).unwrap();
        String::from_utf8(request.body.to_vec()).unwrap()
    }

    #[test]
    fn a_put_carries_the_mark_in_its_item() {
        let plain = r#"{"TableName":"notes","Item":{"id":{"S":"a"}}}"#;
        assert_eq!(
            marked(Operation::PutItem, plain),
            r##"{"TableName":"notes","Item":{"_job.price":{"S":"7f"},"id":{"S":"a"}},"ConditionExpression":"#job <> :job","ExpressionAttributeNames":{"#job":"_job.price"},"ExpressionAttributeValues":{":job":{"S":"7f"}},"ReturnValuesOnConditionCheckFailure":"ALL_OLD"}"##
        );
    }

    #[test]
    fn a_put_carries_no_mark_of_an_earlier_run() {
        let plain = r#"{"Item":{"_job.price":{"S":"6e"},"id":{"S":"a"},"_job.other":{"S":"1"}}}"#;
        let marked = marked(Operation::PutItem, plain);
        let item = r#"{"Item":{"_job.price":{"S":"7f"},"id":{"S":"a"},"_job.other":{"S":"1"}},"#;
        assert!(marked.starts_with(item), "{marked}");
    }

    #[test]
    fn an_update_sets_it_and_asks_for_it() {
        let set = r##"{"UpdateExpression":"SET #n0 = :v0 REMOVE #n1","ConditionExpression":"#n0 < :v0 OR #n2 = :v0","ExpressionAttributeNames":{"#n0":"a"},"ExpressionAttributeValues":{":v0":{"N":"1"}},"ReturnValuesOnConditionCheckFailure":"ALL_OLD"}"##;
        assert_eq!(
            marked(Operation::UpdateItem, set),
            r##"{"UpdateExpression":"SET #job = :job, #n0 = :v0 REMOVE #n1","ConditionExpression":"(#n0 < :v0 OR #n2 = :v0) AND #job <> :job","ExpressionAttributeNames":{"#job":"_job.price","#n0":"a"},"ExpressionAttributeValues":{":job":{"S":"7f"},":v0":{"N":"1"}},"ReturnValuesOnConditionCheckFailure":"ALL_OLD"}"##
        );
        let remove = marked(
            Operation::UpdateItem,
            r##"{"UpdateExpression":"REMOVE #n0"}"##,
        );
        assert!(
            remove.contains(r#""SET #job = :job REMOVE #n0""#),
            "{remove}"
        );
    }

    #[test]
    fn what_changes_nothing_carries_none() {
        for operation in [Operation::UpdateItem, Operation::DeleteItem] {
            let body = r#"{"TableName":"notes"}"#;
            assert_eq!(marked(operation, body), body);
        }
    }

    #[test]
    fn a_mark_is_that_of_its_run() {
        let mark = Mark::new("price", "7f");
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
    fn the_mark_of_a_write_tells_of_all_before_it() {
        let mark = Mark::new("price", "7f");
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
        let values = numbers.map(|number| mark.of_write(number).value());
        assert!(
            values.is_sorted_by(|left, right| left < right),
            "{values:?}"
        );
        assert!(values.iter().all(|value| *value < mark.end()));
        for (number, value) in numbers.into_iter().zip(&values) {
            let item = format!(r#"{{"_job.price":{{"S":"{value}"}}}}"#);
            assert_eq!(mark.of_write(0).last_on(item.as_bytes()), Some(number));
            let other = Mark::new("price", "7e");
            assert_eq!(other.last_on(item.as_bytes()), None);
        }
        for none in [
            r#"{"_job.price":{"S":"7f"}}"#,
            r#"{"_job.price":{"S":"7f#"}}"#,
            "{}",
        ] {
            assert_eq!(mark.last_on(none.as_bytes()), None);
        }
    }

    #[test]
    fn a_given_write_asks_for_later_ones_too() {
        let mark = Mark::new("price", "7f").of_write(20);
        let put = request(Operation::PutItem, r#"{"Item":{"id":{"S":"a"}}}"#);
        let put = mark.onto(put).unwrap();
        assert_eq!(
            String::from_utf8_lossy(&put.body),
            r##"{"Item":{"_job.price":{"S":"7f#114"},"id":{"S":"a"}},"ConditionExpression":"NOT #job BETWEEN :job AND :end","ExpressionAttributeNames":{"#job":"_job.price"},"ExpressionAttributeValues":{":job":{"S":"7f#114"},":end":{"S":"7f$"}},"ReturnValuesOnConditionCheckFailure":"ALL_OLD"}"##
        );
        assert_eq!(put.resend, Resend::UnlessAmbiguous);
        let delete = request(Operation::DeleteItem, r#"{"Key":{"id":{"S":"a"}}}"#);
        let delete = mark.onto(delete).unwrap();
        assert_eq!(
            String::from_utf8_lossy(&delete.body),
            r##"{"Key":{"id":{"S":"a"}},"ConditionExpression":"NOT #job BETWEEN :job AND :end","ExpressionAttributeNames":{"#job":"_job.price"},"ExpressionAttributeValues":{":job":{"S":"7f#114"},":end":{"S":"7f$"}},"ReturnValuesOnConditionCheckFailure":"ALL_OLD"}"##
        );
        assert_eq!(delete.resend, Resend::Always);
    }
}
