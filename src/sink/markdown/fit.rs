//! How long a report may be.

/// What its length is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Unicode scalar values, as code hosts count comments.
    Characters,
    /// Bytes of UTF-8, as a summary of a step is counted.
    Bytes,
}

impl Measure {
    /// The length of a text.
    pub(super) fn of(self, text: &str) -> u64 {
        match self {
            Measure::Characters => text.chars().count() as u64,
            Measure::Bytes => text.len() as u64,
        }
    }
}

/// A length, and what to do with a report that is longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fit {
    /// At most so many.
    pub max: u64,
    /// Of what.
    pub measure: Measure,
    /// What comes of the rest.
    pub rest: Rest,
}

/// What comes of what has no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// It is left out, which is said.
    LeftOut,
    /// It makes another part.
    Parts,
}

/// The least length that can be asked for: the heading and one entry have room in it.
pub const FIT_MIN: u64 = 2000;

impl Fit {
    /// All of it.
    pub const NONE: Fit = Fit { max: u64::MAX, measure: Measure::Bytes, rest: Rest::LeftOut };

    /// That of a comment on GitHub, GitLab or Azure DevOps by its name, or a number.
    pub fn named(name: &str) -> Option<u64> {
        // They count a little otherwise than they say: a hundredth stays free.
        let of_host = |characters: u64| characters - characters.div_ceil(100);
        match name {
            "github" => Some(of_host(65_536)),
            "gitlab" => Some(of_host(1_000_000)),
            "azure" => Some(of_host(150_000)),
            number => number.parse().ok().filter(|number| *number >= FIT_MIN),
        }
    }
}
