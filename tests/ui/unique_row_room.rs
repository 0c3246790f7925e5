//! No item, and no other unique value, may have the row of a unique value in the layout of another program.

mod keys {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "app", pk = "pk", sk = "sk", verbatim, entities(User, Note))]
    pub struct App;

    #[derive(DynamoEntity)]
    #[dynamo(table = App, key(pk = "USER#{id}", sk = "INFO"))]
    #[dynamo(unique(by_email, pk = "USER#{email}", sk = "MAIL"))]
    #[dynamo(unique(by_name, pk = "NAME#{name}"))]
    #[dynamo(unique(by_code, pk = "CODE#{code}", sk = "CODE", constant("sk" = "CODE")))]
    #[dynamo(unique(by_badge, pk = "$UNIQUE#{badge}", sk = "BADGE"))]
    pub struct User {
        pub id: u32,
        pub email: String,
        pub name: String,
        pub code: String,
        pub badge: String,
    }

    #[derive(DynamoEntity)]
    #[dynamo(table = App, key(pk = "NOTE#{id}", sk = "INFO"))]
    #[dynamo(unique(by_code, pk = "CODE#{code}", sk = "{code}"))]
    pub struct Note {
        pub id: u32,
        pub code: String,
    }
}

mod sort {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "app", pk = "pk", verbatim, entities(User))]
    pub struct App;

    #[derive(DynamoEntity)]
    #[dynamo(table = App, key(pk = "USER#{id}"), unique(by_email, pk = "MAIL#{email}", sk = "MAIL"))]
    #[dynamo(unique(by_name, pk = "NAME-{name}{email}"))]
    pub struct User {
        pub id: u32,
        pub email: String,
        pub name: String,
    }
}

/// No look-up exists, because the row does not name its item.
mod look_up {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "app", pk = "pk", verbatim, entities(User))]
    pub struct App;

    #[derive(DynamoEntity)]
    #[dynamo(table = App, key(pk = "USER#{id}"), unique(by_email, pk = "MAIL#{email}"))]
    pub struct User {
        pub id: u32,
        pub email: String,
    }

    pub fn find() {
        let _ = User::by_email("ann@x");
    }
}

/// The constants of a row must not make it an item, let it expire, or have the wrong type for an index.
mod constants {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "app", pk = "pk", verbatim, type_attribute = "_type", entities(User, Guest))]
    #[dynamo(gsi(by_kind, pk = "kind"))]
    pub struct App;

    #[derive(DynamoEntity)]
    #[dynamo(table = App, key(pk = "USER#{id}"))]
    #[dynamo(unique(by_email, pk = "MAIL#{email}", constant("_type" = "Guest")))]
    #[dynamo(unique(by_name, pk = "NAME#{name}", constant("until" = 1)))]
    #[dynamo(unique(by_code, pk = "CODE#{code}", constant("kind" = 7)))]
    #[dynamo(unique(by_badge, pk = "BADGE#{badge}", constant("kind" = "badge", "_type" = "_Unique")))]
    pub struct User {
        pub id: u32,
        pub email: String,
        pub name: String,
        pub code: String,
        pub badge: String,
    }

    #[derive(DynamoEntity)]
    #[dynamo(table = App, key(pk = "GUEST#{id}"), gsi(of_kind, on = by_kind, pk = kind))]
    pub struct Guest {
        pub id: u32,
        pub kind: String,
        #[dynamo(ttl)]
        pub until: i64,
    }
}

/// Escaped keys are not those of another program.
mod escaped {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "app", pk = "pk", entities(User))]
    pub struct App;

    #[derive(DynamoEntity)]
    #[dynamo(table = App, key(pk = "USER#{id}"), unique(by_email, pk = "MAIL#{email}"))]
    pub struct User {
        pub id: u32,
        pub email: String,
    }
}

fn main() {}
