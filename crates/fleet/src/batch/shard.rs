//! Splits the inputs into shards, so that several machines can share a batch.

use std::fmt;

use crate::source::SourceFault;
use plansift_core::error::{Error, Result};

/// One of `count` shards. A digest of an input's name decides its shard. So the shard is the same
/// on every machine and does not depend on the other inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// The number of this shard, from 1.
    pub number: u32,
    /// The number of shards.
    pub count: u32,
}

impl Shard {
    /// The maximum number of shards.
    pub const COUNT_MAX: u32 = 10_000;

    /// Parses a shard such as `2/8`.
    ///
    /// # Errors
    ///
    /// Fails with [`SourceFault::Pattern`] if the text is malformed or a number is out of range.
    pub fn parse(text: &str) -> Result<Shard> {
        let number = |text: &str| text.bytes().all(|it| it.is_ascii_digit()).then(|| text.parse());
        let parts = text.split_once('/').map(|(left, right)| (number(left), number(right)));
        match parts {
            Some((Some(Ok(number)), Some(Ok(count))))
                if (1..=count).contains(&number) && count <= Shard::COUNT_MAX =>
            {
                Ok(Shard { number, count })
            }
            _ => Err(Error::new(SourceFault::Pattern)),
        }
    }

    /// Whether an input belongs to this shard, by the bytes of its name as the user gave it.
    pub fn holds(self, source: &[u8]) -> bool {
        let mut first = [0; 8];
        first.copy_from_slice(&blake3::hash(source).as_bytes()[..8]);
        u64::from_le_bytes(first) % u64::from(self.count) == u64::from(self.number - 1)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_parsed_and_printed_as_number_slash_count() {
        for text in ["1/1", "2/8", "8/8", "10000/10000"] {
            assert_eq!(Shard::parse(text).expect("a part").to_string(), text);
        }
        for bad in
            ["", "1", "/", "0/2", "3/2", "1/0", "-1/2", "+1/2", "1/2/3", "1/10001", "1/4294967296"]
        {
            let error = Shard::parse(bad).unwrap_err();
            assert_eq!(error.fault(), Some(&SourceFault::Pattern), "{bad}");
        }
    }

    #[test]
    fn every_input_has_exactly_one_stable_shard() {
        let sources: Vec<String> = (0..1000).map(|number| format!("plans/{number}.json")).collect();
        let mut parts = [0; 4];
        for source in &sources {
            let holds = |number: &u32| Shard { number: *number, count: 4 }.holds(source.as_bytes());
            let found: Vec<u32> = (1..=4).filter(holds).collect();
            assert_eq!(found.len(), 1, "{source}");
            parts[found[0] as usize - 1] += 1;
        }
        assert!(parts.iter().all(|&part| part > 200), "{parts:?}");
        // All machines and all versions must choose the same shard.
        let number = |source: &str| {
            let holds = |number: &u32| Shard { number: *number, count: 9 }.holds(source.as_bytes());
            (1..=9).find(holds).unwrap_or_default()
        };
        assert_eq!(["a.json", "live/prod/plan.json", "-"].map(number), [8, 6, 6]);
    }
}
