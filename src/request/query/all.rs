//! `all`, `first`, `one`, `count`, `exists`: reads that end at a number of rows, or at the end.

use super::ReadRow;
use super::hydrate::Answer;
use super::selection::Selection;
use crate::dynamo::Dynamo;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::request::raw_row::RawRow;

/// How many rows.
#[derive(Debug, Clone, Copy)]
pub(super) enum Take {
    /// So many, or all.
    UpTo(Option<usize>),
    /// One, and there may be no second.
    One,
}

pub(super) async fn rows(selection: Selection, db: Dynamo, take: Take) -> Result<Vec<RawRow>> {
    selection.refuse_backwards()?;
    let mut supply = selection.supply(&db)?;
    let most = match take {
        Take::UpTo(most) => most,
        Take::One => Some(2),
    };
    if most.is_none() {
        supply = supply.until_the_end();
    }
    let mut read = Answer::default();
    let is_enough = |read: &Answer| most.is_some_and(|most| read.rows.len() >= most);
    loop {
        let is_over = supply.is_done() || supply.is_spent();
        if is_over || is_enough(&read) {
            supply.living().keep(&mut read);
        }
        if is_over || is_enough(&read) {
            break;
        }
        let wanted = most.map(|most| most - read.rows.len());
        read.extend(supply.next(wanted).await?);
    }
    let mut rows = read.rows;
    if matches!(take, Take::One) && rows.len() > 1 {
        let message = "`one` found more than one row: narrow the query, or take the `first`";
        return Err(
            Error::new(ErrorKind::NotUnique, Stage::Request, message).of(selection.entity())
        );
    }
    rows.truncate(most.unwrap_or(usize::MAX));
    Ok(rows.into_iter().map(|row| row.item).collect())
}

/// The rows as they were asked for.
pub(super) fn read<Row>(rows: Vec<RawRow>, read: &ReadRow<Row>) -> Result<Vec<Row>> {
    let mut all = Vec::with_capacity(rows.len());
    // Each is moved once, which a chain of iterators does more often.
    for row in rows {
        all.push(read(&row)?);
    }
    Ok(all)
}

pub(super) async fn count(selection: Selection, db: Dynamo, most: Option<usize>) -> Result<usize> {
    selection.refuse_backwards()?;
    let mut gather = selection.gather(&db, selection.counted(), selection.meter().as_ref())?;
    let most = most.unwrap_or(usize::MAX);
    let mut count = 0;
    while !gather.is_done() && !gather.is_spent() && count < most {
        let wanted = (most != usize::MAX).then(|| most - count);
        count += gather.next_count(wanted).await?;
    }
    Ok(count.min(most))
}
