//! Random bytes from a seed.

use sha2::{Digest, Sha256};

/// Random bytes without an end, the same for the same seed.
pub(super) struct ByteStream {
    seed: [u8; 32],
    block: [u8; 32],
    number: u64,
    at: usize,
}

impl ByteStream {
    pub(super) fn new(seed: [u8; 32]) -> Self {
        ByteStream {
            seed,
            block: [0; 32],
            number: 0,
            at: 32,
        }
    }

    pub(super) fn byte(&mut self) -> u8 {
        if self.at >= self.block.len() {
            let mut hash = Sha256::new();
            hash.update(self.seed);
            hash.update(self.number.to_be_bytes());
            self.block = hash.finalize().into();
            self.number += 1;
            self.at = 0;
        }
        let byte = self.block.get(self.at).copied().unwrap_or_default();
        self.at += 1;
        byte
    }

    /// A number below this one. The small numbers are hardly more frequent.
    pub(super) fn below(&mut self, count: u32) -> u32 {
        let bytes = [self.byte(), self.byte(), self.byte(), self.byte()];
        u32::from_be_bytes(bytes) % count.max(1)
    }

    /// A digit from this one on.
    pub(super) fn digit(&mut self, least: u32) -> char {
        let digit = least + self.below(10 - least);
        char::from_digit(digit, 10).unwrap_or('0')
    }

    /// One of these characters.
    pub(super) fn one_of(&mut self, chars: &[u8]) -> char {
        let count = u32::try_from(chars.len()).unwrap_or(u32::MAX);
        let at = usize::try_from(self.below(count)).unwrap_or(0);
        chars.get(at).copied().map_or('x', char::from)
    }
}
