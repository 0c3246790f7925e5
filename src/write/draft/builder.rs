//! The common part of `update` and `upsert`: both are a draft and a type for the return value.

/// The methods that are the same for both.
macro_rules! draft_builder {
    ($builder:ident) => {
        impl<E: DynamoEntity, R> $builder<E, R> {
            fn of(draft: UpdateDraft) -> Self {
                $builder {
                    draft,
                    kind: PhantomData,
                }
            }

            /// Returns the item before the write; None if an upsert created it.
            pub fn returning_old(self) -> $builder<E, ReturningOld> {
                $builder::of(self.draft)
            }

            /// Returns the changed attributes with their new values.
            pub fn returning_changed(self) -> $builder<E, ReturningChanged> {
                $builder::of(self.draft)
            }

            /// Returns nothing, which makes the response smaller.
            pub fn returning_nothing(self) -> $builder<E, ReturningNothing> {
                $builder::of(self.draft)
            }
        }

        impl<E: DynamoEntity, R> fmt::Debug for $builder<E, R> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($builder), "({:?})"), self.draft)
            }
        }
    };
}

pub(crate) use draft_builder;
