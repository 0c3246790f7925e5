//! Parts in one case: the key has the folded text, the field its own; what is looked for is folded too; and a row whose
//! key is not the fold of its field is refused (law K8).

use dynamo_entity::Query;
use dynamo_entity::prelude::*;
use proptest::prelude::*;

use crate::queries::{WORDS, Word, asked, near, on_the_engine, sample};
use crate::{config_of_half, given};

fn text(item: &Item, attribute: &str) -> Option<String> {
    let value = item.get(attribute)?;
    value.as_text().map(str::to_owned)
}

crate::declare! {
    entity Person(table = "people", key(pk = "P#{owner:lower}", sk = "{name:lower}#{city:upper}"),
        gsi(by_nick, pk = "N#{nick:upper}", sk = "{city:lower}"))
        { owner: String, name: String, city: String, nick: Option<String> }
}

fn person() -> impl Strategy<Value = Person> {
    let nick = proptest::option::of(prop_oneof![given::cased_text(), Just(String::new())]);
    (
        given::cased_text(),
        given::cased_text(),
        given::cased_text(),
        nick,
    )
        .prop_map(|(owner, name, city, nick)| Person {
            owner,
            name,
            city,
            nick,
        })
}

proptest! {
    #![proptest_config(config_of_half())]

    #[test]
    fn what_is_asked_for_is_folded(
        person in person(),
        owner in given::cased_text(),
        (name, low, high) in near(given::cased_text),
        (city, least, most) in near(given::cased_text),
    ) {
        let person = Person { name: name.clone(), city: city.clone(), ..person };
        let (lower, upper) = (|text: &String| text.to_lowercase(), |text: &String| text.to_uppercase());
        for word in WORDS {
            let q: Query<Person> = asked!(Person::in_partition(&person.owner).name(), word, low.clone(), high.clone());
            let wanted = word.holds(&lower(&name), &lower(&low), &lower(&high));
            prop_assert_eq!(q.matches(&person)?, wanted, "{:?}", word);
            let behind = Person::in_partition(person.owner.to_uppercase().to_lowercase()).name().eq(lower(&name));
            let q: Query<Person> = asked!(behind.city(), word, least.clone(), most.clone());
            let is_owner = lower(&person.owner) == upper(&person.owner).to_lowercase();
            let wanted = word.holds(&upper(&city), &upper(&least), &upper(&most));
            prop_assert_eq!(q.matches(&person)?, wanted && is_owner, "{:?}", word);
        }
        let q: Query<Person> = Person::in_partition(&owner).into();
        prop_assert_eq!(q.matches(&person)?, lower(&owner) == lower(&person.owner));
        let q = Person::in_partition(&person.owner).name().starts_with(&low);
        prop_assert_eq!(q.matches(&person)?, lower(&name).starts_with(&lower(&low)));
    }

    #[test]
    fn keys_are_folded_and_fields_are_not(person in person(), other in person()) {
        let item = person.to_item()?;
        prop_assert_eq!(&Person::from_item(item.clone())?, &person);
        prop_assert_eq!(&person.key(), &Person::key(&person.owner, &person.name, &person.city));
        let folds = |person: &Person| {
            (person.owner.to_lowercase(), person.name.to_lowercase(), person.city.to_uppercase())
        };
        prop_assert_eq!(person.key() == other.key(), folds(&person) == folds(&other), "K1");

        let key = Person::key_from_item(item.clone())?;
        prop_assert_eq!((key.owner.to_string(), key.name.to_string(), key.city.to_string()), folds(&person), "K3");
        let is_there = person.nick.as_ref().is_some_and(|nick| !nick.is_empty());
        prop_assert_eq!(text(&item, "by_nick_pk").is_some(), is_there);
        prop_assert_eq!(text(&item, "by_nick_sk").is_some(), is_there);

        // Law K8: the key of another row, over these fields.
        let mut mixed = item.clone();
        let theirs = other.to_item()?;
        let pk = theirs.get("pk").cloned().unwrap();
        mixed.insert("pk", pk);
        let read = Person::from_item(mixed);
        let is_same = person.owner.to_lowercase() == other.owner.to_lowercase();
        prop_assert_eq!(read.as_ref().err().map(|error| error.kind()), (!is_same).then_some(ErrorKind::KeyMismatch));
    }

    /// ElectroDB puts a whole key into lower case, with its prefix and its delimiters.
    #[test]
    fn a_part_is_folded_as_the_whole_key_is(customer in given::cased_text(), shop in given::cased_text()) {
        let order = Order { customer, shop, total: 1 };
        let unfolded = (
            format!("$shop#customer_{}#shop_{}", order.customer, order.shop),
            format!("$order_1#shop_{}", order.shop),
        );
        match order.to_item() {
            Ok(item) => {
                prop_assert_eq!(text(&item, "pk"), Some(unfolded.0.to_lowercase()));
                prop_assert_eq!(text(&item, "sk"), Some(unfolded.1.to_lowercase()));
                prop_assert_eq!(Order::from_item(item)?, order);
            }
            Err(error) => prop_assert!(order.customer.contains('#'), "{}", error),
        }
    }

    /// A key that is not in its case is none that would be written, so it is refused.
    #[test]
    fn a_key_in_another_case_is_refused(name in given::cased_text()) {
        let item: Item = [("pk", "same"), ("sk", &*name)].into_iter().collect();
        let item: Item = item.into_iter().chain([("name".to_owned(), (*name).into())]).collect();
        let is_folded = name == name.to_uppercase();
        prop_assert_eq!(Verbatim::key_from_item(item.clone()).is_ok(), is_folded);
        match Verbatim::from_item(item) {
            Ok(read) => prop_assert!(is_folded && read.name == name),
            Err(error) => prop_assert!(!is_folded && error.is_key_mismatch(), "{}", error),
        }
    }
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "orders", verbatim)]
#[dynamo(key(
    pk = "$shop#customer_{customer:lower}#shop_{shop:lower}",
    sk = "$order_1#shop_{shop:lower}"
))]
struct Order {
    customer: String,
    shop: String,
    total: u64,
}

crate::declare! { entity Verbatim(table = "names", verbatim, key(pk = "same", sk = "{name:upper}")) { name: String } }

#[test]
fn on_the_engine_two_spellings_are_one_row() {
    on_the_engine(|db, runner| {
        let rows = sample(proptest::collection::vec(person(), 1..8), runner);
        let (low, high) = sample((given::cased_text(), given::cased_text()), runner);
        async move {
            db.create_tables([Person::schema()]).await?;
            let mut model: Vec<Person> = Vec::new();
            for row in rows.iter().cloned() {
                let row = Person {
                    owner: "Ann".into(),
                    ..row
                };
                let is_there = model.iter().any(|known| known.key() == row.key());
                let created = row.create().send(&db).await;
                match created {
                    Ok(_) => model.push(row),
                    Err(error) => assert!(is_there && error.is_already_exists(), "{error}"),
                }
            }
            model.sort_by_key(|row| (row.name.to_lowercase(), row.city.to_uppercase()));
            for word in WORDS {
                let q: Query<Person> = asked!(
                    Person::in_partition("aNN").name(),
                    word,
                    low.clone(),
                    high.clone()
                );
                let is_in = |row: &&Person| {
                    word.holds(
                        &row.name.to_lowercase(),
                        &low.to_lowercase(),
                        &high.to_lowercase(),
                    )
                };
                let wanted: Vec<Person> = model.iter().filter(is_in).cloned().collect();
                assert_eq!(q.all(&db).await?, wanted, "{word:?}");
            }
            for row in &model {
                let nick = row.nick.as_ref().filter(|nick| !nick.is_empty());
                if let Some(nick) = nick {
                    let found = Person::by_nick(nick.to_uppercase())
                        .city()
                        .eq(&row.city)
                        .all(&db)
                        .await?;
                    assert!(found.contains(row));
                }
                let key = Person::key("ANN", row.name.to_lowercase(), row.city.to_uppercase());
                assert_eq!(key.clone().get().send(&db).await?.as_ref(), Some(row));
                key.delete().send(&db).await?;
            }
            Ok(())
        }
    });
}
