//! Writes objects member by member into a buffer, in the given order or sorted by key.

/// The order of keys in objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keys {
    /// The order of the tools.
    #[default]
    Native,
    /// Sorted, as by `jq -S`.
    Sorted,
}

/// A buffer for JSON.
#[derive(Debug, Default)]
pub struct Json {
    pub text: Vec<u8>,
    pub keys: Keys,
    scratch: Vec<u8>,
    members: Vec<(usize, usize)>,
}

impl Json {
    pub fn new(keys: Keys) -> Json {
        Json { keys, ..Json::default() }
    }

    pub fn raw(&mut self, text: &str) {
        self.text.extend_from_slice(text.as_bytes());
    }

    /// Writes a number.
    pub fn number(&mut self, number: u64) {
        let mut digits = [0; 20];
        let mut start = digits.len();
        let mut rest = number;
        loop {
            start -= 1;
            digits[start] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.text.extend_from_slice(&digits[start..]);
    }

    /// Writes an object; `write` adds its members with [`Json::key`].
    pub fn object(&mut self, write: impl FnOnce(&mut Json)) {
        self.text.push(b'{');
        let outer = self.members.len();
        let start = self.text.len();
        write(self);
        if self.keys == Keys::Sorted {
            self.sort(outer, start);
        }
        self.members.truncate(outer);
        self.text.push(b'}');
    }

    /// Begins a member. The key must need no escapes.
    pub fn key(&mut self, key: &str) {
        if self.text.last() != Some(&b'{') {
            self.text.push(b',');
        }
        if self.keys == Keys::Sorted {
            self.members.push((self.text.len(), key.len()));
        }
        self.text.push(b'"');
        self.raw(key);
        self.raw("\":");
    }

    /// Writes a member whose value is already JSON.
    pub fn member(&mut self, key: &str, value: &str) {
        self.key(key);
        self.raw(value);
    }

    fn sort(&mut self, outer: usize, start: usize) {
        let members = &self.members[outer..];
        let key = |&(at, len): &(usize, usize)| &self.text[at + 1..at + 1 + len];
        if members.is_sorted_by(|a, b| key(a) <= key(b)) {
            return;
        }
        let ends = members.iter().skip(1).map(|&(at, _)| at - 1).chain([self.text.len()]);
        let mut spans: Vec<_> = members.iter().zip(ends).collect();
        spans.sort_by(|a, b| key(a.0).cmp(key(b.0)));
        self.scratch.clear();
        for (place, ((at, _), end)) in spans.iter().enumerate() {
            if place > 0 {
                self.scratch.push(b',');
            }
            self.scratch.extend_from_slice(&self.text[*at..*end]);
        }
        self.text.truncate(start);
        self.text.extend_from_slice(&self.scratch);
    }
}
