//! How to model, read, write, test and run: one chapter a page.
//!
#![doc = include_str!("guide/links.md")]
#![doc = include_str!("../docs/README.md")]

// The text is that of `docs/`, which reads on its own too. `links.md` defines the targets of its links for rustdoc; the
// files define them again for readers of the files, and the first definition counts. `scripts/guide-links` writes both.
macro_rules! chapters {
    ($($name:ident = $file:literal)*) => {$(
        #[doc = include_str!("guide/links.md")]
        #[doc = include_str!($file)]
        pub mod $name {}
    )*};
}

chapters! {
    getting_started = "../docs/getting_started.md"
    service = "../docs/service.md"
    keys = "../docs/keys.md"
    access_patterns = "../docs/access_patterns.md"
    updates = "../docs/updates.md"
    locks = "../docs/locks.md"
    many = "../docs/many.md"
    bulk = "../docs/bulk.md"
    moving_data = "../docs/moving_data.md"
    copying = "../docs/copying.md"
    streams = "../docs/streams.md"
    unique = "../docs/unique.md"
    large_values = "../docs/large_values.md"
    vectors = "../docs/vectors.md"
    single_table = "../docs/single_table.md"
    tenants = "../docs/tenants.md"
    sharding = "../docs/sharding.md"
    model = "../docs/model.md"
    deploying = "../docs/deploying.md"
    lock_file = "../docs/lock_file.md"
    evolution = "../docs/evolution.md"
    lints = "../docs/lints.md"
    recipes = "../docs/recipes.md"
    testing = "../docs/testing.md"
    command_line = "../docs/command_line.md"
    production = "../docs/production.md"
    exports = "../docs/exports.md"
    analytics = "../docs/analytics.md"
    observing = "../docs/observing.md"
    costs = "../docs/costs.md"
    limits = "../docs/limits.md"
    coming_from = "../docs/coming_from.md"
    troubleshooting = "../docs/troubleshooting.md"
    glossary = "../docs/glossary.md"
}
