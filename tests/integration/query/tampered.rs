//! Cursors that somebody changed, without a secret that signs them: each is refused before anything is sent,
//! or is a place that the engine accepts.

use dynamo_entity::Number;
use dynamo_entity::prelude::*;

use crate::support::db::Db;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    changed_cursors_are_refused_or_go_on,
    a_key_that_no_key_can_be_is_refused,
];

crate::declare! {
    /// An entity with keys of every type, in the table and in its indexes.
    entity Part(table = "parts", key(pk = maker, sk = code), gsi(by_weight, pk = kind, sk = weight),
        gsi(by_hash, pk = weight, sk = hash), gsi(by_kind, pk = "K#{kind}", sk = "{code}", shards = 2),
        lsi(by_size, sk = weight)) { maker: String, code: String, kind: String, weight: Number, hash: Vec<u8> }
}

async fn parts(db: &Db) -> Outcome {
    db.create_tables([Part::schema()]).await?;
    for number in 0..9_u8 {
        let part = Part {
            maker: ["m", "n\u{1}\"ü"][usize::from(number % 2)].into(),
            code: format!("c\n{number}"),
            kind: "k".into(),
            weight: format!("{number}.5").parse()?,
            hash: vec![number, 255],
        };
        part.put().send(db).await?;
    }
    Ok(())
}

fn queries() -> Vec<Query<Part>> {
    let two: Number = 2.into();
    let half: Number = "4.5".parse().expect("a number");
    vec![
        Part::in_partition("m").into(),
        Part::in_partition("m").code().ge("c\n1").into(),
        Part::in_partition(any_of(["m", "n\u{1}\"ü"]))
            .code()
            .between("c".."d")
            .into(),
        Part::in_partition("m").code().starts_with("c").into(),
        Part::by_weight("k").into(),
        Part::by_weight("k").weight().gt(two).into(),
        Part::by_hash(half).hash().ge(vec![0]).into(),
        Part::by_kind("k").into(),
        Part::by_size("m").into(),
        Part::scan().into(),
        Part::scan().segments(3).into(),
    ]
}

fn bytes_of(cursor: &Cursor) -> Vec<u8> {
    let text = cursor.to_string();
    let bytes = base64_simd::URL_SAFE_NO_PAD.decode_to_vec(text.as_bytes());
    bytes.expect("base64")
}

fn cursor_of(bytes: &[u8]) -> Result<Cursor> {
    base64_simd::URL_SAFE_NO_PAD.encode_to_string(bytes).parse()
}

/// Changes one bit or some bytes: replaces, removes or inserts them, or takes those of another cursor.
fn change(bytes: &mut Vec<u8>, other: &[u8], random: &mut fastrand::Rng) {
    let at = random.usize(0..bytes.len());
    match random.u8(0..8) {
        0..3 => bytes[at] ^= 1 << random.u8(0..8),
        3 => {
            bytes[at] = random
                .choice(*b"\0\x1f\"\\{}:,0-eE.\x7f\xff")
                .unwrap_or_default()
        }
        4 => {
            bytes.remove(at);
        }
        5 => bytes.insert(at, random.u8(..)),
        6 => {
            let from = random.usize(0..other.len());
            let until = other.len().min(from + random.usize(1..24));
            let place = at..bytes.len().min(at + until - from);
            bytes.splice(place, other[from..until].iter().copied());
        }
        // Bytes are overwritten in place, so a block of JSON keeps its right length.
        _ => {
            let until = bytes.len().min(at + random.usize(1..6));
            for byte in &mut bytes[at..until] {
                *byte = random.choice(*b"a0\"\x01.e-=\xc3").unwrap_or_default();
            }
        }
    }
}

async fn changed_cursors_are_refused_or_go_on(db: Db) -> Outcome {
    parts(&db).await?;
    let seed = std::env::var("CURSOR_SEED").ok();
    let mut random = fastrand::Rng::with_seed(seed.and_then(|seed| seed.parse().ok()).unwrap_or(3));
    let mut cursors = Vec::new();
    for q in queries() {
        let page = q.clone().limit(100).page(&db).await?;
        let places = (0..page.rows.len()).filter_map(|row| page.cursor_at(row));
        cursors.extend(places.map(|cursor| bytes_of(&cursor)));
    }
    let (mut refused, mut taken) = (0, 0);
    for q in queries() {
        let page = q.clone().limit(100).page(&db).await?;
        for _ in 0..250 {
            let Some(own) = page.cursor_at(random.usize(0..page.rows.len())) else {
                continue;
            };
            let mut bytes = bytes_of(&own);
            for _ in 0..random.u8(1..3) {
                let other = random.choice(&cursors).ok_or("no cursors")?;
                change(&mut bytes, other, &mut random);
            }
            let Ok(cursor) = cursor_of(&bytes) else {
                refused += 1;
                continue;
            };
            let cursor = match random.bool() && q.clone().explain(&db)?.operation == Some("Query") {
                true => cursor.backwards(),
                false => cursor,
            };
            match q.clone().resume(cursor).limit(2).page(&db).await {
                Ok(_) => taken += 1,
                Err(error) => {
                    let case = format!("{error:?} {:?}", String::from_utf8_lossy(&bytes));
                    assert_eq!(error.kind(), ErrorKind::InvalidCursor, "{case}");
                    refused += 1;
                }
            }
        }
    }
    assert!(taken > 20 && refused > 1000, "{taken} {refused}");
    Ok(())
}

/// The cursor with one text of its position replaced by another, and its length corrected.
fn replaced(cursor: &Cursor, old: &[u8], new: &[u8]) -> Result<Cursor> {
    let mut bytes = bytes_of(cursor);
    let at = bytes.windows(old.len()).position(|window| window == old);
    let at = at.expect("it is there");
    bytes.splice(at..at + old.len(), new.iter().copied());
    let opening = b"\"maker\"";
    let start = bytes
        .windows(opening.len())
        .position(|window| window == opening);
    let start = start.expect("a position");
    let length = u32::try_from(bytes.len() - start).expect("short");
    bytes[start - 4..start].copy_from_slice(&length.to_le_bytes());
    cursor_of(&bytes)
}

async fn a_key_that_no_key_can_be_is_refused(db: Db) -> Outcome {
    parts(&db).await?;
    let q: Query<Part> = Part::by_weight("k").into();
    let page = q.clone().limit(100).page(&db).await?;
    let cursor = page.cursor_at(2).expect("a place");
    let refused = |old: &'static [u8], new: Vec<u8>| {
        let (q, db, cursor) = (q.clone(), db.clone(), cursor.clone());
        async move {
            let (faulty, http) = db.faulty([]);
            let cursor = replaced(&cursor, old, &new)?;
            let error = q
                .resume(cursor)
                .page(&faulty)
                .await
                .expect_err("it is no place");
            assert_eq!(error.kind(), ErrorKind::InvalidCursor, "{error}");
            assert!(http.calls().is_empty());
            Ok::<(), Box<dyn std::error::Error>>(())
        }
    };
    let long = |size: usize| [b"{\"S\":\"", &*vec![b'x'; size], b"\"}"].concat();
    refused(b"c\\n2", b"c\n2".to_vec()).await?;
    refused(b"c\\n2", b"c\\u000a2".to_vec()).await?;
    refused(b"c\\n2", b"".to_vec()).await?;
    refused(b"c\\n2", b"c\xff2".to_vec()).await?;
    refused(b"c\\n2", b"c\\ud8002".to_vec()).await?;
    refused(b"{\"S\":\"c\\n2\"}", long(1025)).await?;
    refused(b"{\"S\":\"m\"}", long(2049)).await?;
    refused(b"{\"S\":\"c\\n2\"}", b"{\"N\":\"2\"}".to_vec()).await?;
    refused(b"{\"S\":\"c\\n2\"}", b"{\"B\":\"AAA=\"}".to_vec()).await?;
    refused(b"{\"N\":\"2.5\"}", b"{\"N\":\"x\"}".to_vec()).await?;
    refused(b"{\"N\":\"2.5\"}", b"{\"N\":\"2.50\"}".to_vec()).await?;
    refused(b"{\"N\":\"2.5\"}", b"{\"N\":\"1e999\"}".to_vec()).await?;
    refused(b"{\"N\":\"2.5\"}", b"{\"S\":\"2.5\"}".to_vec()).await?;
    refused(
        b"{\"N\":\"2.5\"}",
        b"{\"N\":\"2.5\"},\"x\":{\"S\":\"y\"}".to_vec(),
    )
    .await?;
    refused(
        b"{\"N\":\"2.5\"}",
        b"{\"N\":\"2.5\"},\"maker\":{\"S\":\"m\"}".to_vec(),
    )
    .await?;
    refused(b"{\"N\":\"2.5\"}", b"{ \"N\":\"2.5\"}".to_vec()).await?;
    // Any character that a text may hold is accepted in it.
    let other = replaced(&cursor, b"c\\n2", b"c\\u0001")?;
    q.resume(other).page(&db).await?;
    Ok(())
}
