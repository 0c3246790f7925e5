//! The options of each place, and the syntax of each.

/// A place for options.
pub(crate) struct OptionPlace {
    /// The name of the place in messages.
    pub(crate) what: &'static str,
    pub(crate) words: &'static [Word],
}

pub(crate) struct Word {
    pub(crate) name: &'static str,
    pub(crate) usage: &'static str,
    /// Whether the option may be given more than once.
    pub(crate) many: bool,
}

const fn once(name: &'static str, usage: &'static str) -> Word {
    Word {
        name,
        usage,
        many: false,
    }
}

const fn many(name: &'static str, usage: &'static str) -> Word {
    Word {
        name,
        usage,
        many: true,
    }
}

const ALLOW: Word = many("allow", "allow(constant_partition)");
const COMPRESS: Word = once("compress", "compress");
const CRATE: Word = once("crate", "crate = path");
const DECOMPRESS: Word = once("decompress", "decompress");
const DEFAULT: Word = once("default", "default` or `default = expression");
const FILLING: Word = once("filling", "filling");
const FLATTEN: Word = once("flatten", "flatten");
const FORMAT: Word = once("format", "format = \"epoch\"");
const RENAME: Word = once("rename", "rename = \"stored name\"");
const RENAME_ALL: Word = once("rename_all", "rename_all = \"camelCase\"");
const NULL: Word = once("null", "null");
const PERSONAL: Word = once("personal", "personal");
const REST: Word = once("rest", "rest");
const SERDE: Word = once("serde", "serde");
const SKIP: Word = once("skip", "skip");
const TENANT: Word = once("tenant", "tenant = org");
const STREAM: Word = once("stream", "stream = new_and_old_images");
const VERBATIM_WORD: Word = once("verbatim", "verbatim` or `verbatim(delimiter = \":\")");

pub(crate) const ENTITY: OptionPlace = OptionPlace {
    what: "an entity",
    words: &[
        once("table", "table = Shop` or `table = \"name\""),
        once("key", "key(pk = .., sk = ..)"),
        many("gsi", "gsi(by_status, pk = .., sk = ..)"),
        many("lsi", "lsi(by_total, sk = ..)"),
        many("unique", "unique(by_email, email)"),
        many(
            "vector",
            "vector(similar, field = embedding, distance = cosine)",
        ),
        many("chunked", "chunked(seats: Seat)"),
        many("blob", "blob(plan)"),
        RENAME,
        once("type_attribute", "type_attribute = \"_type\""),
        many("constant", "constant(\"version\" = \"1\")"),
        once("append_only", "append_only"),
        once("shape", "shape = 2"),
        once("writes", "writes = 1"),
        once("was", "was(OrderV1)"),
        once("into", "into(OrderV1)"),
        once("next_key", "next_key(next::Order)"),
        once(
            "was_key",
            "was_key(before::Order)` or `was_key(before::Order, drop)",
        ),
        once("repository", "repository` or `repository = Name"),
        RENAME_ALL,
        STREAM,
        TENANT,
        VERBATIM_WORD,
        ALLOW,
        CRATE,
    ],
};

const KEY_PK: Word = once("pk", "pk = field` or `pk = \"TEXT#{field}\"");
const KEY_SK: Word = once("sk", "sk = field` or `sk = \"TEXT#{field}\"");
const SHARDS: Word = once("shards", "shards = 10");
const ON: Word = once("on", "on = gsi1");
const WHEN: Word = once("when", "when(field = value)` or `when(function(field))");
const PROJECT_FIELDS: Word = once(
    "project",
    "project = all`, `project = keys` or `project = [field, ..]",
);

pub(crate) const KEY: OptionPlace = OptionPlace {
    what: "a key",
    words: &[KEY_PK, KEY_SK, SHARDS],
};

pub(crate) const GSI: OptionPlace = OptionPlace {
    what: "a gsi of an entity",
    words: &[
        ON,
        KEY_PK,
        KEY_SK,
        SHARDS,
        once("read_shards", "read_shards = 20"),
        WHEN,
        FILLING,
        PROJECT_FIELDS,
        RENAME,
        ALLOW,
    ],
};

pub(crate) const LSI: OptionPlace = OptionPlace {
    what: "an lsi of an entity",
    words: &[
        ON,
        KEY_PK,
        KEY_SK,
        WHEN,
        FILLING,
        PROJECT_FIELDS,
        RENAME,
        ALLOW,
    ],
};

pub(crate) const VECTOR: OptionPlace = OptionPlace {
    what: "a vector index",
    words: &[
        once("field", "field = embedding"),
        once(
            "distance",
            "distance = cosine`, `distance = euclidean` or `distance = dot_product",
        ),
        once("within", "within = field"),
        once("filter", "filter = field` or `filter = [field, ..]"),
        PROJECT_FIELDS,
        RENAME,
        ALLOW,
    ],
};

pub(crate) const LARGE: OptionPlace = OptionPlace {
    what: "a list or a blob",
    words: &[RENAME, once("outside", "outside")],
};

pub(crate) const FIELD: OptionPlace = OptionPlace {
    what: "a field of an entity",
    words: &[
        RENAME,
        once(
            "was",
            "was = \"old name\"`, `was(\"old name\", keep)` or `was(\"old name\", drop)",
        ),
        DEFAULT,
        SKIP,
        FLATTEN,
        REST,
        SERDE,
        FORMAT,
        NULL,
        COMPRESS,
        DECOMPRESS,
        PERSONAL,
        once("version", "version"),
        once("ttl", "ttl` or `ttl = field + \"90d\""),
        once("created_at", "created_at"),
        once("updated_at", "updated_at"),
        once("created_by", "created_by"),
        once("updated_by", "updated_by"),
        ALLOW,
    ],
};

pub(crate) const PROJECTION: OptionPlace = OptionPlace {
    what: "a projection",
    words: &[once("entity", "entity = Order"), CRATE],
};

pub(crate) const PROJECTED_FIELD: OptionPlace = OptionPlace {
    what: "a field of a projection",
    words: &[],
};

const ATTRIBUTE_PK: Word = once("pk", "pk = \"attribute\"");
const ATTRIBUTE_SK: Word = once("sk", "sk = \"attribute\"");
const PROJECT_NAMES: Word = once(
    "project",
    "project = all`, `project = keys` or `project = [\"attribute\", ..]",
);

pub(crate) const TABLE: OptionPlace = OptionPlace {
    what: "a table",
    words: &[
        once("name", "name = \"shop\""),
        ATTRIBUTE_PK,
        ATTRIBUTE_SK,
        once("entities", "entities(User, Order)"),
        many("gsi", "gsi(gsi1, pk = \"gsi1pk\", sk = \"gsi1sk\")"),
        many("lsi", "lsi(lsi1, sk = \"lsi1sk\")"),
        STREAM,
        once("type_attribute", "type_attribute = \"_type\""),
        once("identify_by", "identify_by = key"),
        TENANT,
        VERBATIM_WORD,
        ALLOW,
        CRATE,
    ],
};

pub(crate) const TABLE_GSI: OptionPlace = OptionPlace {
    what: "a gsi of a table",
    words: &[ATTRIBUTE_PK, ATTRIBUTE_SK, PROJECT_NAMES, RENAME, ALLOW],
};

pub(crate) const TABLE_LSI: OptionPlace = OptionPlace {
    what: "an lsi of a table",
    words: &[ATTRIBUTE_PK, ATTRIBUTE_SK, PROJECT_NAMES, RENAME, ALLOW],
};

pub(crate) const VERBATIM: OptionPlace = OptionPlace {
    what: "`verbatim`",
    words: &[once("delimiter", "delimiter = \":\"")],
};

pub(crate) const VALUE: OptionPlace = OptionPlace {
    what: "a value",
    words: &[
        RENAME_ALL,
        once("tag", "tag = \"kind\""),
        once("order", "order"),
        CRATE,
    ],
};

pub(crate) const VARIANT: OptionPlace = OptionPlace {
    what: "a variant",
    words: &[RENAME, RENAME_ALL],
};

pub(crate) const VALUE_FIELD: OptionPlace = OptionPlace {
    what: "a field of a value",
    words: &[
        RENAME, DEFAULT, SKIP, REST, SERDE, FORMAT, NULL, COMPRESS, DECOMPRESS, PERSONAL,
    ],
};

pub(crate) const UNNAMED_FIELD: OptionPlace = OptionPlace {
    what: "an unnamed field",
    words: &[],
};

pub(crate) const COLLECTION: OptionPlace = OptionPlace {
    what: "a collection",
    words: &[
        once("table", "table = Shop"),
        once("index", "index = gsi1"),
        once("partition", "partition(user_id)"),
        CRATE,
    ],
};

pub(crate) const COLLECTION_VARIANT: OptionPlace = OptionPlace {
    what: "a variant of a collection",
    words: &[once("other", "other")],
};

/// All places, for the hint that names the place of a misplaced option.
pub(crate) const ALL: [&OptionPlace; 17] = [
    &PROJECTION,
    &ENTITY,
    &KEY,
    &GSI,
    &LSI,
    &VECTOR,
    &LARGE,
    &FIELD,
    &TABLE,
    &TABLE_GSI,
    &TABLE_LSI,
    &VERBATIM,
    &VALUE,
    &VARIANT,
    &VALUE_FIELD,
    &COLLECTION,
    &COLLECTION_VARIANT,
];
