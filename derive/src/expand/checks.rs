//! Checks that only the compiler can make, because they need types or another declaration.

use proc_macro2::{Span, TokenStream};
use syn::spanned::Spanned;
use syn::{Path, Type};

use super::attribute::{declared, index_attribute};
use super::index::index_keys;
use super::tokens::{assertion, check, of, option, shown};
use super::{expiry, flat, large, library, second_key, shape, template, tenant, unique};
use crate::check::types::{is_basic, is_float};
use crate::check::{no_end, placeholder};
use crate::literal::{sorts_low, unfit};
use crate::model::{
    Entity, Field, Format, IdentifyBy, Index, IndexKind, KeySource, NoneSide, Piece, Table,
    TableRef, Template, TextFormat, Unique, UniqueRow,
};

pub(super) fn entity(entity: &Entity) -> TokenStream {
    let ident = &entity.ident;
    let def = code!(<#ident as __d::EntityContract>::ENTITY);
    let mut checks = Vec::new();
    for source in entity.primary() {
        checks.extend(parts_end(entity, source, false));
    }
    let rows = entity.uniques.iter().filter_map(Unique::row);
    let keys = entity.indexes.iter().flat_map(Index::keys);
    for source in keys.chain(rows.flat_map(UniqueRow::keys)) {
        checks.extend(parts_end(entity, source, true));
        checks.extend(is_number(entity, source));
    }
    checks.extend(padded(entity));
    checks.extend(unique::checks(entity));
    checks.extend(large::checks(entity));
    checks.extend(expiry::check(entity));
    checks.extend(flat::checks(entity, &def));
    checks.extend(shape::checks(entity, &def));
    checks.extend(second_key::checks(entity, &def));
    if let TableRef::Shared(path) = &entity.table {
        checks.extend(shared(entity, path, &def));
    }
    checks.extend(tenant::entity(entity));
    code!(#(#checks)*)
}

/// `number(field)` takes a field that is stored as a number.
fn is_number(entity: &Entity, source: &KeySource) -> Option<TokenStream> {
    let KeySource::Number { field, span } = source else {
        return None;
    };
    let field = &entity.fields[*field];
    let (name, ty) = (&field.ident, of(&field.ty, &code!(IndexPart), "TYPE"));
    let message = format!(
        "`number({name})` takes a field that is stored as a number; write the template \"{{{name}}}\" instead"
    );
    Some(check(*span, &code!(__d::is_number(#ty)), &message))
}

/// A part of variable width ends at the delimiter or at the end of the key.
fn parts_end(entity: &Entity, source: &KeySource, sparse: bool) -> Vec<TokenStream> {
    let KeySource::Template(template) = source else {
        return Vec::new();
    };
    let delimiter = entity.own_table().map(|own| own.style.delimiter());
    let mut checks = Vec::new();
    if delimiter.is_none() {
        checks.extend(
            template
                .pieces
                .iter()
                .filter_map(|piece| literal(template, piece)),
        );
    }
    checks.extend(
        template
            .parts()
            .filter_map(|part| placed(entity, template, part)),
    );
    for pair in template.pieces.windows(2) {
        let [Piece::Part { field, format }, next] = pair else {
            continue;
        };
        let next = match next {
            Piece::Literal(text) => {
                checks.extend(holds_separator(
                    entity,
                    template,
                    (*field, *format),
                    text,
                    sparse,
                ));
                text.chars().next()
            }
            Piece::Part { .. } => None,
        };
        // Known to end here; each condition that the compiler need not evaluate is one less for
        // every build.
        if next.is_some() && next == delimiter {
            continue;
        }
        let (width, pad) = (
            template::width(entity, *field, *format, sparse),
            template::pad(*format),
        );
        let part = placeholder(&entity.fields[*field], *format);
        let style = entity.own_table().map(|own| own.style);
        let message = no_end(&part, style, next);
        let next = option(next);
        checks.push(check(
            template.span,
            &code!(__d::ends(__d::width_in(#width, #pad, __STYLE), #width, #next, __STYLE)),
            &message,
        ));
    }
    checks.extend(shard_ends(entity, template, delimiter, sparse));
    checks
}

/// The delimiter of the table ends the last part before a shard.
fn shard_ends(
    entity: &Entity,
    template: &Template,
    delimiter: Option<char>,
    sparse: bool,
) -> Option<TokenStream> {
    template.shards?;
    let Some(Piece::Part { field, format }) = template.pieces.last() else {
        return None;
    };
    let may_hold =
        delimiter.is_none_or(is_punctuation) && has_punctuation(&entity.fields[*field].ty, *format);
    if !may_hold {
        return None;
    }
    let part = placeholder(&entity.fields[*field], *format);
    let delimiter = delimiter.map_or_else(String::new, |delimiter| format!(" `{delimiter}`"));
    let message = format!(
        "{part} may contain the delimiter{delimiter} of the table, which is before the shard, so the part would end too early; write a character after it that it cannot contain, such as `#` or `|`"
    );
    let holds = template::holds(entity, (*field, *format), sparse);
    Some(check(
        template.span,
        &code!(__d::is_free_of(#holds, "", __STYLE)),
        &message,
    ))
}

/// A text of a type with punctuation of its own, such as `PythonTime`, does not hold the separator after it.
fn holds_separator(
    entity: &Entity,
    template: &Template,
    (field, format): (usize, Format),
    after: &str,
    sparse: bool,
) -> Option<TokenStream> {
    let ty = &entity.fields[field].ty;
    let next = after
        .chars()
        .next()
        .filter(|next| is_punctuation(*next) && has_punctuation(ty, format))?;
    let part = placeholder(&entity.fields[field], format);
    let message = format!(
        "{part} may contain `{next}`, so the part would end too early; write a character after it that it cannot contain, such as `#` or `|`"
    );
    let holds = template::holds(entity, (field, format), sparse);
    Some(check(
        template.span,
        &code!(__d::is_free_of(#holds, #after, __STYLE)),
        &message,
    ))
}

/// Returns whether the texts of a type may have punctuation of their own. A width ends a part wherever it is.
fn has_punctuation(ty: &Type, format: Format) -> bool {
    let ends_by_width = match format.text {
        TextFormat::Pad(_) => true,
        TextFormat::Fixed { width, .. } => width > 0,
        _ => false,
    };
    !format.is_lossy() && !ends_by_width && (!is_basic(ty) || is_float(ty))
}

/// Returns whether a type of the library may have this character in its texts, so that the compiler has to look.
fn is_punctuation(c: char) -> bool {
    matches!(c, '-' | ':' | '.' | '+')
}

/// The literals of an escaped key consist of `#` and characters that sort above `%`. For an own table this is checked
/// earlier.
fn literal(template: &Template, piece: &Piece) -> Option<TokenStream> {
    let Piece::Literal(text) = piece else {
        return None;
    };
    let low = text.chars().find(|c| sorts_low(*c))?;
    Some(check(
        template.span,
        &code!(!__d::is_escaped(__STYLE)),
        &unfit(text, low),
    ))
}

/// A `verbatim` table has the keys of other programs, which have no position for a None, but may end there. In other tables,
/// a None has a position.
fn placed(
    entity: &Entity,
    template: &Template,
    (field, format): (usize, Format),
) -> Option<TokenStream> {
    let field = &entity.fields[field];
    let side = format.none?;
    let instead = |side| {
        placeholder(
            field,
            Format {
                none: Some(side),
                ..format
            },
        )
    };
    let (part, is_escaped) = (placeholder(field, format), code!(__d::is_escaped(__STYLE)));
    let (fits, message) = match side {
        NoneSide::Ends => {
            let message = format!(
                "{part}: a key that ends at a None is written by programs whose tables are `verbatim`; write {} or {}",
                instead(NoneSide::First),
                instead(NoneSide::Last)
            );
            (code!(!#is_escaped), message)
        }
        NoneSide::First | NoneSide::Last => {
            let message = format!(
                "{part}: other programs define the keys of a `verbatim` table, and write no text for a None; write {}, or {} if \
                 their keys end there",
                placeholder(field, format.unplaced()),
                instead(NoneSide::Ends)
            );
            (is_escaped, message)
        }
    };
    Some(check(template.span, &fits, &message))
}

/// A part with a width is a number, and one with decimals has a fraction. For index keys their own trait checks this.
fn padded(entity: &Entity) -> impl Iterator<Item = TokenStream> {
    let templates = entity.primary().filter_map(KeySource::template);
    templates
        .flat_map(Template::parts)
        .filter_map(|(field, format)| {
            let (contract, constant) = match format.text {
                TextFormat::Pad(_) => (code!(Padded), "PADDED"),
                TextFormat::Fixed { .. } => (code!(FixedDecimals), "FIXED"),
                _ => return None,
            };
            let padded = of(&entity.fields[field].ty, &contract, constant);
            Some(code!(const _: () = #padded;))
        })
}

/// Compares an entity with the table that it names.
fn shared(entity: &Entity, path: &Path, def: &TokenStream) -> Vec<TokenStream> {
    let ident = &entity.ident;
    let span = path.span();
    let shown = code!(#path).to_string().replace(' ', "");
    let [table, entities] = ["TABLE", "ENTITIES"].map(|item| of(path, &code!(DynamoTable), item));
    let mut checks = vec![check(
        span,
        &code!(__d::lists(&#table, #entities, #def.id)),
        &format!(
            "`{ident}` names the table `{shown}`, which does not list it: write `entities({ident}, ..)` there"
        ),
    )];
    let message = match &entity.sk {
        Some(_) => format!(
            "`{ident}` has a sort key, the table `{shown}` has none: remove `sk` here or give the table one"
        ),
        None => format!(
            "the table `{shown}` has a sort key, `{ident}` does not fill it: write `sk = \"..\"` in `key(..)`"
        ),
    };
    checks.push(check(
        span,
        &code!(__d::fills_sort_key(&#table, &#def)),
        &message,
    ));
    let keys = [
        (Some(&entity.pk), code!(__PK)),
        (entity.sk.as_ref(), code!(__SK)),
    ];
    for (source, attribute) in keys {
        checks.extend(source.and_then(|source| bare_name(entity, source, &attribute, &shown)));
    }
    for index in &entity.indexes {
        checks.extend(shared_index(entity, index, path, &shown));
    }
    for field in &entity.fields {
        checks.extend(stored_field(field, def, &table, &shown));
        checks.extend(renamed_field(field, def, &table, &shown));
    }
    if let Some(constant) = entity.constants.first() {
        checks.push(check(
            constant.attribute.span(),
            &code!(__d::has_free_constants(&#def, &#table)),
            &format!(
                "a constant of `{ident}` has the name of a key or of the type of `{shown}`; a key and a type are written already, so remove it, or write its value with `rename` or in a template"
            ),
        ));
    }
    if let Some(own) = &entity.type_attribute {
        let name = own.value();
        checks.push(check(
            own.span(),
            &code!(__d::is_identified_by_key(&#table)),
            &format!(
                "an item may have the type attributes of several entities, so only its key shows its entity: declare `{shown}` with `identify_by = key`"
            ),
        ));
        checks.push(check(
            own.span(),
            &code!(__d::has_free_type(&#def, &#table)),
            &format!(
                "`{name}` is a key of `{shown}` or a constant of `{ident}`, and cannot store the type too; name another attribute"
            ),
        ));
    }
    if let Some(index) = entity.vectors.first() {
        checks.push(check(
            index.name.span(),
            &code!(!__d::is_identified_by_key(&#table)),
            &format!(
                "a search finds rows by their type, and `{shown}` identifies them by their keys: declare the vector index on an entity of another table, or remove `identify_by = key`"
            ),
        ));
    }
    checks.push(check(
        ident.span(),
        &code!(__d::shared_attributes_agree(&#def)),
        &format!("two keys of `{ident}` fill one attribute in different ways: give them the same template, or indexes of their own"),
    ));
    checks
}

/// No field is stored in the attribute of a template, or of the type.
fn stored_field(
    field: &Field,
    def: &TokenStream,
    table: &TokenStream,
    shown: &str,
) -> Option<TokenStream> {
    if !field.is_stored() {
        return None;
    }
    let (ident, stored) = (&field.ident, &field.stored);
    let message = format!(
        "the attribute `{stored}` of `{shown}` holds the text of a key template, or the type; store `{ident}` under another name by `rename`"
    );
    Some(check(
        ident.span(),
        &code!(__d::is_free(#stored, &#def, &#table)),
        &message,
    ))
}

/// No index of the table projects a renamed attribute by name, and its former name has no other use there.
fn renamed_field(
    field: &Field,
    def: &TokenStream,
    table: &TokenStream,
    shown: &str,
) -> Option<TokenStream> {
    let former = &field.former.as_ref()?.name;
    let (ident, stored) = (&field.ident, &field.stored);
    let message = format!(
        "`{ident}` cannot be renamed from `{former}` to `{stored}`: a key or an index of `{shown}` uses one of the two, and DynamoDB does not change the attributes of an index; keep the stored name by `rename = \"{former}\"`, or declare another index, fill it, and switch the queries to it"
    );
    Some(check(
        ident.span(),
        &code!(__d::may_be_renamed(#former, #stored, &#def, &#table)),
        &message,
    ))
}

/// A bare key field is the key attribute itself, so it has that name.
fn bare_name(
    entity: &Entity,
    source: &KeySource,
    attribute: &TokenStream,
    shown: &str,
) -> Option<TokenStream> {
    let KeySource::Field { field, span } = source else {
        return None;
    };
    let (name, stored) = (&entity.fields[*field].ident, &entity.fields[*field].stored);
    let message = format!(
        "the field `{name}` is stored as `{stored}`, which is not the key attribute of `{shown}`: rename it with `#[dynamo(rename = \"..\")]`, or write a template such as \"{{{name}}}\""
    );
    Some(check(
        *span,
        &code!(__d::is_key(#stored, #attribute)),
        &message,
    ))
}

/// Compares an access pattern with the index of the table.
fn shared_index(entity: &Entity, index: &Index, path: &Path, shown: &str) -> Vec<TokenStream> {
    let (on, name) = (&index.on, &index.name);
    let kind = library::variant("IndexKind", index.kind);
    let word = match index.kind {
        IndexKind::Global => "gsi",
        IndexKind::Local => "lsi",
    };
    let (pk, sk) = (index.pk.len(), index.sk.len());
    let declared = declared(path, index);
    let fits = code!(__d::index_fits(&#declared, #kind, #pk, #sk));
    let message = format!(
        "`{word}({name}, ..)` does not fit the index `{on}` of `{shown}`: it has to be declared by `{word}(..)` with as many key attributes as the access pattern fills"
    );
    let mut checks = vec![check(on.span(), &fits, &message)];
    for (source, role, at) in index_keys(index) {
        let attribute = index_attribute(entity, index, role, at);
        checks.extend(bare_name(entity, source, &attribute, shown));
    }
    checks
}

/// Compares the entities of a table with each other.
pub(super) fn table(table: &Table) -> TokenStream {
    let ident = &table.ident;
    let mut checks = Vec::new();
    for (at, first) in table.entities.iter().enumerate() {
        checks.push(belongs(ident, first));
        for second in &table.entities[at + 1..] {
            checks.push(pair(table, first, second));
        }
    }
    checks.extend(tenant::table(ident, table.tenant.as_ref()));
    code!(#(#checks)*)
}

/// A listed entity names this table.
fn belongs(table: &syn::Ident, entity: &Path) -> TokenStream {
    let named = of(entity, &code!(DynamoEntity), "__TABLE_ID");
    let entity_shown = shown(entity);
    check(
        entity.span(),
        &code!(__d::is_table(&<#table as __d::DynamoTable>::TABLE, #named)),
        &format!(
            "`{entity_shown}` is listed here and names another table: write `table = {table}` on it, or remove it from `entities(..)`"
        ),
    )
}

fn pair(of_table: &Table, a: &Path, b: &Path) -> TokenStream {
    let (table, style) = (&of_table.ident, library::style(of_table.style));
    let is_by_key = of_table.identify_by == Some(IdentifyBy::Key);
    let is_by_type = of_table.identify_by == Some(IdentifyBy::Type);
    let (first, second) = (shown(a), shown(b));
    let def = |path: &Path| {
        let def = of(path, &code!(EntityContract), "ENTITY");
        code!(&#def)
    };
    let (left, right) = (def(a), def(b));
    let span: Span = b.span();
    let rules = [
        (
            code!(__d::same_key_types(#left, #right)),
            format!(
                "`{first}` and `{second}` give the keys of `{table}` different types: one table has one type for each key"
            ),
        ),
        (
            code!(#is_by_type || !__d::keys_may_meet(#left, #right, #style)),
            format!(
                "`{first}` and `{second}` could form the same primary key in `{table}`{}: begin one of their keys with a text of its own, such as \"{}#{{..}}\"{}",
                if is_by_key {
                    ", so `identify_by = key` cannot distinguish their rows"
                } else {
                    ""
                },
                second.to_uppercase(),
                if is_by_key {
                    String::new()
                } else {
                    format!(
                        ", or write `identify_by = type` on `{table}`, so that every write checks the type of the stored item"
                    )
                },
            ),
        ),
        (
            code!(__d::attributes_agree(#left, #right)),
            format!(
                "`{first}` and `{second}` use an index key or the TTL of `{table}` differently: one attribute has one type, and one table has one TTL attribute"
            ),
        ),
        (
            code!(#is_by_key || __d::are_distinct(#left, #right)),
            format!(
                "`{first}` and `{second}` are stored under one type name{}: give one of them `#[dynamo(rename = \"..\")]`, or give both another value of one `constant`{}",
                if is_by_type {
                    ", so `identify_by = type` cannot distinguish their rows"
                } else {
                    ""
                },
                if is_by_type {
                    String::new()
                } else {
                    format!(
                        ", or write `identify_by = key` on `{table}`, so that their keys distinguish their rows"
                    )
                },
            ),
        ),
        (
            code!(!__d::share_uniques(#left, #right)),
            format!(
                "`{first}` and `{second}` have one type name, and would store unique values in the same items: give those of one of them `rename` in `unique(..)`"
            ),
        ),
    ];
    let rules = rules
        .iter()
        .map(|(condition, message)| assertion(span, condition, message));
    // All rules share one constant, because a table of twenty entities has 190 pairs, and each constant costs time of
    // the compiler.
    code!(const _: () = { #(#rules)* };)
}
