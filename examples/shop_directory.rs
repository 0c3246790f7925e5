//! Shops by kind and place: one index answers for a country, a state and a city.
//!
//!     cargo run --example shop_directory

use dynamo_entity::prelude::*;

/// Two shops of the same kind in one city have the same index key, because index keys need not be unique.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "shop", key(pk = id))]
#[dynamo(gsi(by_place, pk = kind, sk = [country, state, city]))]
pub struct Shop {
    pub id: u32,
    pub kind: String,
    pub country: String,
    pub state: String,
    pub city: String,
    pub name: String,
}

/// What a run found. All of them are names.
#[derive(Debug)]
pub struct Facts {
    pub anywhere: Vec<String>,
    pub in_country: Vec<String>,
    pub in_state: Vec<String>,
    pub in_city: Vec<String>,
    pub in_states_with_n: Vec<String>,
}

const SHOPS: [(&str, &str, &str, &str, &str); 7] = [
    ("bakery", "USA", "New York", "Albany", "Rye & Co"),
    ("bakery", "USA", "New York", "Albany", "Albany Bread"),
    ("bakery", "USA", "New York", "Buffalo", "Wings and Buns"),
    ("bakery", "USA", "Texas", "Austin", "Lone Loaf"),
    ("bakery", "USAX", "New York", "Albany", "Not in the USA"),
    ("bakery", "Japan", "Tokyo", "Chofu", "Pan#Ya"),
    ("florist", "USA", "New York", "Albany", "Tulip"),
];

pub async fn run(db: &Dynamo) -> Result<Facts> {
    db.create_tables([Shop::schema()]).await?;
    for (id, (kind, country, state, city, name)) in (1..).zip(SHOPS) {
        let shop = Shop {
            id,
            kind: kind.to_owned(),
            country: country.to_owned(),
            state: state.to_owned(),
            city: city.to_owned(),
            name: name.to_owned(),
        };
        shop.put().send(db).await?;
    }

    let bakeries = Shop::by_place("bakery");
    let in_usa = bakeries.clone().country().eq("USA");
    let in_new_york = in_usa.clone().state().eq("New York");
    let in_albany = in_new_york.clone().city().eq("Albany");
    let with_n = in_usa.clone().state().starts_with("N");
    Ok(Facts {
        anywhere: show(db, "bakeries", bakeries).await?,
        in_country: show(db, "in the USA", in_usa).await?,
        in_state: show(db, "in New York", in_new_york).await?,
        in_city: show(db, "in Albany", in_albany).await?,
        in_states_with_n: show(db, "in states with N", with_n).await?,
    })
}

async fn show(db: &Dynamo, place: &str, shops: impl QueryExt<Row = Shop>) -> Result<Vec<String>> {
    let shops = shops.all(db).await?;
    let names: Vec<String> = shops.into_iter().map(|shop| shop.name).collect();
    println!("{place:<18}{}", names.join(", "));
    Ok(names)
}

#[tokio::main]
async fn main() -> Result<()> {
    let db = Dynamo::from_env_or("embedded:memory").await?;
    run(&db.with_prefix("example")).await?;
    Ok(())
}
