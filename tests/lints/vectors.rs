//! Models with something about their vector indexes.

use dynamo_entity::prelude::*;

use crate::case::{Case, case};

pub fn cases() -> Vec<Case> {
    vec![
        case! { HiddenVectors at "Document.similar";
            {
                entity Document(table = "documents", key(pk = id), vector(similar, field = at, distance = cosine, within = org))
                    { id: u32, org: Option<String>, at: Vector<3> }
            } Document;
            {
                // A filter hides nothing, and a default is written.
                entity Document(table = "documents", key(pk = id), vector(similar, field = at, distance = cosine, within = org, filter = kind))
                    { id: u32, #[dynamo(default = "none".to_owned())] org: String, kind: Option<String>, at: Option<Vector<3>> }
            } Document
        },
        case! { SharedVectors at "Book.like";
            {
                table Shelf(name = "shelf", pk = "pk", sk = "sk", entities(Book, Film));
                entity Book(table = Shelf, key(pk = "BOOK#{id}", sk = "A"), vector(like, field = plot, distance = cosine))
                    { id: u32, plot: Vector<3> }
                entity Film(table = Shelf, key(pk = "FILM#{id}", sk = "A")) { id: u32, plot: Vector<3> }
            } Shelf;
            {
                // The items of films are not in the index: they lack its partition, or store their vectors elsewhere.
                table Shelf(name = "shelf", pk = "pk", sk = "sk", entities(Book, Film, Song));
                entity Book(table = Shelf, key(pk = "BOOK#{id}", sk = "A"), vector(like, field = plot, distance = cosine, within = genre))
                    { id: u32, genre: String, plot: Vector<3> }
                entity Film(table = Shelf, key(pk = "FILM#{id}", sk = "A")) { id: u32, plot: Vector<3> }
                entity Song(table = Shelf, key(pk = "SONG#{id}", sk = "A"), vector(song_like, field = plot, distance = cosine))
                    { id: u32, genre: String, #[dynamo(rename = "song_plot")] plot: Vector<3> }
            } Shelf
        },
        case! { SharedVectors at "Book.like";
            {
                table Shelf(name = "shelf", pk = "pk", sk = "sk", entities(Book, Film));
                entity Book(table = Shelf, key(pk = "BOOK#{id}", sk = "A"), vector(like, field = plot, distance = cosine, within = genre))
                    { id: u32, genre: String, plot: Vector<3> }
                entity Film(table = Shelf, key(pk = "FILM#{id}", sk = "A")) { id: u32, plot: Vec<f32> }
            } Shelf;
            {
                table Shelf(name = "shelf", pk = "pk", sk = "sk", entities(Book, Film));
                entity Book(table = Shelf, key(pk = "BOOK#{id}", sk = "A"), vector(like, field = plot, distance = cosine, within = genre))
                    { id: u32, genre: String, plot: Vector<3> }
                entity Film(table = Shelf, key(pk = "FILM#{id}", sk = "A")) { id: u32, scenes: Vec<f32> }
            } Shelf
        },
        case! { CopiedVectors at "Document.by_day";
            {
                entity Document(table = "documents", key(pk = id), vector(similar, field = at, distance = cosine), gsi(by_day, pk = day, sk = id))
                    { id: u32, day: u32, at: Vector<256> }
            } Document;
            {
                // Small vectors, and an index without them.
                entity Document(table = "documents", key(pk = id), vector(similar, field = at, distance = cosine), vector(like, field = whole, distance = cosine),
                    gsi(by_day, pk = day, sk = id, project = [kind]))
                    { id: u32, day: u32, kind: u8, at: Vector<255>, whole: Vector<256> }
            } Document
        },
        case! { ManyCopies at "Document.parts";
            {
                entity Document(table = "documents", key(pk = id), vector(similar, field = at, distance = cosine),
                    gsi(by_day, pk = day, sk = id), gsi(by_kind, pk = kind, sk = id))
                    { id: u32, day: u32, kind: u32, parts: Vec<String>, at: Vector<3> }
            } Document;
            {
                entity Document(table = "documents", key(pk = id), vector(similar, field = at, distance = cosine, project = keys),
                    gsi(by_day, pk = day, sk = id), gsi(by_kind, pk = kind, sk = id))
                    { id: u32, day: u32, kind: u32, parts: Vec<String>, at: Vector<3> }
            } Document
        },
    ]
}
