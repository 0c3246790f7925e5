//! `repository`: a service that knows only a trait object works with an engine and with a fake.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use dynamo_entity::prelude::*;
use dynamo_entity::write::{Conditional, Delete, Update};
use dynamo_entity::{Repository, async_trait};

use crate::support::db::Db;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    serves_every_verb(Article),
    a_fake_serves_reads,
    keeps_the_laws(Article),
    one_service_many_entities(Article, Author),
];

crate::declare! {
    pub entity Article(table = "articles", key(pk = id), repository,
        gsi(by_author, pk = "AUTHOR#{author}", sk = "{year}#{id}"))
        { pub id: String, pub author: String, pub year: u16, #[dynamo(version)] pub version: Version }
    entity Author(table = "authors", key(pk = name), repository = Authors) { name: String, articles: u32 }
}

fn article(id: &str, author: &str, year: u16) -> Article {
    Article {
        id: id.into(),
        author: author.into(),
        year,
        version: Version::default(),
    }
}

/// A service as an application would write it. It names no database.
struct Desk {
    articles: Arc<dyn ArticleRepository>,
}

impl Desk {
    async fn latest(&self, author: &str, since: u16) -> Result<Vec<String>> {
        let query = Article::by_author(author).year().ge(since).descending();
        let articles = self.articles.all(query.into()).await?;
        Ok(articles.into_iter().map(|article| article.id).collect())
    }

    async fn first_page(&self, author: &str) -> Result<Page<Article>> {
        let query = Article::by_author(author).limit(2);
        self.articles.page(query.into()).await
    }
}

async fn filled(articles: &dyn ArticleRepository) -> Result<()> {
    for (id, author, year) in [
        ("a", "ann", 2001),
        ("b", "bob", 2002),
        ("c", "ann", 1999),
        ("d", "ann", 2010),
    ] {
        articles.create(&article(id, author, year)).await?;
    }
    Ok(())
}

/// The same checks for an engine and for the fake.
async fn reads(desk: &Desk) -> Result<()> {
    filled(&*desk.articles).await?;
    assert_eq!(desk.latest("ann", 2000).await?, ["d", "a"]);
    assert_eq!(desk.latest("cid", 2000).await?, [""; 0]);
    let found = desk.articles.get_consistent(Article::key("b")).await?;
    assert_eq!(found.map(|article| article.author), Some("bob".into()));
    assert_eq!(desk.articles.get(Article::key("z")).await?, None);
    Ok(())
}

async fn serves_every_verb(db: Db) -> Outcome {
    let desk = Desk {
        articles: Arc::new((*db).clone()),
    };
    reads(&desk).await?;
    let page = desk.first_page("ann").await?;
    assert_eq!(page.rows.len(), 2);
    let rest = Article::by_author("ann").resume(page.next);
    assert_eq!(desk.articles.page(rest.into()).await?.rows.len(), 1);

    let moved = Article::key("b").update().apply(|a| a.author().set("ann"));
    let moved = moved.when(|a| a.year().eq(2002));
    let moved = desk.articles.update(moved).await?;
    assert_eq!(desk.latest("ann", 2000).await?, ["d", "b", "a"]);
    let put = Article {
        year: 1990,
        ..moved.clone()
    };
    let put = desk.articles.put(&put).await?;
    let mut calls = 0;
    let mut later = |article: &mut Article| {
        calls += 1;
        article.year += 30;
    };
    let later = desk.articles.modify(put.key(), &mut later).await?;
    assert_eq!((later.year, calls), (2020, 1));
    desk.articles.delete(&later).await?;
    assert_eq!(desk.articles.get_consistent(later.key()).await?, None);
    Ok(())
}

async fn keeps_the_laws(db: Db) -> Outcome {
    let articles: &dyn ArticleRepository = &*db;
    let stored = articles.create(&article("a", "ann", 2001)).await?;
    let again = articles.create(&article("a", "bob", 2001)).await;
    assert!(again.unwrap_err().is_already_exists());
    articles.put(&stored).await?;
    assert!(articles.put(&stored).await.unwrap_err().is_conflict());
    assert!(articles.delete(&stored).await.unwrap_err().is_conflict());
    let delete_at = |version: u64| {
        let delete = Article::key("a").delete().if_exists();
        articles.delete_if(delete.when(|a| a.version().eq(version)))
    };
    assert!(delete_at(1).await.unwrap_err().is_conflict());
    delete_at(2).await?;
    assert!(delete_at(2).await.unwrap_err().is_not_found());
    let ghost = Article::key("z").update().apply(|a| a.year().set(1));
    let ghost = ghost.when(|a| a.author().eq("ann"));
    assert!(articles.update(ghost).await.unwrap_err().is_not_found());
    Ok(())
}

async fn one_service_many_entities(db: Db) -> Outcome {
    let articles: Arc<dyn ArticleRepository> = Arc::new((*db).clone());
    let authors: Box<dyn Authors> = Box::new((*db).clone());
    articles.create(&article("a", "ann", 2001)).await?;
    let ann = Author {
        name: "ann".into(),
        articles: 1,
    };
    authors.put(&ann).await?;
    let found = authors.all(Author::scan().into()).await?;
    assert_eq!(found, [ann]);
    Ok(())
}

#[derive(Default)]
struct Fake(Mutex<BTreeMap<String, Article>>);

impl Fake {
    fn with<T>(&self, use_it: impl FnOnce(&mut BTreeMap<String, Article>) -> T) -> T {
        use_it(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl Repository<Article> for Fake {
    async fn get(&self, key: Key<Article>) -> Result<Option<Article>> {
        Ok(self.with(|map| map.get(&key.id).cloned()))
    }

    async fn create(&self, article: &Article) -> Result<Article> {
        self.put(article).await
    }

    async fn put(&self, article: &Article) -> Result<Article> {
        self.with(|map| map.insert(article.id.clone(), article.clone()));
        Ok(article.clone())
    }

    async fn update(&self, update: Update<Article>) -> Result<Article> {
        panic!("{update:?} needs an engine")
    }

    async fn modify(
        &self,
        key: Key<Article>,
        change: &mut (dyn for<'e> FnMut(&'e mut Article) + Send),
    ) -> Result<Article> {
        self.with(|map| {
            let article = map.get_mut(&key.id).expect("an article");
            change(article);
            Ok(article.clone())
        })
    }

    async fn delete(&self, article: &Article) -> Result<()> {
        self.with(|map| map.remove(&article.id));
        Ok(())
    }

    async fn delete_if(&self, delete: Delete<Article, Conditional>) -> Result<()> {
        panic!("{delete:?} needs an engine")
    }

    async fn page(&self, query: Query<Article>) -> Result<Page<Article>> {
        self.all(query).await.map(Page::from)
    }

    async fn all(&self, query: Query<Article>) -> Result<Vec<Article>> {
        let mut rows = Vec::new();
        for article in self.with(|map| map.clone()).into_values() {
            if query.matches(&article)? {
                rows.push(article);
            }
        }
        let order = |a: &Article, b: &Article| query.order(a, b).expect("an order");
        rows.sort_by(order);
        Ok(rows)
    }
}

/// This test needs no engine. It runs here so that the fake and the engines are asked the same.
async fn a_fake_serves_reads(_: Db) -> Outcome {
    let desk = Desk {
        articles: Arc::new(Fake::default()),
    };
    reads(&desk).await?;
    let page = desk.first_page("ann").await?;
    assert!(page.next.is_none() && page.cursor_at(0).is_none());
    assert_eq!(page.rows.len(), 3);
    Ok(())
}
