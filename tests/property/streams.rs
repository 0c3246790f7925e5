//! The records of a stream as typed changes: any record, of each view and in each form, beside a model.

use std::fmt::Write as _;

use dynamo_entity::ErrorKind;
use dynamo_entity::prelude::*;
use dynamo_entity::streams::{ChangeEvent, ItemChange, StreamEvent, UnreadChange};
use proptest::prelude::*;

crate::declare! {
    table Shop(name = "shop", pk = "pk", sk = "sk", entities(Buyer, Order, Reward));
    entity Buyer(table = Shop, key(pk = "BUYER#{buyer}", sk = "INFO"), unique(by_mail, mail))
        { buyer: String, mail: String }
    entity Order(table = Shop, key(pk = "BUYER#{buyer}", sk = "ORDER#{number:04}"))
        { buyer: String, number: u32, total: String, weight: dynamo_entity::Number, #[dynamo(default)] rank: u32 }
    entity Reward(table = Shop, key(pk = "BUYER#{buyer}", sk = "REWARD#{number:04}")) { buyer: String, number: u32 }
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Shop, partition(buyer))]
enum Account {
    Buyer(Buyer),
    Order(Order),
}

/// What the item under the key of an order is before or after a change.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Content {
    /// An order of this weight; with another text of the number, and with a mark of a job.
    Order(u8, bool, bool),
    /// An order of this weight that an older program has stored without its rank, which is the default.
    Unfilled(u8),
    /// An item of another entity.
    Foreign,
    /// An item of an entity that nobody here knows.
    Unknown,
    /// An order whose weight is text.
    Broken,
    /// An order in a shape that a newer program has stored.
    Newer,
    /// The item of a unique value. It has a key of its own in truth, and never counts.
    Sentinel,
}

impl Content {
    fn json(self) -> String {
        let mut json = r#"{"pk":{"S":"BUYER#ann"},"sk":{"S":"ORDER#0007"}"#.to_owned();
        let kind = match self {
            Content::Foreign => "Reward",
            Content::Unknown => "Voucher",
            Content::Sentinel => "$unique",
            _ => "Order",
        };
        write!(json, r#","_type":{{"S":"{kind}"}}"#).unwrap();
        match self {
            Content::Order(weight, is_spelled, is_marked) => {
                let weight = match is_spelled {
                    // All digits count, far beyond those of a float.
                    true => format!("{weight}.123456789012345678901234567890"),
                    false => format!("{weight}.12345678901234567890123456789"),
                };
                let mark = if is_marked {
                    r#","_job.x":{"S":"7f"}"#
                } else {
                    ""
                };
                write!(
                    json,
                    r#","weight":{{"N":"{weight}"}},"total":{{"S":"\u00e9"}},"rank":{{"N":"0"}}{mark}"#
                )
                .unwrap();
            }
            Content::Unfilled(weight) => write!(
                json,
                r#","weight":{{"N":"{weight}.12345678901234567890123456789"}},"total":{{"S":"\u00e9"}}"#
            )
            .unwrap(),
            Content::Broken => json.push_str(r#","weight":{"S":"1"},"total":{"S":"x"}"#),
            Content::Newer => {
                json.push_str(r#","weight":{"N":"1"},"total":{"S":"x"},"_shape":{"N":"2"}"#)
            }
            Content::Sentinel => json.push_str(r#","$unique":{"M":{}}"#),
            Content::Foreign | Content::Unknown => {}
        }
        json.push('}');
        json
    }

    fn says_the_same(self, other: Content) -> bool {
        match (self.weight(), other.weight()) {
            (Some(mine), Some(theirs)) => mine == theirs,
            _ => self == other,
        }
    }

    /// The weight of an order that can be read.
    fn weight(self) -> Option<u8> {
        match self {
            Content::Order(weight, ..) | Content::Unfilled(weight) => Some(weight),
            _ => None,
        }
    }

    fn is_mine(self) -> bool {
        !matches!(self, Content::Foreign | Content::Unknown)
    }
}

fn content() -> impl Strategy<Value = Content> {
    prop_oneof![
        6 => (0..3u8, any::<bool>(), any::<bool>()).prop_map(|(w, a, b)| Content::Order(w, a, b)),
        2 => (0..3u8).prop_map(Content::Unfilled),
        1 => Just(Content::Foreign),
        1 => Just(Content::Unknown),
        1 => Just(Content::Broken),
        1 => Just(Content::Newer),
        1 => Just(Content::Sentinel),
    ]
}

/// How the record travels.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Form {
    Lambda,
    Pipe,
    Kinesis,
    KinesisPipe,
}

#[derive(Debug, Clone)]
struct Given {
    old: Option<Content>,
    new: Option<Content>,
    /// The images of the stream, and whether the record names them.
    view: (bool, bool),
    is_named: bool,
    /// The event name, if it is not the true one.
    other_name: Option<&'static str>,
    by_ttl: bool,
    form: Form,
}

fn given() -> impl Strategy<Value = Given> {
    let form = prop_oneof![
        Just(Form::Lambda),
        Just(Form::Pipe),
        Just(Form::Kinesis),
        Just(Form::KinesisPipe)
    ];
    let name = prop::option::weighted(
        0.3,
        prop_oneof![
            Just("INSERT"),
            Just("MODIFY"),
            Just("REMOVE"),
            Just("UNKNOWN_TO_SDK_VERSION")
        ],
    );
    let images = (prop::option::of(content()), prop::option::of(content()));
    (
        images,
        any::<(bool, bool)>(),
        any::<(bool, bool)>(),
        name,
        form,
    )
        .prop_map(|((old, new), view, (is_named, by_ttl), other_name, form)| {
            let is_kinesis = matches!(form, Form::Kinesis | Form::KinesisPipe);
            let view = if is_kinesis { (true, true) } else { view };
            Given {
                old,
                new,
                view,
                // Kinesis always has both images, and never says so.
                is_named: !is_kinesis && is_named,
                other_name,
                by_ttl: by_ttl && new.is_none(),
                form,
            }
        })
}

impl Given {
    fn shown(&self) -> (Option<Content>, Option<Content>) {
        let (has_new, has_old) = self.view;
        (self.new.filter(|_| has_new), self.old.filter(|_| has_old))
    }

    fn name(&self) -> &'static str {
        self.other_name.unwrap_or(match (self.old, self.new) {
            (None, _) => "INSERT",
            (Some(_), Some(_)) => "MODIFY",
            (Some(_), None) => "REMOVE",
        })
    }

    /// The images that the record or the stream tells of.
    fn known(&self) -> (bool, bool) {
        let (new, old) = self.shown();
        match self.is_named || matches!(self.form, Form::Kinesis | Form::KinesisPipe) {
            true => self.view,
            false => (new.is_some(), old.is_some()),
        }
    }

    fn json(&self) -> String {
        let (new, old) = self.shown();
        let mut change = r#"{"Keys":{"pk":{"S":"BUYER#ann"},"sk":{"S":"ORDER#0007"}}"#.to_owned();
        if let Some(new) = new {
            write!(change, r#","NewImage":{}"#, new.json()).unwrap();
        }
        if let Some(old) = old {
            write!(change, r#","OldImage":{}"#, old.json()).unwrap();
        }
        if self.is_named {
            let view = match self.view {
                (true, true) => "NEW_AND_OLD_IMAGES",
                (true, false) => "NEW_IMAGE",
                (false, true) => "OLD_IMAGE",
                (false, false) => "KEYS_ONLY",
            };
            write!(change, r#","StreamViewType":"{view}""#).unwrap();
        }
        let identity = match self.by_ttl {
            true => r#"{"type":"Service","principalId":"dynamodb.amazonaws.com"}"#,
            false => "null",
        };
        let head = format!(
            r#""eventID":"e1","eventName":"{}","userIdentity":{identity},"awsRegion":"eu-west-1""#,
            self.name()
        );
        let record = |change: &str| format!("{{{head},\"dynamodb\":{change}}}}}");
        let data = || base64_simd::STANDARD.encode_to_string(record(&change));
        match self.form {
            Form::Lambda | Form::Pipe => {
                let change = format!(
                    r#"{change},"ApproximateCreationDateTime":1.5E9,"SequenceNumber":"490""#
                );
                match self.form {
                    Form::Lambda => format!("{{\"Records\":[{}]}}", record(&change)),
                    _ => format!("[{}]", record(&change)),
                }
            }
            Form::Kinesis => format!(
                r#"{{"Records":[{{"eventID":"shardId-000000000006:490","eventName":"aws:kinesis:record","eventSource":"aws:kinesis","kinesis":{{"data":"{}","sequenceNumber":"490"}}}}]}}"#,
                data()
            ),
            Form::KinesisPipe => format!(
                r#"[{{"eventID":"shardId-000000000006:490","eventSource":"aws:kinesis","data":"{}","sequenceNumber":"490"}}]"#,
                data()
            ),
        }
    }

    /// The outcome that a verb with these images must have.
    fn expected(&self, (reads_new, reads_old): (bool, bool)) -> Outcome {
        let (new, old) = self.shown();
        let (knows_new, knows_old) = self.known();
        if [new, old].contains(&Some(Content::Sentinel)) {
            return Outcome::Hidden;
        }
        if let (Some(new), Some(old)) = (new, old)
            && new.says_the_same(old)
        {
            return Outcome::Hidden;
        }
        if (reads_new && !knows_new) || (reads_old && !knows_old) {
            return Outcome::Unread(ErrorKind::Decode);
        }
        let has_image = new.is_some() || old.is_some();
        let (new, old) = (
            new.filter(|content| content.is_mine()),
            old.filter(|content| content.is_mine()),
        );
        if has_image && new.is_none() && old.is_none() {
            return Outcome::Hidden;
        }
        let by_name = match self.name() {
            "INSERT" => "created",
            "MODIFY" => "changed",
            "REMOVE" => "removed",
            _ if self.by_ttl => "removed",
            _ => "?",
        };
        let kind = match (knows_new, knows_old, new, old) {
            (true, true, Some(_), None) | (false, true, _, None) => "created",
            (true, true, Some(_), Some(_)) => "changed",
            (true, true, None, Some(_)) | (true, false, None, _) => "removed",
            (true, true, None, None) => "?",
            (true, false, Some(_), _) if by_name == "removed" => "?",
            (false, true, _, Some(_)) if by_name == "created" => "?",
            _ => by_name,
        };
        let side = |reads: bool, content: Option<Content>| match (reads, content) {
            (false, _) => Ok(None),
            (true, Some(content)) if content.weight().is_some() => Ok(content.weight()),
            (true, Some(Content::Newer)) => Err(ErrorKind::NewerShape),
            (true, _) => Err(ErrorKind::Decode),
        };
        let read = match kind {
            "created" => side(reads_new, new).map(|new| ("created", new, None)),
            "changed" => side(reads_old, old)
                .and_then(|old| side(reads_new, new).map(|new| ("changed", new, old))),
            "removed" => side(reads_old, old).map(|old| {
                let kind = if self.by_ttl { "expired" } else { "removed" };
                (kind, None, old)
            }),
            _ => Err(ErrorKind::Decode),
        };
        match read {
            Ok((kind, new, old)) => Outcome::Shown(kind, new, old),
            Err(kind) => Outcome::Unread(kind),
        }
    }
}

#[derive(Debug, PartialEq)]
enum Outcome {
    Hidden,
    Unread(ErrorKind),
    /// The kind, and the weights after and before. A key has none.
    Shown(&'static str, Option<u8>, Option<u8>),
}

fn outcome<New, Old>(
    mut changes: impl Iterator<Item = Result<ItemChange<New, Old>, UnreadChange>>,
    new_weight: fn(&New) -> Option<u8>,
    old_weight: fn(&Old) -> Option<u8>,
) -> Outcome {
    let outcome = match changes.next() {
        None => Outcome::Hidden,
        Some(Err(unread)) => {
            let key = unread.key().expect("the key of the record");
            assert_eq!(key.get("sk"), Some(&"ORDER#0007".into()));
            let item_key = unread.error().item_key();
            assert_eq!(item_key, Some(key));
            Outcome::Unread(unread.kind())
        }
        Some(Ok(change)) => {
            assert_eq!(change.record.event_id(), Some("e1"));
            let kind = match change.event {
                ChangeEvent::Created(_) => "created",
                ChangeEvent::Changed { .. } => "changed",
                ChangeEvent::Removed { by_ttl: true, .. } => "expired",
                ChangeEvent::Removed { .. } => "removed",
            };
            let (new, old) = (change.event.after(), change.event.before());
            Outcome::Shown(kind, new.and_then(new_weight), old.and_then(old_weight))
        }
    };
    assert!(changes.next().is_none());
    outcome
}

fn weight(order: &Order) -> Option<u8> {
    let (whole, rest) = order.weight.as_str().split_once('.').expect("a fraction");
    assert_eq!(
        (rest, &*order.total),
        ("12345678901234567890123456789", "\u{e9}")
    );
    whole.parse().ok()
}

fn weight_of(account: &Account) -> Option<u8> {
    match account {
        Account::Order(order) => weight(order),
        Account::Buyer(_) => panic!("the key is one of an order"),
    }
}

proptest! {
    #![proptest_config(crate::config())]

    #[test]
    fn any_record_is_what_its_images_say(given in given(), by_serde in any::<bool>()) {
        let json = given.json();
        let event: StreamEvent = match by_serde {
            true => serde_json::from_str(&json).expect("an event"),
            false => StreamEvent::from_json(json.as_bytes()).expect("an event"),
        };
        let key_only = |key: &Key<Order>| {
            assert_eq!(*key, Order::key("ann", 7));
            None
        };
        let member_only = |key: &dynamo_entity::streams::MemberKey| {
            assert_eq!(key.of::<Order>().expect("a key"), Some(Order::key("ann", 7)));
            assert_eq!(key.of::<Buyer>().expect("a key"), None);
            None
        };
        let both = given.expected((true, true));
        prop_assert_eq!(&outcome(Order::changes_of(&event), weight, weight), &both);
        prop_assert_eq!(&outcome(Account::changes_of(&event), weight_of, weight_of), &both);
        let new = given.expected((true, false));
        prop_assert_eq!(&outcome(Order::new_images_of(&event), weight, key_only), &new);
        prop_assert_eq!(&outcome(Account::new_images_of(&event), weight_of, member_only), &new);
        let old = given.expected((false, true));
        prop_assert_eq!(&outcome(Order::old_images_of(&event), key_only, weight), &old);
        prop_assert_eq!(&outcome(Account::old_images_of(&event), member_only, weight_of), &old);
        let keys = given.expected((false, false));
        prop_assert_eq!(&outcome(Order::keys_of(&event), key_only, key_only), &keys);
        prop_assert_eq!(&outcome(Account::keys_of(&event), member_only, member_only), &keys);
        // The key is not one of these.
        if given.shown() == (None, None) {
            prop_assert_eq!(Reward::keys_of(&event).count(), 0);
        }
    }

    /// Any bytes give an error or records, and never a panic.
    #[test]
    fn any_bytes_end(text in r#"[\[\]{}",:a-zRecords0-9 ]{0,60}"#) {
        if let Ok(event) = StreamEvent::from_json(text.as_bytes()) {
            prop_assert!(Order::changes_of(&event).all(|change| change.is_err()));
        }
    }
}

/// The key of a sentinel alone tells that it is none of an entity.
#[test]
fn the_key_of_a_unique_value_is_not_shown() {
    #[derive(Debug, DynamoEntity)]
    #[dynamo(table = "members", key(pk = "MEMBER#{id}"), unique(by_mail, mail))]
    struct Member {
        id: String,
        mail: String,
    }
    let event = |id: &str| {
        let json = format!(
            r#"[{{"eventName":"INSERT","dynamodb":{{"Keys":{{"pk":{{"S":"{id}"}}}},"StreamViewType":"KEYS_ONLY"}}}}]"#
        );
        StreamEvent::from_json(json.as_bytes()).expect("an event")
    };
    assert_eq!(Member::keys_of(&event("MEMBER#ann")).count(), 1);
    assert_eq!(Member::keys_of(&event("$UNIQUE#mail#a@b")).count(), 0);
}

/// An entity that has its table alone hides no item: a key in another format is an error.
#[test]
fn an_own_table_hides_nothing() {
    #[derive(Debug, DynamoEntity)]
    #[dynamo(table = "members", key(pk = "MEMBER#{id}"))]
    struct Member {
        id: u32,
    }
    let json = br#"[{"eventName":"INSERT","dynamodb":{"Keys":{"pk":{"S":"member-7"}},
        "NewImage":{"pk":{"S":"member-7"},"id":{"N":"7"}},"StreamViewType":"NEW_AND_OLD_IMAGES"}}]"#;
    let event = StreamEvent::from_json(json).expect("an event");
    let unread = Member::changes_of(&event).next().expect("a record");
    let unread = unread.expect_err("a key in another format");
    assert_eq!(unread.kind(), ErrorKind::KeyMismatch);
    assert_eq!(unread.error().entity(), Some("Member"));
}
