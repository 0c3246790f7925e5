//! Compressed fields, beside the same fields without compression.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use bytes::Bytes;
use dynamo_entity::ErrorKind;
use dynamo_entity::prelude::*;
use dynamo_entity::transfer::Mask;

use crate::support::db::{Db, Raw, n, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    values_are_those_of_plain_fields(Page, Plain),
    rows_of_both_forms_are_read(Page, Later),
    updates_write_compressed_values(Page),
    damaged_values_are_errors(Page),
    large_items_fit(Page),
    masked_copies_mask_compressed_values(Person),
    ambiguous_bytes_are_not_written_plain(Image),
    nothing_within_a_compressed_value_is_compressed(Tree),
    values_of_other_encoders_are_changed(Page),
];

#[derive(Debug, Clone, PartialEq, DynamoValue)]
struct Section {
    title: String,
    lines: Vec<String>,
    notes: BTreeMap<String, u32>,
    #[dynamo(compress)]
    raw: Option<String>,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "pages", key(pk = id))]
struct Page {
    id: u32,
    #[dynamo(compress)]
    text: String,
    #[dynamo(compress)]
    image: Bytes,
    #[dynamo(compress)]
    sections: Vec<Section>,
    #[dynamo(compress)]
    summary: Option<String>,
    #[dynamo(compress, default)]
    scores: Vec<i64>,
}

/// The same table, without compression.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "plain-pages", key(pk = id))]
struct Plain {
    id: u32,
    text: String,
    image: Bytes,
    sections: Vec<PlainSection>,
    summary: Option<String>,
    #[dynamo(default)]
    scores: Vec<i64>,
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
struct PlainSection {
    title: String,
    lines: Vec<String>,
    notes: BTreeMap<String, u32>,
    raw: Option<String>,
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
struct Contact {
    #[dynamo(personal)]
    mail: String,
    city: String,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "people", key(pk = id))]
struct Person {
    id: u32,
    #[dynamo(compress)]
    contacts: Vec<Contact>,
    #[dynamo(compress, personal)]
    diary: String,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "images", key(pk = id))]
struct Image {
    id: u32,
    #[dynamo(decompress)]
    small: Bytes,
    #[dynamo(decompress)]
    large: Option<Bytes>,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "trees", key(pk = id))]
struct Tree {
    id: u32,
    #[dynamo(compress)]
    nodes: Vec<Node>,
    flat: Vec<Node>,
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
struct Node {
    #[dynamo(compress)]
    name: String,
    #[dynamo(compress)]
    image: Bytes,
    #[dynamo(compress)]
    nodes: Vec<Node>,
}

/// The same table before values are compressed.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "later-pages", key(pk = id))]
struct Later {
    id: u32,
    #[dynamo(decompress)]
    text: String,
    #[dynamo(decompress)]
    summary: Option<String>,
}

struct Values(fastrand::Rng);

impl Values {
    fn text(&mut self) -> String {
        let words = [
            "",
            "lorem ",
            "ipsum ",
            "\"",
            "\\n",
            "ü",
            "\u{0}",
            "😀",
            "{\"S\":\"x\"}",
        ];
        let count = match self.0.u8(0..4) {
            0 => 0,
            1 => self.0.usize(0..20),
            _ => self.0.usize(0..400),
        };
        (0..count)
            .map(|_| words[self.0.usize(..words.len())])
            .collect()
    }

    fn bytes(&mut self) -> Bytes {
        // Bytes that look like a compressed value, and those that do not shrink.
        let start: &[u8] = match self.0.u8(0..4) {
            0 => &[2, 0x28, 0xb5, 0x2f, 0xfd],
            1 => &[3, 0x28, 0xb5, 0x2f, 0xfd, 0],
            2 => &[1, 0x28, 0xb5, 0x2f],
            _ => &[],
        };
        let count = self.0.usize(0..300);
        let is_random = self.0.bool();
        let rest = (0..count).map(|_| if is_random { self.0.u8(..) } else { 7 });
        start
            .iter()
            .copied()
            .chain(rest.collect::<Vec<_>>())
            .collect()
    }

    fn section(&mut self) -> Section {
        let count = self.0.usize(0..6);
        Section {
            title: self.text(),
            lines: (0..count).map(|_| self.text()).collect(),
            notes: (0..count)
                .map(|at| (format!("n{at}"), self.0.u32(..)))
                .collect(),
            raw: self.0.bool().then(|| self.text()),
        }
    }

    fn page(&mut self, id: u32) -> Page {
        let count = self.0.usize(0..4);
        Page {
            id,
            text: self.text(),
            image: self.bytes(),
            sections: (0..count).map(|_| self.section()).collect(),
            summary: self.0.bool().then(|| self.text()),
            scores: (0..self.0.i64(0..200)).collect(),
        }
    }
}

fn plain(page: &Page) -> Plain {
    let plain = |section: &Section| PlainSection {
        title: section.title.clone(),
        lines: section.lines.clone(),
        notes: section.notes.clone(),
        raw: section.raw.clone(),
    };
    Plain {
        id: page.id,
        text: page.text.clone(),
        image: page.image.clone(),
        sections: page.sections.iter().map(plain).collect(),
        summary: page.summary.clone(),
        scores: page.scores.clone(),
    }
}

fn page(id: u32) -> Page {
    Page {
        id,
        text: "lorem ipsum ".repeat(100),
        image: Bytes::from(vec![7; 500]),
        sections: Vec::new(),
        summary: None,
        scores: Vec::new(),
    }
}

/// A value as a program in another language writes it: the type of the content, and a frame.
fn frame(content: u8, bytes: &[u8]) -> AttributeValue {
    let frame = zstd::bulk::compress(bytes, 1).unwrap();
    AttributeValue::B(Blob::new([&[content][..], &frame].concat()))
}

fn size_of(raw: &Raw, name: &str) -> usize {
    match &raw[name] {
        AttributeValue::S(text) => text.len(),
        AttributeValue::B(bytes) => bytes.as_ref().len(),
        _ => 0,
    }
}

async fn values_are_those_of_plain_fields(db: Db) -> Outcome {
    let mut values = Values(fastrand::Rng::with_seed(7));
    let (mut compressed, mut kept) = (0, 0);
    for id in 0..60 {
        let (page, beside) = {
            let page = values.page(id);
            let beside = plain(&page);
            (page, beside)
        };
        let stored = page.put().send(&db).await?;
        assert_eq!(stored, page);
        beside.put().send(&db).await?;
        assert_eq!(
            Page::key(id).get().consistent().send(&db).await?,
            Some(page.clone())
        );
        assert_eq!(Page::from_item(page.to_item()?)?, page);

        // The plain row is read too, and is the same.
        let mut row = db.stored(&Plain::key(id)).await;
        let own = db.stored(&Page::key(id)).await;
        for name in ["text", "image", "summary"] {
            let sizes = own
                .contains_key(name)
                .then(|| (size_of(&own, name), size_of(&row, name)));
            let Some((own, plain)) = sizes else { continue };
            // Only bytes that look like a compressed value may be longer.
            assert!(
                own <= plain || name == "image" && own < plain + 30,
                "{name}: {own} of {plain}"
            );
            match own < plain {
                true => compressed += 1,
                false => kept += 1,
            }
        }
        // Such bytes were not stored before, or are read as compressed ones.
        if !page.image.starts_with(&[2, 0x28]) && !page.image.starts_with(&[3, 0x28]) {
            let row: Item = std::mem::take(&mut row).into();
            assert_eq!(Page::from_item(row)?, page);
        }
    }
    assert!(compressed > 60 && kept > 20, "{compressed} {kept}");
    Ok(())
}

async fn rows_of_both_forms_are_read(db: Db) -> Outcome {
    let text = "lorem ipsum ".repeat(50);
    let later = Later {
        id: 1,
        text: text.clone(),
        summary: Some(text.clone()),
    };
    later.put().send(&db).await?;
    let stored = db.stored(&Later::key(1)).await;
    assert_eq!(stored["text"], s(&text), "this program writes plain values");

    let row = raw([
        ("id", n("2")),
        ("text", frame(1, text.as_bytes())),
        ("summary", AttributeValue::Null(true)),
    ]);
    db.plant::<Later>(row).await;
    let read = Later::key(2).get().consistent().send(&db).await?;
    assert_eq!(
        read,
        Some(Later {
            id: 2,
            text: text.clone(),
            summary: None
        })
    );
    // A put of this program writes the plain value again.
    read.unwrap().put().send(&db).await?;
    assert_eq!(db.stored(&Later::key(2)).await["text"], s(&text));

    let json = format!("{{\"S\":\"{text}\"}}");
    for (content, bytes) in [(1, text.as_bytes()), (3, json.as_bytes())] {
        let row = raw([
            ("id", n("3")),
            ("text", frame(content, bytes)),
            ("image", frame(2, b"ab")),
            ("sections", frame(3, br#"{"L":[]}"#)),
        ]);
        db.plant::<Page>(row).await;
        let read = Page::key(3).get().consistent().send(&db).await?.unwrap();
        assert_eq!(
            (read.text, read.image),
            (text.clone(), Bytes::from_static(b"ab"))
        );
    }
    Ok(())
}

async fn updates_write_compressed_values(db: Db) -> Outcome {
    page(1).put().send(&db).await?;
    let text = "dolor sit ".repeat(200);
    Page::key(1)
        .update()
        .apply(|p| (p.text().set(text.as_str()), p.summary().set(text.clone())))
        .send(&db)
        .await?;
    let stored = db.stored(&Page::key(1)).await;
    assert!(stored["text"].is_b() && stored["summary"].is_b());
    let only = Page::key(1).update().apply(|p| p.summary().remove());
    let read = only.when(|p| p.summary().exists()).send(&db).await?;
    assert_eq!((read.text, read.summary), (text, None));

    let read = Page::key(1)
        .modify(|p| p.text = "short".into())
        .send(&db)
        .await?;
    assert_eq!(read.text, "short");
    assert_eq!(db.stored(&Page::key(1)).await["text"], s("short"));
    Ok(())
}

async fn damaged_values_are_errors(db: Db) -> Outcome {
    let AttributeValue::B(whole) = frame(1, "lorem ipsum ".repeat(50).as_bytes()) else {
        unreachable!("a frame is binary");
    };
    let whole = whole.into_inner();
    let bomb = zstd::bulk::compress(&vec![0; 1 << 25 | 1], 1)?;
    let damaged = [
        whole[..whole.len() - 3].to_vec(),
        [&whole[..], b"x"].concat(),
        [&[1][..], &bomb].concat(),
        frame(1, &[0xff; 200]).as_b().unwrap().as_ref().to_vec(),
        frame(3, b"{\"S\":").as_b().unwrap().as_ref().to_vec(),
        frame(3, b"{\"S\":\"a\"} ,")
            .as_b()
            .unwrap()
            .as_ref()
            .to_vec(),
        frame(2, b"bytes").as_b().unwrap().as_ref().to_vec(),
        b"no frame".to_vec(),
    ];
    for (at, bytes) in damaged.into_iter().enumerate() {
        let row = raw([
            ("id", n("9")),
            ("text", AttributeValue::B(Blob::new(bytes))),
            ("image", AttributeValue::B(Blob::new("i"))),
            ("sections", AttributeValue::L(Vec::new())),
        ]);
        db.plant::<Page>(row).await;
        let refused = Page::key(9).get().consistent().send(&db).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Decode, "{at}: {refused}");
        assert!(refused.to_string().contains("text"), "{at}: {refused}");
    }
    Ok(())
}

async fn large_items_fit(db: Db) -> Outcome {
    let mut large = page(1);
    large.text = (0..60_000)
        .map(|number| format!("line {number}\n"))
        .collect();
    assert!(large.text.len() > 600_000);
    large.put().send(&db).await?;
    assert_eq!(
        Page::key(1).get().consistent().send(&db).await?,
        Some(large.clone())
    );
    large.text = "x".repeat(1 << 25 | 1);
    let refused = large.put().send(&db).await.unwrap_err();
    assert!(refused.to_string().contains("text"), "{refused}");
    Ok(())
}

async fn masked_copies_mask_compressed_values(db: Db) -> Outcome {
    let contact = |at| Contact {
        mail: format!("secret{at}@example.org"),
        city: "Berlin".into(),
    };
    let person = Person {
        id: 1,
        contacts: (0..9).map(contact).collect(),
        diary: "secret ".repeat(30),
    };
    person.put().send(&db).await?;
    assert!(
        db.stored(&Person::key(1))
            .await
            .values()
            .any(AttributeValue::is_b)
    );
    let other = Dynamo::connect("embedded:memory").await?;
    other.create_tables([Person::schema()]).await?;
    let copy = Person::scan().copy_to(&other);
    let mask = Mask::with_secret("8f1d7c02b95e4a6e8f1d7c02b95e4a6e")?;
    copy.masked(mask).send(&db).await?.complete()?;
    let copied = Person::key(1).get().send(&other).await?.unwrap();
    let cities = copied
        .contacts
        .iter()
        .filter(|contact| contact.city == "Berlin");
    assert_eq!(cities.count(), 9);
    assert!(!format!("{copied:?}").contains("secret"), "{copied:?}");

    // A member without a field may be personal.
    let sections = br#"{"L":[{"M":{"mail":{"S":"a"},"city":{"S":"b"},"iban":{"S":"secret"}}}]}"#;
    let row = raw([
        ("id", n("2")),
        ("contacts", frame(3, sections)),
        ("diary", s("d")),
    ]);
    db.plant::<Person>(row).await;
    let mask = Mask::with_secret("8f1d7c02b95e4a6e8f1d7c02b95e4a6e")?;
    let refused = Person::scan().copy_to(&other).masked(mask).send(&db).await;
    let refused = refused.and_then(|report| report.complete()).unwrap_err();
    assert!(refused.to_string().contains("iban"), "{refused}");
    Ok(())
}

async fn ambiguous_bytes_are_not_written_plain(db: Db) -> Outcome {
    let frame = frame(2, b"hello");
    let bytes = Bytes::copy_from_slice(frame.as_b().unwrap().as_ref());
    let image = |small: &Bytes, large: Option<&Bytes>| Image {
        id: 1,
        small: small.clone(),
        large: large.cloned(),
    };
    let fine = Bytes::from_static(b"fine");
    for image in [image(&bytes, None), image(&fine, Some(&bytes))] {
        let refused = image.put().send(&db).await.unwrap_err();
        assert!(refused.to_string().contains("read as one"), "{refused}");
    }
    image(&fine, Some(&fine)).put().send(&db).await?;
    // A type of content that this version does not know.
    let newer = [&[9][..], &bytes[1..]].concat();
    let row = raw([
        ("id", n("1")),
        ("small", AttributeValue::B(Blob::new(newer))),
    ]);
    db.plant::<Image>(row).await;
    let refused = Image::key(1)
        .get()
        .consistent()
        .send(&db)
        .await
        .unwrap_err();
    assert!(refused.to_string().contains("newer version"), "{refused}");
    Ok(())
}

async fn nothing_within_a_compressed_value_is_compressed(db: Db) -> Outcome {
    let looks_compressed = frame(2, b"hello").as_b().unwrap().clone().into_inner();
    let node = |nodes: Vec<Node>| Node {
        name: "name ".repeat(30),
        image: Bytes::from(looks_compressed.clone()),
        nodes,
    };
    let deep = (0..12).fold(node(Vec::new()), |inner, _| node(vec![inner]));
    let tree = Tree {
        id: 1,
        nodes: vec![deep.clone()],
        flat: vec![deep],
    };
    tree.put().send(&db).await?;
    assert_eq!(
        Tree::key(1).get().consistent().send(&db).await?,
        Some(tree.clone())
    );

    let stored = db.stored(&Tree::key(1)).await;
    let content = zstd::decode_all(&stored["nodes"].as_b().unwrap().as_ref()[1..])?;
    let content = String::from_utf8(content)?;
    assert_eq!(content.matches("name name").count(), 13 * 15, "{content}");
    // The list itself is plain here, and its fields are compressed.
    let flat = stored["flat"].as_l().unwrap()[0].as_m().unwrap();
    assert!(flat["name"].is_b() && flat["nodes"].is_b());
    Ok(())
}

/// The guards of `modify` and of changes are those of the stored bytes.
async fn values_of_other_encoders_are_changed(db: Db) -> Outcome {
    let text = "lorem ipsum ".repeat(50);
    for content in [frame(1, text.as_bytes()), s(&text)] {
        let row = raw([
            ("id", n("1")),
            ("text", content),
            ("image", AttributeValue::B(Blob::new("i"))),
            ("sections", frame(3, br#"{"L":[]}"#)),
        ]);
        db.plant::<Page>(row).await;
        let changed = Page::key(1)
            .modify(|page| page.summary = Some("new".into()))
            .send(&db)
            .await?;
        assert_eq!(
            (changed.text.as_str(), changed.summary.as_deref()),
            (text.as_str(), Some("new"))
        );
        let other = Page {
            text: "other".into(),
            ..changed.clone()
        };
        let changed = changed.changes_to(&other).send(&db).await?;
        assert_eq!(changed.text, "other");
        // The old value is no longer there.
        let late = other.changes_to(&Page {
            text: "third".into(),
            ..other.clone()
        });
        Page::key(1)
            .modify(|page| page.text = "else".into())
            .send(&db)
            .await?;
        assert!(late.send(&db).await.unwrap_err().is_conflict());
    }
    Ok(())
}
