//! The mark of a job in each item that it changed.
//!
//! It is set by the same request as the change and asked for by its condition, so the item itself tells
//! whether the change took place: after a crash, after a lost answer, and where an index shows a row twice.
//! The attribute has the name of the job, so that jobs side by side do not erase each other's marks; its
//! value tells one run of a job from the next.

use bytes::Bytes;

use super::checkpoint::refused;
use crate::codec::{Fault, Reader, Writer, member, members};
use crate::error::Result;
use crate::schema::{EntityDef, TableDef};
use crate::wire::{Operation, Request, Resend};

/// The name of the attribute begins so.
const PREFIX: &str = crate::schema::JOB;

/// What a job leaves in an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mark {
    attribute: String,
    value: String,
}

impl Mark {
    pub(super) fn new(job: &str, run: &str) -> Self {
        Mark {
            attribute: format!("{PREFIX}{job}"),
            value: run.to_owned(),
        }
    }

    /// Refuses to be an attribute that the table uses otherwise.
    pub(super) fn check_free(&self, table: &TableDef, entities: &[&EntityDef]) -> Result<()> {
        let attribute = &*self.attribute;
        let mut fields = entities.iter().flat_map(|entity| entity.attributes);
        let is_taken = fields.any(|field| field.stored == attribute)
            || [Some(table.pk), table.sk, table.type_attribute].contains(&Some(attribute));
        if is_taken {
            return Err(refused(format!(
                "the mark of this job would be the attribute `{attribute}`, which the table uses otherwise: give the job another name"
            )));
        }
        Ok(())
    }

    /// Of one of the writes of a job, of which several may change the same item.
    pub(super) fn of_write(&self, number: u64) -> Self {
        Mark {
            attribute: self.attribute.clone(),
            value: format!("{}#{number}", self.value),
        }
    }

    /// Whether the item carries it.
    pub(super) fn is_on(&self, item: &[u8]) -> bool {
        let value = member(item, &self.attribute).ok().flatten();
        let text = value.map(|json| Reader::new(json).text().ok().map(|text| text == self.value));
        text.flatten().unwrap_or(false)
    }

    /// The same write with the mark, which takes effect only where the mark is not. Deletes, and updates that
    /// change nothing, leave none.
    pub(super) fn onto(&self, request: Request) -> Result<Request, Fault> {
        let parameters = members(&request.body)?;
        let has = |name: &str| parameters.iter().any(|(known, _)| known == name);
        let writes = match request.operation {
            Operation::PutItem => true,
            Operation::UpdateItem => has("UpdateExpression"),
            _ => false,
        };
        if !writes {
            return Ok(request);
        }
        let mut body = Writer::with_capacity(request.body.len() + 256);
        body.raw("{");
        for (name, value) in &parameters {
            body.dynamic_name(name);
            match &**name {
                "Item" => self.add_to_item(value, &mut body)?,
                "UpdateExpression" => add_to_update(value, &mut body),
                "ConditionExpression" => add_to_condition(value, &mut body),
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
                "ConditionExpression" => body.quoted(NOT_YET),
                "ExpressionAttributeNames" => self.add_to_names(b"{}", &mut body),
                "ExpressionAttributeValues" => self.add_to_values(b"{}", &mut body),
                _ => body.quoted("ALL_OLD"),
            }
        }
        body.raw("}");
        Ok(Request {
            body: Bytes::from(body.into_bytes()),
            // After a lost answer the item is looked at.
            resend: Resend::UnlessAmbiguous,
            ..request
        })
    }

    /// In the place of the one that an earlier run has left, which a field of all the rest brings along.
    fn add_to_item(&self, item: &[u8], body: &mut Writer) -> Result<(), Fault> {
        body.raw("{");
        body.dynamic_name(&self.attribute);
        body.text(&self.value);
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
        entry.text(&self.value);
        add_entry(values, entry.as_bytes(), body);
    }
}

/// True of an item without the attribute too.
const NOT_YET: &str = "#job <> :job";

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

fn add_to_condition(expression: &[u8], body: &mut Writer) {
    let inside = expression.strip_prefix(b"\"").unwrap_or(expression);
    let inside = inside.strip_suffix(b"\"").unwrap_or(inside);
    body.raw("\"(");
    body.raw_bytes(inside);
    body.raw(") AND ");
    body.raw(NOT_YET);
    body.raw("\"");
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
        assert!(mark.of_write(3).is_on(br#"{"_job.price":{"S":"7f#3"}}"#));
    }
}
