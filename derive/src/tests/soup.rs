//! No tokens make a derive panic, and it never rejects wrong tokens without a message.

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::quote;
use syn::DeriveInput;

use crate::diag::Diag;

const WORDS: [&str; 67] = [
    "constant",
    "vector",
    "field",
    "distance",
    "cosine",
    "within",
    "filter",
    "allow",
    "long_name",
    "table",
    "key",
    "gsi",
    "lsi",
    "pk",
    "sk",
    "on",
    "when",
    "project",
    "rename",
    "rename_all",
    "tag",
    "stream",
    "verbatim",
    "delimiter",
    "crate",
    "name",
    "entities",
    "type_attribute",
    "identify_by",
    "tenant",
    "org",
    "default",
    "skip",
    "rest",
    "serde",
    "format",
    "version",
    "ttl",
    "created_at",
    "updated_at",
    "created_by",
    "updated_by",
    "shards",
    "read_shards",
    "unique",
    "id",
    "at",
    "note",
    "idd",
    "type",
    "self",
    "Self",
    "_",
    "struct",
    "true",
    "all",
    "keys",
    "keys_only",
    "Shop",
    "Order",
    "Option",
    "where",
    "move",
    "async",
    "if",
    "fn",
    "dyn",
];

const TEXTS: [&str; 24] = [
    "",
    "orders",
    "{id}",
    "{id}#{at:08}",
    "{at:date}",
    "{at:8}",
    "{at:0}",
    "{at:099}",
    "{",
    "}",
    "{{",
    "}}",
    "{}",
    "{:}",
    "{id:}",
    "a b",
    "é{id}ß",
    "{é}",
    "#",
    ":",
    "camelCase",
    "epoch",
    "_type",
    "{r#type}#{r#}",
];

/// Numbers that look random but are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % below
    }

    fn word(&mut self) -> TokenTree {
        let word = WORDS[self.roll(WORDS.len())];
        Ident::new(word, Span::call_site()).into()
    }

    fn text(&mut self) -> TokenTree {
        Literal::string(TEXTS[self.roll(TEXTS.len())]).into()
    }

    fn tokens(&mut self, depth: usize) -> TokenStream {
        let length = self.roll(9);
        (0..length).map(|_| self.token(depth)).collect()
    }

    fn token(&mut self, depth: usize) -> TokenTree {
        match self.roll(14) {
            0..=4 => self.word(),
            5 => self.text(),
            6 => Literal::u32_unsuffixed(7).into(),
            7 => self.mark(),
            8..=10 => Punct::new(['=', ','][self.roll(2)], Spacing::Alone).into(),
            _ if depth == 0 => self.word(),
            _ => {
                let shape = [
                    Delimiter::Parenthesis,
                    Delimiter::Bracket,
                    Delimiter::Brace,
                    Delimiter::None,
                ];
                let shape = shape[self.roll(4)];
                Group::new(shape, self.tokens(depth - 1)).into()
            }
        }
    }

    fn mark(&mut self) -> TokenTree {
        let marks = [':', '#', '.', '<', '>', '&', '-', '!', '?', '|', '$', ';'];
        Punct::new(marks[self.roll(marks.len())], Spacing::Joint).into()
    }

    /// Options that are nearly right: known words, each with some value.
    fn options(&mut self, depth: usize) -> TokenStream {
        let mut all = TokenStream::new();
        for _ in 0..self.roll(6) {
            let (word, text, value) = (self.word(), self.text(), self.word());
            all.extend(match self.roll(6) {
                0 => quote!(#word,),
                1 => quote!(#word = #text,),
                2 => quote!(#word = #value,),
                3 => {
                    let inside = self.tokens(1);
                    quote!(#word = [#inside],)
                }
                _ if depth == 0 => quote!(#word = #text,),
                _ => {
                    let inside = self.options(depth - 1);
                    quote!(#word(#value, #inside),)
                }
            });
        }
        all
    }

    fn list(&mut self) -> TokenStream {
        if self.roll(2) == 0 {
            self.tokens(3)
        } else {
            self.options(2)
        }
    }
}

fn items(dice: &mut Dice) -> Vec<TokenStream> {
    let (a, b, c, d) = (dice.list(), dice.list(), dice.list(), dice.list());
    let text = dice.text();
    vec![
        quote!(
            #[dynamo(#a)]
            #[dynamo(#b)]
            struct Order {
                #[dynamo(#c)]
                id: String,
                #[dynamo(#d)]
                at: u64,
            }
        ),
        quote! {
            #[dynamo(table = "orders", key(pk = id, sk = #text), #a)]
            struct Order { id: String, #[dynamo(#c)] at: u64, r#type: Option<f64> }
        },
        quote!(
            #[dynamo(table = Shop, key(pk = #text), gsi(by_at, #a))]
            struct Order {
                id: String,
                at: u64,
            }
        ),
        quote!(
            #[dynamo(#a)]
            struct Shop;
        ),
        quote!(
            #[dynamo(name = "shop", pk = "pk", entities(#b), #a)]
            struct Shop;
        ),
        quote!(
            #[dynamo(#a)]
            enum Kind<T> {
                #[dynamo(#b)]
                A,
                #[dynamo(#c)]
                B {
                    #[dynamo(#d)]
                    id: T,
                },
            }
        ),
        quote!(
            #[dynamo(table = Shop, partition(#a), #b)]
            enum All {
                #[dynamo(#c)]
                A(Order),
                #[dynamo(#d)]
                B(Item),
            }
        ),
        quote!(
            #[dynamo(#a)]
            struct Line(#[dynamo(#b)] u8);
        ),
        quote!(#[dynamo(#a)] union Bits { a: u8, b: u8 }),
    ]
}

fn reads<M>(read: fn(DeriveInput, &Diag) -> Option<M>, tokens: &TokenStream) {
    let Ok(input) = syn::parse2::<DeriveInput>(tokens.clone()) else {
        return;
    };
    let diag = Diag::new();
    let model = read(input, &diag);
    assert!(
        model.is_some() || !diag.messages().is_empty(),
        "refused without a word: {tokens}"
    );
}

#[test]
fn no_tokens_make_a_derive_panic() {
    let mut dice = Dice(7);
    for _ in 0..1_000 {
        for item in items(&mut dice) {
            reads(crate::read_entity, &item);
            reads(crate::read_table, &item);
            reads(crate::read_value, &item);
            reads(crate::read_collection, &item);
        }
    }
}

/// Runs the whole expansion, including errors and the fallback.
#[test]
fn any_tokens_expand() {
    let mut dice = Dice(11);
    for _ in 0..200 {
        for item in items(&mut dice) {
            crate::entity(item.clone());
            crate::table(item.clone());
            crate::collection(item.clone());
            crate::value(item);
        }
    }
}
