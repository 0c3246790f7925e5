//! Transactions that were executed with a client token: a second one with the same token changes nothing.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

use dynoxide::DynoxideError;
use serde::Serialize;

use super::answer::EngineAnswer;

/// The time for which DynamoDB remembers a token.
const REMEMBERED: Duration = Duration::from_secs(600);

/// Each operation has its own tokens, as on AWS.
#[derive(Default)]
pub(super) struct RememberedTokens {
    known: HashMap<TokenKey, RememberedToken>,
    /// The oldest comes first.
    ages: VecDeque<(Instant, TokenKey)>,
}

/// An operation, and the token that a client gave.
type TokenKey = (&'static str, String);

struct RememberedToken {
    /// The [fingerprint] of the request.
    request: u64,
    answer: EngineAnswer,
}

impl RememberedTokens {
    /// The answer to the same request under the same token, if there was one in the last ten minutes.
    pub(super) fn find_answer(
        &mut self,
        operation: &'static str,
        token: &str,
        request: u64,
    ) -> Result<Option<EngineAnswer>, DynoxideError> {
        self.forget_before(Instant::now().checked_sub(REMEMBERED));
        let Some(found) = self.known.get(&(operation, token.to_owned())) else {
            return Ok(None);
        };
        if found.request != request {
            return Err(DynoxideError::IdempotentParameterMismatchException(
                "An error occurred (IdempotentParameterMismatchException)".to_owned(),
            ));
        }
        Ok(Some(found.answer.clone()))
    }

    pub(super) fn remember_answer(
        &mut self,
        operation: &'static str,
        token: String,
        request: u64,
        answer: EngineAnswer,
    ) {
        let key = (operation, token);
        self.ages.push_back((Instant::now(), key.clone()));
        self.known.insert(key, RememberedToken { request, answer });
    }

    fn forget_before(&mut self, limit: Option<Instant>) {
        let is_old = |at: Instant| limit.is_some_and(|limit| at < limit);
        // Only the oldest are inspected, so a request does not pay for all tokens of the last ten
        // minutes.
        while let Some((_, key)) = self.ages.pop_front_if(|(at, _)| is_old(*at)) {
            self.known.remove(&key);
        }
    }
}

/// A hash of the request of a token. The maps of the engine have no order, so the names of each object are sorted.
pub(super) fn fingerprint_of(value: &impl Serialize) -> u64 {
    let mut hasher = DefaultHasher::new();
    if let Ok(mut value) = serde_json::to_value(value) {
        // If any crate of the program enables `preserve_order` of serde_json, objects keep their order of insertion.
        value.sort_all_objects();
        value.to_string().hash(&mut hasher);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_known_for_ten_minutes() {
        let mut tokens = RememberedTokens::default();
        tokens.remember_answer("TransactWriteItems", "a".into(), 1, (200, b"{}".to_vec()));
        let find = |tokens: &mut RememberedTokens, operation, request| {
            let found = tokens.find_answer(operation, "a", request);
            found.map(|answer| answer.is_some())
        };
        assert!(find(&mut tokens, "TransactWriteItems", 1).unwrap());
        assert!(find(&mut tokens, "TransactWriteItems", 2).is_err());
        assert!(!find(&mut tokens, "ExecuteTransaction", 1).unwrap());
        tokens.forget_before(Some(Instant::now() + Duration::from_secs(1)));
        assert!(!find(&mut tokens, "TransactWriteItems", 2).unwrap());
        assert!(tokens.ages.is_empty() && tokens.known.is_empty());
    }

    #[test]
    fn objects_are_compared_by_their_entries() {
        let read = |text| serde_json::from_str::<serde_json::Value>(text).unwrap();
        let one = read(r#"[{"b":1,"a":{"d":2,"c":3}}]"#);
        let other = read(r#"[{"a":{"c":3,"d":2},"b":1}]"#);
        assert_eq!(fingerprint_of(&one), fingerprint_of(&other));
        assert_ne!(fingerprint_of(&one), fingerprint_of(&read(r#"[{"b":1}]"#)));
    }
}
