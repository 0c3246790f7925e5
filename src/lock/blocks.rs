//! The file as blocks of lines, before they are interpreted: its format, marks of an unfinished merge, sums.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::words::{name, words};
use crate::error::{Error, Result};
use crate::hex::first_digits;

/// The number of the format. Every new kind of line raises it, for an older version must not read past one.
pub(super) const FORMAT: u64 = 2;
/// The beginning of the first line; the number follows.
pub(super) const TITLE: &str = "dynamo-entity lock file, format ";
/// The last line, so that a file that was cut off is noticed.
pub(super) const END: &str = "end";
/// The marks that git writes between two sides that it cannot merge.
const MARKS: [&str; 4] = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"];
/// The remedy for a file that was edited.
const REPAIR: &str = "take the block, or the whole file, from one of the branches unchanged (`git checkout --ours` \
     or `--theirs`, and the name of the file) and run the test again: it lists the changes in the code of the other branch";

/// A line and its number.
#[derive(Debug, Clone, Copy)]
pub(super) struct FileLine<'f> {
    pub(super) number: usize,
    pub(super) text: &'f str,
}

/// The lines of a block as they are in the file, whose sum is right.
#[derive(Debug)]
pub(super) struct FileBlock<'f> {
    pub(super) header: FileLine<'f>,
    pub(super) facts: Vec<FileLine<'f>>,
    /// The entities of a table that have blocks.
    pub(super) listed: Vec<String>,
}

/// The blocks of a file.
#[derive(Debug, Default)]
pub(super) struct FileBlocks<'f> {
    /// By the name of the table.
    pub(super) tables: BTreeMap<String, FileBlock<'f>>,
    /// By the names of table and entity.
    pub(super) entities: BTreeMap<(String, String), FileBlock<'f>>,
}

/// The file is not as this library writes it.
fn damaged(line: usize, what: &str) -> Error {
    Error::config(format!(
        "line {line}: {what}. It was edited by hand or merged wrongly: {REPAIR}"
    ))
}

#[cold]
pub(super) fn not_ours(line: usize) -> Error {
    damaged(
        line,
        "it is not a fact, or not in the format that dynamo-entity writes",
    )
}

/// The sum of lines, which no change of them keeps.
pub(super) fn sum<'l>(lines: impl IntoIterator<Item = &'l str>) -> String {
    let mut digest = Sha256::new();
    for line in lines {
        digest.update(line);
        digest.update("\n");
    }
    first_digits(&digest.finalize(), 8)
}

pub(super) fn blocks(text: &str) -> Result<FileBlocks<'_>> {
    let lines = text.lines().enumerate();
    // A checkout on Windows may have rewritten the ends of lines; `lines` removes those too, so the sums still hold.
    let lines: Vec<FileLine<'_>> = lines
        .map(|(at, text)| FileLine {
            number: at + 1,
            text,
        })
        .collect();
    // The marks come first: in a file with a conflict each later check fails too, with a message
    // that does not name the merge.
    check_marks(&lines)?;
    check_format(lines.first().map_or("", |line| line.text))?;
    let mut found = FileBlocks::default();
    let mut lines = lines.into_iter().skip(1);
    loop {
        let Some(line) = lines.next() else {
            let last = text.lines().count();
            return Err(damaged(
                last,
                &format!("the file is truncated: its last line is not `{END}`"),
            ));
        };
        match line.text {
            // Without a last line of its own, a file that was cut between two blocks would read as
            // a smaller model.
            END => break,
            text if text.is_empty() || text.starts_with('#') => {}
            _ => found.add(line, &mut lines)?,
        }
    }
    // A merge that kept the end of both branches would otherwise lose the blocks behind the first
    // one.
    if let Some(line) = lines.find(|line| !line.text.is_empty()) {
        return Err(damaged(
            line.number,
            &format!("there is text after `{END}`"),
        ));
    }
    found.check_lists()?;
    Ok(found)
}

fn check_marks(lines: &[FileLine<'_>]) -> Result<()> {
    let is_mark = |line: &&FileLine<'_>| MARKS.iter().any(|mark| line.text.starts_with(mark));
    match lines.iter().find(is_mark) {
        Some(line) => Err(Error::config(format!(
            "line {}: a merge is not finished, here are its marks. Merge the code first. Then {REPAIR}, and \
             `DYNAMO_LOCK=write` writes the file for both",
            line.number
        ))),
        None => Ok(()),
    }
}

fn check_format(first: &str) -> Result<()> {
    let number = first.strip_prefix(TITLE).map(str::parse::<u64>);
    match number {
        Some(Ok(FORMAT)) => Ok(()),
        // This must not be reported as damage: the repair that the message of damage names would lose the facts of the
        // newer version.
        Some(Ok(newer)) if newer > FORMAT => Err(newer_format(newer)),
        Some(Ok(1)) => Err(first_format()),
        _ => Err(damaged(1, &format!("it is not `{TITLE}{FORMAT}`"))),
    }
}

/// The first format had types as they were written, and not the content of declared values.
fn first_format() -> Error {
    Error::config(format!(
        "it has format 1, of an earlier version of dynamo-entity, which did not hold what values store: this version has \
         nothing to compare with. Make sure that the test passes with the version that wrote the file, change nothing that \
         is stored, and run `DYNAMO_LOCK=write cargo test`: it writes the file in format {FORMAT}. Commit it"
    ))
}

fn newer_format(newer: u64) -> Error {
    Error::config(format!(
        "it has format {newer}, and this version of dynamo-entity reads up to {FORMAT}: a newer version wrote it. Update \
         dynamo-entity here too; do not write the file with this version, which would lose the parts that it does not know"
    ))
}

/// Whether a newer version wrote the file, so that this one must not replace it.
pub(super) fn is_newer(text: &str) -> Option<Error> {
    let number = text.lines().next()?.strip_prefix(TITLE)?;
    let number = number.parse().ok().filter(|number| *number > FORMAT)?;
    Some(newer_format(number))
}

impl<'f> FileBlocks<'f> {
    /// Takes the block that begins with a line.
    fn add(
        &mut self,
        header: FileLine<'f>,
        lines: &mut impl Iterator<Item = FileLine<'f>>,
    ) -> Result<()> {
        let block = FileBlock::read(header, lines)?;
        let words = words(header.text).unwrap_or_default();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let before = match words[..] {
            ["table", table] => self.tables.insert(table.to_owned(), block),
            ["entity", entity, "of", table] => {
                let key = (table.to_owned(), entity.to_owned());
                self.entities.insert(key, block)
            }
            _ => {
                return Err(damaged(
                    header.number,
                    "it begins neither a table nor an entity",
                ));
            }
        };
        match before {
            Some(before) => {
                let first = before.header.number;
                let what = format!("`{}` occurs twice, first in line {first}", header.text);
                Err(damaged(header.number, &what))
            }
            None => Ok(()),
        }
    }

    /// A table lists its entities, so a block that got lost is missed.
    fn check_lists(&self) -> Result<()> {
        for (table, block) in &self.tables {
            // The lists are outside of the sums, because branches that add an entity each both change them. So they are
            // checked by their order and against the blocks.
            if !block.listed.is_sorted_by(|one, next| one < next) {
                let what = format!(
                    "the entities of `{}` are out of order, or one occurs twice",
                    block.header.text
                );
                return Err(damaged(block.header.number, &what));
            }
            for entity in &block.listed {
                if !self.entities.contains_key(&(table.clone(), entity.clone())) {
                    let what = format!(
                        "the block `entity {} of {}` is missing",
                        name(entity),
                        name(table)
                    );
                    return Err(damaged(block.header.number, &what));
                }
            }
        }
        for ((table, entity), block) in &self.entities {
            let listed = self.tables.get(table).map(|table| &table.listed);
            // A merge may also keep a block that the other branch deleted together with its line in
            // the list.
            if !listed.is_some_and(|listed| listed.contains(entity)) {
                let what = format!("no block `table {}` lists this entity", name(table));
                return Err(damaged(block.header.number, &what));
            }
        }
        Ok(())
    }
}

impl<'f> FileBlock<'f> {
    fn read(header: FileLine<'f>, lines: &mut impl Iterator<Item = FileLine<'f>>) -> Result<Self> {
        let (mut facts, mut listed, mut found) = (Vec::new(), Vec::new(), None);
        for line in lines.by_ref() {
            if let Some(sum) = line.text.strip_prefix("  sum ") {
                found = Some(sum);
                break;
            }
            if line.text.is_empty() || !line.text.starts_with(' ') {
                break;
            }
            let entity = line.text.strip_prefix("  entity ").and_then(words);
            // Only the lines before the first fact are the list: an attribute may be called
            // `entity` as well.
            match entity.as_deref().filter(|_| facts.is_empty()) {
                Some([entity]) => listed.push(entity.clone()),
                _ => facts.push(line),
            }
        }
        let texts = [header].into_iter().chain(facts.iter().copied());
        if found != Some(&sum(texts.map(|line| line.text))) {
            let what = format!(
                "the lines of `{}` do not give the sum at their end",
                header.text
            );
            return Err(damaged(header.number, &what));
        }
        Ok(FileBlock {
            header,
            facts,
            listed,
        })
    }
}
