//! What `update` and `upsert` have in common: both are a draft and a type that says what comes back.

/// The methods that do not depend on which of the two it is.
macro_rules! draft_builder {
    ($builder:ident) => {
        impl<E: DynamoEntity, R> $builder<E, R> {
            fn of(draft: UpdateDraft) -> Self {
                $builder {
                    draft,
                    kind: PhantomData,
                }
            }

            /// Says that doing it twice is harmless here, and lets it be sent again after a lost answer; see
            /// [`Create::repeatable`](crate::write::Create::repeatable).
            pub fn repeatable(mut self) -> Self {
                self.draft.repeatable();
                self
            }

            /// Returns the item as it was before; None where an upsert made it.
            pub fn returning_old(self) -> $builder<E, ReturningOld> {
                $builder::of(self.draft)
            }

            /// Returns the attributes that changed, as they are now.
            pub fn returning_changed(self) -> $builder<E, ReturningChanged> {
                $builder::of(self.draft)
            }

            /// Returns nothing, and spares the answer.
            pub fn returning_nothing(self) -> $builder<E, ReturningNothing> {
                $builder::of(self.draft)
            }

            pub(crate) fn members(self, db: &Dynamo) -> Result<Vec<TransactionMember>> {
                self.draft.members(db)
            }

            pub(crate) fn item_key(&self) -> Result<Vec<u8>, CodecError> {
                self.draft.item_key()
            }

            pub(crate) fn intent(self, db: &Dynamo) -> Result<Intent> {
                self.draft.intent(db)
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
