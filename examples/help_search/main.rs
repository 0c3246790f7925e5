//! Help texts of two shops: a question finds the texts that mean the same, even if they share no word with it.
//!
//!     cargo run --example help_search --features embedded,vectors
//!
//! `texts.tsv` contains the texts and some questions. `embed.py` has made `embeddings.txt` of them, by a small model that runs
//! without a network. A program would embed each question with the same model.

use std::error::Error;

use dynamo_entity::prelude::*;
use dynamo_entity::put_each;

/// The length of the model's vectors.
const NUMBERS: usize = 384;
/// The first column of a question in `texts.tsv`.
const QUESTION: &str = "?";

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "help-text", key(pk = id))]
// The model was trained for this distance.
#[dynamo(vector(similar, field = embedding, distance = cosine, within = shop, filter = topic))]
pub struct HelpText {
    pub id: u32,
    pub shop: String,
    pub topic: String,
    pub text: String,
    pub embedding: Vector<NUMBERS>,
}

/// The fields of a list of hits. The service does not send the vectors then.
#[derive(Debug, Clone, PartialEq, DynamoProjection)]
#[dynamo(entity = HelpText)]
pub struct FoundText {
    pub id: u32,
    pub text: String,
}

/// A question, and the texts that are nearest to it.
#[derive(Debug)]
pub struct Answer {
    pub question: &'static str,
    pub nearest: Vec<FoundText>,
    /// The nearest text about deliveries, which the question does not ask for.
    pub about_delivery: Option<FoundText>,
}

/// A line of `texts.tsv`, with its vector.
struct Line {
    columns: [&'static str; 3],
    embedding: Vector<NUMBERS>,
}

fn read_lines() -> Result<Vec<Line>, Box<dyn Error>> {
    let texts = include_str!("texts.tsv").lines();
    let embeddings = include_str!("embeddings.txt").lines();
    let lines = texts.zip(embeddings).map(|(text, numbers)| {
        let mut columns = text.split('\t');
        let mut column = || columns.next().ok_or("a line has three columns");
        let numbers = numbers.split(' ').map(str::parse::<f32>);
        Ok(Line {
            columns: [column()?, column()?, column()?],
            embedding: Vector::try_from(numbers.collect::<Result<Vec<_>, _>>()?)?,
        })
    });
    lines.collect()
}

pub async fn run(db: &Dynamo) -> Result<Vec<Answer>, Box<dyn Error>> {
    db.create_tables([HelpText::schema()]).await?;
    let (questions, texts): (Vec<Line>, Vec<Line>) = read_lines()?
        .into_iter()
        .partition(|line| line.columns[0] == QUESTION);
    let texts: Vec<HelpText> = (1..).zip(texts).map(help_text).collect();
    put_each(texts.iter().map(|text| text.put()))
        .send(db)
        .await?
        .complete()?;

    let mut answers = Vec::new();
    for line in questions {
        let [_, shop, question] = line.columns;
        let nearest = HelpText::similar(&line.embedding, 3).within(shop);
        let about_delivery = nearest.clone().filter(|text| text.topic().eq("delivery"));
        let nearest = nearest.select::<FoundText>().send(db).await?;
        let about_delivery = about_delivery.select::<FoundText>().send(db).await?;
        answers.push(Answer {
            question,
            nearest: nearest.into_iter().map(|hit| hit.item).collect(),
            about_delivery: about_delivery.into_iter().map(|hit| hit.item).next(),
        });
    }
    Ok(answers)
}

fn help_text((id, line): (u32, Line)) -> HelpText {
    let [shop, topic, text] = line.columns.map(str::to_owned);
    HelpText {
        id,
        shop,
        topic,
        text,
        embedding: line.embedding,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let db = Dynamo::connect("embedded:memory").await?;
    for answer in run(&db).await? {
        println!("{}", answer.question);
        for found in answer.nearest {
            println!("    {}", found.text);
        }
    }
    Ok(())
}
