//! The consumption of a request, as DynamoDB reports it.

use crate::json::find_member;

/// Requests the consumed capacity.
pub(crate) const RETURN_CONSUMED: &str = ",\"ReturnConsumedCapacity\":\"TOTAL\"";

/// The `CapacityUnits` of a `ConsumedCapacity`. Unreadable values count as none, because the rows matter more.
pub(crate) fn sum_units(json: &[u8]) -> Option<f64> {
    find_amount(json, "CapacityUnits")
}

/// A member that is a number and not negative.
pub(crate) fn find_amount(json: &[u8], name: &str) -> Option<f64> {
    let number = std::str::from_utf8(find_member(json, name).ok()??);
    let units: Option<f64> = number.ok().and_then(|number| number.parse().ok());
    units.filter(|units| units.is_finite() && *units >= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_read() {
        for (json, wanted) in [
            (r#"{"TableName":"t","CapacityUnits":12.5}"#, Some(12.5)),
            (
                r#"{"CapacityUnits": 3 ,"Table":{"CapacityUnits":1}}"#,
                Some(3.0),
            ),
            (r#"{"TableName":"t"}"#, None),
            (r#"{"CapacityUnits":null}"#, None),
            (r#"{"CapacityUnits":-1}"#, None),
            (r#"{"CapacityUnits":1e999}"#, None),
            ("[]", None),
        ] {
            assert_eq!(sum_units(json.as_bytes()), wanted, "{json}");
        }
    }
}
