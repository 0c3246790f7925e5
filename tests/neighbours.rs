//! An entity can have other derives and methods of its own, and no name of the library is in their way.
//!
//! What a derive implements for the library is in a trait outside of the prelude. So `encode`, `decode`,
//! `version` and the like on a struct are the methods of prost, of serde or of the program. If a struct has
//! methods with the names of the library's verbs, the verbs can still be called through their traits.

use dynamo_entity::prelude::*;
use prost::Message;

type Outcome = std::result::Result<(), Box<dyn std::error::Error>>;

/// The methods of `prost::Message` are called by their short names, and a field has the name of each verb of
/// the library.
#[derive(Clone, PartialEq, prost::Message, serde::Serialize, serde::Deserialize, DynamoEntity)]
#[dynamo(table = "parcels", key(pk = id))]
struct Parcel {
    #[prost(string, tag = "1")]
    id: String,
    #[prost(uint32, tag = "2")]
    key: u32,
    #[prost(uint32, tag = "3")]
    create: u32,
    #[prost(uint32, tag = "4")]
    put: u32,
    #[prost(uint32, tag = "5")]
    update: u32,
    #[prost(uint32, tag = "6")]
    delete: u32,
    #[prost(uint32, tag = "7")]
    to_item: u32,
    #[prost(uint32, tag = "8")]
    from_item: u32,
    #[prost(uint32, tag = "9")]
    get_many: u32,
    #[prost(uint32, tag = "10")]
    scan: u32,
    #[prost(uint32, tag = "11")]
    encode: u32,
    #[prost(uint32, tag = "12")]
    decode: u32,
    #[prost(uint32, tag = "13")]
    version: u32,
    #[prost(uint32, tag = "14")]
    expires_at: u32,
    #[prost(uint32, tag = "15")]
    key_parts: u32,
    #[prost(uint32, tag = "16")]
    has_key: u32,
    #[prost(uint32, tag = "17")]
    as_stored: u32,
    #[prost(uint32, tag = "18")]
    read_json: u32,
}

fn parcel() -> Parcel {
    let values = (1..=17).map(|number| number * 3).collect::<Vec<u32>>();
    Parcel {
        id: "p1".into(),
        key: values[0],
        create: values[1],
        put: values[2],
        update: values[3],
        delete: values[4],
        to_item: values[5],
        from_item: values[6],
        get_many: values[7],
        scan: values[8],
        encode: values[9],
        decode: values[10],
        version: values[11],
        expires_at: values[12],
        key_parts: values[13],
        has_key: values[14],
        as_stored: values[15],
        read_json: values[16],
    }
}

/// A nested value can be a message, too.
#[derive(Clone, PartialEq, prost::Message, serde::Serialize, serde::Deserialize, DynamoValue)]
struct Stamp {
    #[prost(uint32, tag = "1")]
    encode: u32,
    #[prost(uint32, tag = "2")]
    encode_slice: u32,
}

#[tokio::test]
async fn messages_are_entities() -> Outcome {
    let db = Dynamo::connect("embedded:memory").await?;
    db.create_tables([Parcel::schema()]).await?;
    let parcel = parcel();

    // Methods of prost, by their short names.
    let bytes = parcel.encode_to_vec();
    assert_eq!(Parcel::decode(&bytes[..])?, parcel);
    let mut buffer = Vec::new();
    parcel.encode(&mut buffer)?;
    assert_eq!((buffer.len(), &buffer), (parcel.encoded_len(), &bytes));
    let stamp = Stamp {
        encode: 1,
        encode_slice: 2,
    };
    assert_eq!(Stamp::decode(&stamp.encode_to_vec()[..])?, stamp);

    // Methods of serde.
    let json = serde_json::to_string(&parcel)?;
    assert_eq!(serde_json::from_str::<Parcel>(&json)?, parcel);

    // Verbs of the library.
    assert_eq!(parcel.create().send(&db).await?, parcel);
    assert_eq!(parcel.put().send(&db).await?, parcel);
    let raised = parcel
        .update()
        .apply(|p| (p.encode().add(1), p.update().set(0)));
    let raised = raised
        .when(|p| p.version().eq(parcel.version))
        .send(&db)
        .await?;
    assert_eq!((raised.encode, raised.update), (parcel.encode + 1, 0));
    assert_eq!(Parcel::from_item(raised.to_item()?)?, raised);
    assert_eq!(Parcel::key_from_item(raised.to_item()?)?, Parcel::key("p1"));
    let found = Parcel::get_many([Parcel::key("p1")]).send(&db).await?;
    assert_eq!(found, [Some(raised.clone())]);
    assert_eq!(
        Parcel::scan().all(&db).await?,
        std::slice::from_ref(&raised)
    );
    raised.delete().send(&db).await?;
    assert_eq!(Parcel::key("p1").get().send(&db).await?, None);
    Ok(())
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "tickets", key(pk = id))]
struct Ticket {
    id: String,
    count: u32,
}

/// The struct's own methods are found before those of any trait.
impl Ticket {
    fn create(&self) -> &'static str {
        "create"
    }
    fn put(&self) -> &'static str {
        "put"
    }
    fn update(&self) -> &'static str {
        "update"
    }
    fn delete(&self) -> &'static str {
        "delete"
    }
    fn to_item(&self) -> &'static str {
        "to_item"
    }
    fn from_item() -> &'static str {
        "from_item"
    }
    fn key_from_item() -> &'static str {
        "key_from_item"
    }
    fn get_many() -> &'static str {
        "get_many"
    }
    fn get_stream() -> &'static str {
        "get_stream"
    }
    fn scan() -> &'static str {
        "scan"
    }
    fn encode(&self) -> &'static str {
        "encode"
    }
    fn decode() -> &'static str {
        "decode"
    }
    fn version(&self) -> &'static str {
        "version"
    }
    fn expires_at(&self) -> &'static str {
        "expires_at"
    }
}

#[tokio::test]
async fn methods_of_the_struct_come_first() -> Outcome {
    let db = Dynamo::connect("embedded:memory").await?;
    db.create_tables([Ticket::schema()]).await?;
    let ticket = Ticket {
        id: "t1".into(),
        count: 1,
    };
    let own = [
        ticket.create(),
        ticket.put(),
        ticket.update(),
        ticket.delete(),
        ticket.to_item(),
        Ticket::from_item(),
        Ticket::key_from_item(),
        Ticket::get_many(),
        Ticket::get_stream(),
        Ticket::scan(),
        ticket.encode(),
        Ticket::decode(),
        ticket.version(),
        ticket.expires_at(),
    ];
    assert_eq!(own.len(), 14);
    assert_eq!(
        (own[0], own[6], own[13]),
        ("create", "key_from_item", "expires_at")
    );

    EntityExt::create(&ticket).send(&db).await?;
    EntityExt::put(&ticket).send(&db).await?;
    let update = EntityExt::update(&ticket).apply(|t| t.count().add(1));
    let ticket = update.send(&db).await?;
    assert_eq!(ticket.count, 2);
    let item = EntityExt::to_item(&ticket)?;
    assert_eq!(<Ticket as EntityExt>::from_item(item.clone())?, ticket);
    let key = <Ticket as EntityExt>::key_from_item(item)?;
    assert_eq!(key, EntityExt::key(&ticket));
    let found = <Ticket as EntityExt>::get_many([key]).send(&db).await?;
    assert_eq!(found, [Some(ticket.clone())]);
    let all = <Ticket as EntityExt>::scan().all(&db).await?;
    assert_eq!(all, std::slice::from_ref(&ticket));
    EntityExt::delete(&ticket).send(&db).await?;
    assert_eq!(Ticket::key("t1").get().send(&db).await?, None);
    Ok(())
}
