//! Lists of the words of `#[dynamo(..)]`: reading, messages, expansion and the test of the documentation share them.

/// Words, each with its meaning.
pub(crate) struct Words<T: 'static>(pub(crate) &'static [(&'static str, T)]);

impl<T: Copy + PartialEq> Words<T> {
    /// The meaning of a word, if it is known.
    pub(crate) fn meaning(&self, word: &str) -> Option<T> {
        let found = self.0.iter().find(|(known, _)| *known == word);
        found.map(|(_, meaning)| *meaning)
    }

    /// The word for a meaning, if it has one.
    pub(crate) fn word(&self, meaning: T) -> Option<&'static str> {
        let found = self.0.iter().find(|(_, known)| *known == meaning);
        found.map(|(word, _)| *word)
    }

    /// All words.
    pub(crate) fn all(&self) -> impl Iterator<Item = &'static str> + Clone {
        self.0.iter().map(|(word, _)| *word)
    }
}
