//! The results of a search.

/// An item that a search has found, with its score.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Hit<Row, S> {
    /// The item, or the part of it that was read.
    pub item: Row,
    /// The score of its vector: a [`Distance`] or a [`Similarity`].
    pub score: S,
}

impl<Row, S> Hit<Row, S> {
    pub(super) fn new(item: Row, score: S) -> Self {
        Hit { item, score }
    }
}

/// The score of a hit. Its type tells which of two scores is nearer.
pub trait Score: Copy + Send + Sync + 'static {
    /// The score of this number.
    #[doc(hidden)]
    fn of_number(number: f64) -> Self;

    /// The number.
    fn value(self) -> f64;

    /// Whether this vector is nearer than the other one.
    fn is_nearer_than(self, other: Self) -> bool;
}

/// The distance of a vector: smaller is nearer. Indexes with the distances `cosine` and `euclidean` have it.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Distance(f64);

/// The similarity of a vector: larger is nearer. Indexes with the distance `dot_product` have it.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Similarity(f64);

impl Score for Distance {
    fn of_number(number: f64) -> Self {
        Distance(number)
    }

    fn value(self) -> f64 {
        self.0
    }

    fn is_nearer_than(self, other: Self) -> bool {
        self < other
    }
}

impl Score for Similarity {
    fn of_number(number: f64) -> Self {
        Similarity(number)
    }

    fn value(self) -> f64 {
        self.0
    }

    fn is_nearer_than(self, other: Self) -> bool {
        self > other
    }
}
