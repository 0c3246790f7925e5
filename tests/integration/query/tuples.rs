//! Ranges of several parts at once, on every engine: one request, in order, with pages and cursors.

use dynamo_entity::prelude::*;

use crate::support::db::Db;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    a_tuple_is_one_range_of_one_request,
    pages_of_tuples_go_on_where_they_ended,
    an_empty_range_of_tuples_has_no_rows,
    a_part_that_is_left_out_is_told,
    several_fronts_share_a_range_of_tuples,
];

crate::declare! {
    entity Bill(table = "bills", key(pk = house, sk = "{year}#{month}#{number}"),
        gsi(by_kind, pk = "KIND#{kind}", sk = "{house}#{year}#{month}#{number}"))
        { house: String, year: u16, month: u8, number: i32, kind: String }
}

fn bill(house: &str, number: i32) -> Bill {
    let month = (number + 60) as u16;
    Bill {
        house: house.into(),
        year: 2020 + month / 12,
        month: 1 + (month % 12) as u8,
        number,
        kind: ["gas", "water"][usize::from(month % 2)].into(),
    }
}

async fn filled(db: &Db) -> Result<Vec<Bill>> {
    db.create_tables([Bill::schema()]).await?;
    let bills: Vec<Bill> = (-30..30).map(|number| bill("home", number)).collect();
    let other = (0..5).map(|number| bill("home2", number));
    for bill in bills.iter().cloned().chain(other) {
        bill.put().send(db).await?;
    }
    Ok(bills)
}

async fn a_tuple_is_one_range_of_one_request(db: Db) -> Outcome {
    let bills = filled(&db).await?;
    let month = |bill: &Bill| (bill.year, bill.month);
    let winter = Bill::in_partition("home")
        .year()
        .and(|b| b.month())
        .between((2024, 11)..(2025, 3));
    assert_eq!(winter.clone().explain(&db)?.requests.len(), 1);
    let wanted: Vec<Bill> = bills
        .iter()
        .filter(|bill| ((2024, 11)..(2025, 3)).contains(&month(bill)))
        .cloned()
        .collect();
    assert_eq!(wanted.len(), 4);
    assert_eq!(winter.all(&db).await?, wanted);
    let all = Bill::in_partition("home")
        .year()
        .and(|b| b.month())
        .and(|b| b.number());
    let at = bills[40].clone();
    let here = (at.year, at.month, at.number);
    assert_eq!(all.clone().ge(here).all(&db).await?, bills[40..]);
    assert_eq!(all.clone().gt(here).all(&db).await?, bills[41..]);
    assert_eq!(all.clone().le(here).all(&db).await?, bills[..41]);
    assert_eq!(all.clone().lt(here).all(&db).await?, bills[..40]);
    let of_kind = Bill::by_kind("gas")
        .house()
        .eq("home")
        .year()
        .and(|b| b.month());
    let gas: Vec<Bill> = bills
        .iter()
        .filter(|b| b.kind == "gas" && month(b) >= (2024, 6))
        .cloned()
        .collect();
    assert_eq!(of_kind.ge((2024, 6)).all(&db).await?, gas);
    let of_homes = Bill::by_kind("gas")
        .house()
        .and(|b| b.year())
        .lt(("home2", 0));
    assert_eq!(of_homes.count(&db).await?, 30);
    Ok(())
}

async fn pages_of_tuples_go_on_where_they_ended(db: Db) -> Outcome {
    let bills = filled(&db).await?;
    let query = Bill::in_partition("home")
        .year()
        .and(|b| b.month())
        .between((2023, 2)..=(2026, 7));
    let wanted: Vec<Bill> = bills
        .into_iter()
        .filter(|bill| ((2023, 2)..=(2026, 7)).contains(&(bill.year, bill.month)))
        .collect();
    assert!(wanted.len() > 20);
    for descending in [false, true] {
        let query = if descending {
            query.clone().descending()
        } else {
            query.clone()
        };
        let mut found = Vec::new();
        let mut page = query.clone().limit(4).page(&db).await?;
        loop {
            found.append(&mut page.rows);
            let Some(next) = page.next else { break };
            let next: Cursor = next.to_string().parse()?;
            page = query.clone().resume(next).limit(4).page(&db).await?;
        }
        let mut wanted = wanted.clone();
        if descending {
            wanted.reverse();
        }
        assert_eq!(found, wanted);
    }
    // A cursor of the tuple is none of its first part.
    let cursor = query.limit(4).page(&db).await?.next.ok_or("more")?;
    let years = Bill::in_partition("home").year().between(2023..=2026);
    let refused = years.resume(cursor).all(&db).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidCursor);
    Ok(())
}

async fn an_empty_range_of_tuples_has_no_rows(db: Db) -> Outcome {
    filled(&db).await?;
    let parts = || Bill::in_partition("home").year().and(|b| b.month());
    let nothing = parts().between((2025, 1)..(2025, 1));
    assert!(nothing.all(&db).await?.is_empty());
    assert!(
        parts()
            .between((2025, 2)..=(2025, 1))
            .all(&db)
            .await?
            .is_empty()
    );
    let all: Option<std::ops::Range<(u16, u8)>> = None;
    assert_eq!(parts().between(all).count(&db).await?, 60);
    Ok(())
}

async fn a_part_that_is_left_out_is_told(db: Db) -> Outcome {
    filled(&db).await?;
    let skipped = Bill::in_partition("home")
        .year()
        .and(|b| b.month().eq(3).number());
    let refused = skipped.ge((2025, 1)).all(&db).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidKey);
    assert!(
        refused
            .to_string()
            .contains("`and` takes the next part alone"),
        "{refused}"
    );
    let nameless = Bill::by_kind("gas").house().and(|b| b.year()).ge(("", 7));
    let refused = nameless.all(&db).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidKey, "{refused}");
    Ok(())
}

async fn several_fronts_share_a_range_of_tuples(db: Db) -> Outcome {
    filled(&db).await?;
    let both = Bill::by_kind("gas").house().eq(any_of(["home", "home2"]));
    let since = both
        .year()
        .and(|b| b.month())
        .ge((2025, 1))
        .all(&db)
        .await?;
    assert_eq!(since.iter().filter(|bill| bill.house == "home2").count(), 3);
    assert_eq!(since.iter().filter(|bill| bill.house == "home").count(), 15);
    Ok(())
}
