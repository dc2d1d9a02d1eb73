//! The module calls around a place of the configuration.

/// The names of the module calls that were entered, the outermost first.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// The names, joined by dots.
    pub path: String,
    /// The length of the path before each name.
    lens: Vec<usize>,
}

impl Calls {
    /// Enters a module call.
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

    /// Leaves all of them.
    pub fn clear(&mut self) {
        self.lens.clear();
        self.path.clear();
    }
}
