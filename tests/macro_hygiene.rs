//! Structs that a `macro_rules!` writes. The names in the generated code do not clash with those of the macro.

use dynamo_entity::prelude::*;

macro_rules! count_per {
    ($name:ident, $part:ident, $number:ty, $path:path) => {
        mod $name {
            use super::*;

            #[derive(Debug, Clone, PartialEq, DynamoEntity)]
            #[dynamo(table = "counts", key(pk = part, sk = "{n}"))]
            #[dynamo(gsi(by_more, pk = "{more}", when(n = 7)), gsi(by_bare, pk = bare))]
            pub(super) struct Count {
                pub(super) part: $part,
                pub(super) n: $number,
                pub(super) more: Option<$part>,
                pub(super) bare: $part,
                pub(super) choice: Choice,
                #[dynamo(default)]
                pub(super) given: $path,
            }

            #[derive(Debug, Clone, PartialEq, DynamoValue)]
            pub(super) enum Choice {
                One($part),
                Two($part, $number),
                Named { part: $part },
            }
        }
    };
}

count_per!(counts, u16, u8, u32);

#[test]
fn types_may_come_from_a_macro() -> Result<()> {
    use counts::{Choice, Count};
    for choice in [Choice::One(1), Choice::Two(1, 2), Choice::Named { part: 3 }] {
        let count = Count {
            part: 1,
            n: 7,
            more: Some(2),
            bare: 3,
            choice,
            given: 4,
        };
        assert_eq!(Count::from_item(count.to_item()?)?, count);
    }
    Ok(())
}
