//! The length limit of a report.

/// The unit of a report's length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Unicode scalar values, as code hosts count comments.
    Characters,
    /// Bytes of UTF-8, as GitHub counts a job summary.
    Bytes,
}

impl Measure {
    pub(crate) fn of(self, text: &str) -> u64 {
        match self {
            Measure::Characters => text.chars().count() as u64,
            Measure::Bytes => text.len() as u64,
        }
    }
}

/// A length limit, and what to do with a longer report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fit {
    /// The largest length.
    pub max: u64,
    /// The unit of `max`.
    pub measure: Measure,
    /// What to do with entries beyond the limit.
    pub rest: Rest,
}

/// What to do with entries that do not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// Leave them out, and write how many there are.
    LeftOut,
    /// Write them to another part.
    Parts,
}

/// The smallest length limit. It has room for the heading and one entry.
pub const FIT_MIN: u64 = 2000;

impl Fit {
    /// No limit.
    pub const NONE: Fit = Fit { max: u64::MAX, measure: Measure::Bytes, rest: Rest::LeftOut };

    /// The hosts that [`Fit::named`] knows.
    pub const HOSTS: [&str; 3] = ["github", "gitlab", "azure"];

    /// Parses a limit: `github`, `gitlab` or `azure` for a comment on that host, or a number.
    /// Returns `None` for any other word, and for a number less than [`FIT_MIN`].
    pub fn named(name: &str) -> Option<u64> {
        // The hosts count slightly differently from their documentation, so 1 % stays free.
        let of_host = |characters: u64| characters - characters.div_ceil(100);
        match name {
            "github" => Some(of_host(65_536)),
            "gitlab" => Some(of_host(1_000_000)),
            "azure" => Some(of_host(150_000)),
            number => number.parse().ok().filter(|number| *number >= FIT_MIN),
        }
    }
}

/// Maximum number of lines of a table or list, even if there is more room.
const LINES_MAX: usize = 10_000;

/// Joins the first lines that fit into `room`. Also returns their number.
pub(crate) fn fitting(
    lines: impl Iterator<Item = String>,
    measure: Measure,
    mut room: u64,
) -> (String, usize) {
    let (mut text, mut count) = (String::new(), 0);
    for line in lines.take(LINES_MAX) {
        let Some(left) = room.checked_sub(measure.of(&line)) else { break };
        room = left;
        text += &line;
        count += 1;
    }
    (text, count)
}
