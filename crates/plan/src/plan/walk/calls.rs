//! The module calls around a position in the configuration.

/// The names of the entered module calls, outermost first.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// The names, joined by dots.
    pub path: String,
    /// The length of `path` before each name.
    lens: Vec<usize>,
}

impl Calls {
    pub fn push(&mut self, name: &str) {
        self.lens.push(self.path.len());
        if !self.path.is_empty() {
            self.path.push('.');
        }
        self.path.push_str(name);
    }

    /// Leaves the innermost module call.
    pub fn pop(&mut self) {
        if let Some(len) = self.lens.pop() {
            self.path.truncate(len);
        }
    }

    pub fn clear(&mut self) {
        self.lens.clear();
        self.path.clear();
    }
}
