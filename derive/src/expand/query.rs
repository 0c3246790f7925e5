//! Access patterns: `Order::in_partition(..)`, `Order::by_status(..)`, and a stage for each part of their sort keys.
//! The verbs are methods of the library. A stage knows the next part and its encoding: the function that writes the
//! part into an item writes it into the query too.

use std::collections::HashSet;

use proc_macro2::{Ident, TokenStream};
use quote::format_ident;

use super::attribute::{declared, index_attribute};
use super::index::{distinct_of, index_writer_name};
use super::query_doc::PatternDoc;
use super::query_part::{PartPlace, SortPart, kind, skipped, stage_name};
use super::template;
use super::tokens::{beside, name, plain_name};
use crate::check::types::may_have_fraction;
use crate::model::{
    Entity, Field, Format, Index, IndexKind, IndexProjection, KeySource, Piece, Style, TableRef,
    Template,
};

/// The pattern of the table, and then those of the indexes.
fn patterns<'a>(entity: &'a Entity, key_struct: &'a Ident) -> impl Iterator<Item = Pattern<'a>> {
    let indexes = entity.indexes.iter().enumerate();
    let indexes = indexes.map(|(at, index)| Pattern::of_index(entity, key_struct, at, index));
    std::iter::once(Pattern::of_table(entity, key_struct)).chain(indexes)
}

pub(super) fn expand(entity: &Entity, key_struct: &Ident) -> TokenStream {
    let patterns = patterns(entity, key_struct).map(|pattern| match (pattern.index, &entity.sk) {
        (None, None) => no_sort_key(entity),
        _ => pattern.expand(),
    });
    let parts = parts_too_late(entity, key_struct);
    code!(#(#patterns)* #parts)
}

/// The types of all stages. They are defined beside the entity, so that functions can name them.
pub(super) fn stages(entity: &Entity, key_struct: &Ident) -> TokenStream {
    let stages = patterns(entity, key_struct).flat_map(|pattern| {
        let parts = 0..pattern.sort_parts().len();
        parts.map(|at| pattern.stage_struct(at)).collect::<Vec<_>>()
    });
    code!(#(#stages)*)
}

/// The struct that knows the names of all parts.
pub(super) fn sort_parts_name(entity: &Entity) -> Ident {
    format_ident!("PartsOf{}", plain_name(&entity.ident))
}

/// The methods of parts that are used after a range. Each name has one; it cannot be called and gives the reason.
fn parts_too_late(entity: &Entity, key_struct: &Ident) -> TokenStream {
    let (ident, vis, name) = (&entity.ident, &entity.vis, sort_parts_name(entity));
    let mut seen = HashSet::new();
    let parts = patterns(entity, key_struct).flat_map(|pattern| pattern.sort_parts());
    let parts = parts.filter(|part| seen.insert(&part.field.ident));
    let methods = parts.map(|part| {
        let (part, ty, kind) = (&part.field.ident, &part.field.ty, part.kind());
        let stage = code!(__d::Chosen<#ident, __d::RowsHold<true>, __d::InTable>);
        code! {
            #[doc(hidden)]
            #[inline]
            #vis fn #part(&self) -> __d::SortPart<#ty, __d::NotNext<#kind, #stage>>
            where
                for<'x> Self: __d::NextPart<'x>,
            {
                <Self as __d::NextPart<'_>>::never()
            }
        }
    });
    code! {
        #[doc(hidden)]
        #[derive(::core::fmt::Debug)]
        #vis struct #name;

        impl #name { #(#methods)* }
    }
}

/// Reports that a partition with one item needs no query.
fn no_sort_key(entity: &Entity) -> TokenStream {
    let (ident, vis) = (&entity.ident, &entity.vis);
    let template = entity.pk.template();
    let parts = template.map_or(1, |template| template.parts().count());
    let arguments = (0..parts).map(template::part_name);
    code! {
        impl #ident {
            #[doc(hidden)]
            #[inline]
            #vis fn in_partition(#(#arguments: impl ::core::marker::Sized),*) -> __d::Query<#ident>
            where
                for<'x> #ident: __d::SortKeyIn<'x>,
            {
                <#ident as __d::SortKeyIn<'_>>::never()
            }
        }
    }
}

/// One access pattern.
pub(super) struct Pattern<'a> {
    entity: &'a Entity,
    key_struct: &'a Ident,
    function: Ident,
    /// The place of its declaration among those of the indexes.
    index: Option<(usize, &'a Index)>,
}

impl<'a> Pattern<'a> {
    pub(super) fn of_table(entity: &'a Entity, key_struct: &'a Ident) -> Self {
        Pattern {
            entity,
            key_struct,
            function: format_ident!("in_partition", span = entity.ident.span()),
            index: None,
        }
    }

    pub(super) fn of_index(
        entity: &'a Entity,
        key_struct: &'a Ident,
        at: usize,
        index: &'a Index,
    ) -> Self {
        Pattern {
            entity,
            key_struct,
            function: index.name.clone(),
            index: Some((at, index)),
        }
    }

    /// The partition key: whether it is that of an index, and its sources.
    fn partition(&self) -> (bool, Vec<&'a KeySource>) {
        match self.index {
            Some((_, index)) if index.kind == IndexKind::Global => {
                (true, index.pk.iter().collect())
            }
            _ => (false, vec![&self.entity.pk]),
        }
    }

    fn sort(&self) -> Vec<&'a KeySource> {
        match self.index {
            Some((_, index)) => index.sk.iter().collect(),
            None => self.entity.sk.iter().collect(),
        }
    }

    /// The function that writes a template.
    fn writer(&self, in_index: bool, role: &str, at: usize) -> Ident {
        match self.index {
            // Patterns of one index have the same keys, so the functions of the first one write for all.
            Some((_, index)) if in_index => {
                index_writer_name(distinct_of(self.entity, index), role, at)
            }
            _ => format_ident!("write_{role}"),
        }
    }

    fn expand(&self) -> TokenStream {
        let parts = self.sort_parts();
        let constructor = self.constructor(parts.is_empty());
        let stages = parts
            .iter()
            .enumerate()
            .map(|(at, part)| self.stage(at, part, &parts[at + 1..]));
        code!(#constructor #(#stages)*)
    }

    /// `Order::by_status(status)`
    fn constructor(&self, is_last: bool) -> TokenStream {
        let (ident, vis, function) = (&self.entity.ident, &self.entity.vis, &self.function);
        let PartitionWriter {
            arguments: parts,
            writes,
        } = self.partition_parts();
        let values: Vec<_> = parts.iter().map(|(field, _)| &field.ident).collect();
        let numbers: Vec<_> = (0..parts.len())
            .map(|at| format_ident!("__N{at}"))
            .collect();
        let arguments = parts.iter().zip(&numbers).map(|((field, format), number)| {
            let (value, ty) = (&field.ident, &field.ty);
            // A plain part is the default of the library if no kind is named.
            let is_named = *format != Some(Format::PLAIN);
            let kind = is_named.then(|| kind(field, *format));
            let kind = kind.iter();
            code!(#value: impl __d::KeyArg<#ty, #number #(, #kind)*>)
        });
        let write = match (self.index, &self.entity.table) {
            (None, TableRef::Shared(_)) => {
                code!(<#ident as __d::EntityContract>::write_partition(&[#(#values),*], shard, writer))
            }
            _ => code!({ #(#writes)* ::core::result::Result::Ok(()) }),
        };
        let source = match self.index {
            None => code!(__d::QuerySource::table::<#ident>()),
            Some((at, _)) => code!(__d::QuerySource::index::<#ident, #at>()),
        };
        let front = self.front();
        let first = self.stage_type(0, is_last);
        let doc = self.doc().of_function();
        let is_filling = self.index.is_some_and(|(_, index)| index.filling);
        let filled = is_filling.then(|| code!(where for<'x> #ident: __d::FilledIndex<'x>));
        code! {
            impl #ident {
                #[doc = #doc]
                #[inline]
                #vis fn #function<#(#numbers),*>(#(#arguments),*) -> #first #filled {
                    <#first as __d::QueryStage>::of(__d::KeyDraft::new(
                        #source,
                        [#(__d::KeyArg::values(#values)),*],
                        |&[#(#values),*], shard, writer| #write,
                        #front,
                    ))
                }
            }
        }
    }

    /// The parts of the partition key, and the function that writes it.
    pub(super) fn partition_parts(&self) -> PartitionWriter<'a> {
        let (in_index, sources) = self.partition();
        let mut arguments = Vec::new();
        let mut writes = Vec::new();
        for (at, source) in sources.into_iter().enumerate() {
            let writer = self.writer(in_index, "pk", at);
            let target = code!(__d::KeyTarget::attribute(writer));
            match source {
                KeySource::Field { field, .. } => {
                    let field = &self.entity.fields[*field];
                    let (value, name) = (&field.ident, name(&field.stored));
                    arguments.push((field, None));
                    writes.push(code!(#value.write_value(#target, &#name)?;));
                }
                KeySource::Number { field, .. } => {
                    let field = &self.entity.fields[*field];
                    let (value, name) = (&field.ident, self.derived_name("pk", at));
                    arguments.push((field, None));
                    writes.push(code!(#value.write_value(#target, &#name)?;));
                }
                KeySource::Template(template) => {
                    let parts: Vec<_> = template
                        .parts()
                        .map(|(field, format)| {
                            let field = &self.entity.fields[field];
                            let value = &field.ident;
                            arguments.push((field, Some(format)));
                            code!(__d::PartOf::new(#value, __d::GivenPart::write))
                        })
                        .collect();
                    let key_struct = self.key_struct;
                    let shard = template::shard(template, &code!(shard));
                    writes.push(code!(#key_struct::#writer(#target #shard #(, #parts)*)?;));
                }
            }
        }
        PartitionWriter { arguments, writes }
    }

    /// Creates the text before the first part of the sort key.
    fn front(&self) -> TokenStream {
        match self.sort().as_slice() {
            [KeySource::Template(template)] => {
                let write = self.write_part(template, None);
                code!(::core::option::Option::Some(|target| #write))
            }
            _ => code!(::core::option::Option::None),
        }
    }

    /// Makes the call by which the writer of the sort key writes one part.
    fn write_part(&self, template: &Template, part: Option<usize>) -> TokenStream {
        let (key_struct, writer) = (self.key_struct, self.writer(true, "sk", 0));
        let parts = (0..template.parts().count()).map(|at| {
            if part == Some(at) {
                code!(part)
            } else {
                code!(__d::PartOf::none())
            }
        });
        code!(#key_struct::#writer(target #(, #parts)*))
    }

    /// The parts of the sort key, in order.
    fn sort_parts(&self) -> Vec<SortPart<'a>> {
        match self.sort().as_slice() {
            [KeySource::Template(template)] => template
                .parts()
                .enumerate()
                .map(|(at, (field, format))| SortPart {
                    field: &self.entity.fields[field],
                    place: PartPlace::Template {
                        template,
                        at,
                        format,
                        order: self.order(template, field, format),
                    },
                })
                .collect(),
            sources => {
                let values = sources.iter().enumerate();
                let values = values.filter_map(|(at, source)| {
                    let (field, name) = match source {
                        KeySource::Field { field, .. } => {
                            (*field, name(&self.entity.fields[*field].stored))
                        }
                        KeySource::Number { field, .. } => (*field, self.derived_name("sk", at)),
                        KeySource::Template(_) => return None,
                    };
                    Some(SortPart {
                        field: &self.entity.fields[field],
                        place: PartPlace::Value { name },
                    })
                });
                values.collect()
            }
        }
    }

    /// The name of a derived attribute of the index. Of a shared table, only the compiler knows it.
    fn derived_name(&self, role: &str, at: usize) -> TokenStream {
        let attribute = self
            .index
            .map(|(_, index)| index_attribute(self.entity, index, role, at));
        code!(__d::Name::of_table(#attribute))
    }

    /// Its rustdoc.
    fn doc(&self) -> PatternDoc<'a> {
        let index = self.index.map(|(_, index)| index);
        PatternDoc {
            entity: self.entity,
            function: self.function.clone(),
            index,
            partition: self.partition().1,
            sort: self.sort(),
            arguments: self.partition_parts().arguments,
            parts: (self.sort_parts().iter())
                .map(|part| &part.field.ident)
                .collect(),
            project: index.map(|index| &distinct_of(self.entity, index).project),
        }
    }

    /// The type of the stage at which a part is the next one.
    fn stage_struct(&self, at: usize) -> TokenStream {
        let (vis, name, about) = (
            &self.entity.vis,
            self.stage_name(at),
            self.doc().of_stage(at),
        );
        beside(&self.entity.krate, |library| {
            code! {
                #[doc = #about]
                #[derive(::core::clone::Clone, ::core::fmt::Debug)]
                #[must_use = "nothing happens until a verb such as `.page(&db)` or `.all(&db)`"]
                #vis struct #name(#library::KeyDraft);
            }
        })
    }

    /// The stage at which a part is the next one.
    fn stage(&self, at: usize, part: &SortPart<'_>, later: &[SortPart<'_>]) -> TokenStream {
        let (ident, vis) = (&self.entity.ident, &self.entity.vis);
        let (name, next) = (
            self.stage_name(at),
            self.stage_type(at + 1, later.is_empty()),
        );
        let (rows, reach) = (self.rows(), self.reach());
        let field = &part.field.ident;
        let ty = &part.field.ty;
        let (kind, order, make) = (part.kind(), part.order(), self.make_part(part));
        let doc = self.doc().of_part(at, part.format());
        let later = later.iter().map(|part| skipped(part, &name, vis));
        code! {
            impl __d::QueryStage for #name {
                type Entity = #ident;
                type Rows = #rows;
                type Reach = #reach;

                #[inline]
                fn of(draft: __d::KeyDraft) -> Self {
                    Self(draft)
                }

                #[inline]
                fn draft(self) -> __d::KeyDraft {
                    self.0
                }
            }

            #[doc(hidden)]
            impl __d::PartFollows for #name {
                type Kind = #kind;
                type Next = #next;
                type Order = __d::PartOrder<#order>;
            }

            impl #name {
                #[doc = #doc]
                #[inline]
                #vis fn #field(self) -> __d::SortPart<#ty, #name> {
                    __d::SortPart::#make
                }

                #(#later)*
            }
        }
    }

    /// Creates the call that creates a part, with its format.
    fn make_part(&self, part: &SortPart<'_>) -> TokenStream {
        match &part.place {
            PartPlace::Value { name } => code!(of_value(self.0, #name)),
            PartPlace::Template { template, at, .. } => {
                let write = self.write_part(template, Some(*at));
                code!(of_template(self.0, |part, target| #write))
            }
        }
    }

    /// The order of keys by a part. Escaped keys sort as the part does, unless it is a number with a fraction.
    fn order(&self, template: &Template, field: usize, format: Format) -> Option<TokenStream> {
        let own = self.entity.own_table();
        let is_escaped = own.is_some_and(|own| own.style == Style::Escaped);
        if is_escaped && (format.is_lossy() || !may_have_fraction(&self.entity.fields[field].ty)) {
            return None;
        }
        let width = template::width(self.entity, field, format, self.index.is_some());
        let pad = template::pad(format);
        let last = matches!(template.pieces.last(), Some(Piece::Part { field: last, .. }) if *last == field);
        let ranges = template::ranges(self.entity, field, format, self.index.is_some());
        Some(code!({ __d::order_of(#width, #ranges, #pad, #last, __STYLE) }))
    }

    fn stage_type(&self, at: usize, is_last: bool) -> TokenStream {
        if !is_last {
            let name = self.stage_name(at);
            return code!(#name);
        }
        let ident = &self.entity.ident;
        let (rows, reach) = (self.rows(), self.reach());
        code!(__d::Chosen<#ident, #rows, #reach>)
    }

    fn stage_name(&self, at: usize) -> Ident {
        let parts = self.sort_parts();
        let part = parts.get(at).filter(|_| at > 0);
        let part = part.map(|part| &part.field.ident);
        stage_name(&self.entity.ident, &self.function, part)
    }

    fn reach(&self) -> TokenStream {
        match self.index.map(|(_, index)| index.kind) {
            None => code!(__d::InTable),
            Some(IndexKind::Local) => code!(__d::InLocalIndex),
            Some(IndexKind::Global) => code!(__d::InGlobalIndex),
        }
    }

    /// Whether the rows are whole items.
    fn rows(&self) -> TokenStream {
        let Some((_, index)) = self.index else {
            return code!(__d::RowsHold<true>);
        };
        match &self.entity.table {
            TableRef::Shared(path) => {
                let declared = declared(path, index);
                code!(__d::RowsHold<{ __d::holds_all(&#declared) }>)
            }
            TableRef::Own(_) => {
                let project = &distinct_of(self.entity, index).project;
                let whole = matches!(project, IndexProjection::All);
                code!(__d::RowsHold<#whole>)
            }
        }
    }
}

/// A partition key: the fields that are its parts, with their formats in a template, and the steps that write it.
pub(super) struct PartitionWriter<'a> {
    pub(super) arguments: Vec<(&'a Field, Option<Format>)>,
    pub(super) writes: Vec<TokenStream>,
}
