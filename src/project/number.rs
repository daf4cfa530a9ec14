//! The hash of numbers that no file chooses.

use std::hash::Hasher;

/// A number itself, spread.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Number(u64);

impl Number {
    fn add(&mut self, number: u64) {
        // 2^64 divided by the golden ratio.
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

impl Hasher for Number {
    fn finish(&self) -> u64 {
        // Tables take the lowest bits, which multiplication spreads least.
        self.0.rotate_left(26)
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.add(u64::from(*byte)));
    }
    fn write_u32(&mut self, number: u32) {
        self.add(u64::from(number));
    }
    fn write_usize(&mut self, number: usize) {
        self.add(number as u64);
    }
}
