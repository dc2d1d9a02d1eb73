//! Finds the patterns of rules and filters that match nothing in any plan. Such a pattern may
//! contain a typo.
//!
//! [`UnmatchedPatterns`] compares every resource, including unchanged ones, until each pattern has
//! matched once. After that, or without patterns, it costs one comparison for each resource. To
//! suggest a similar name ("did you mean"), it keeps a sample of each kind of name. The samples do
//! not depend on the number of threads.

mod named;
mod samples;
mod shown;
mod walk;

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::{Display, Formatter};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use self::samples::Seen;
use self::shown::Shown;
use self::walk::walk;
use super::viewer::Viewer;
use crate::plan::{ResourceChange, ResourceName};
use plansift_core::json::value::{Text, Value};
use plansift_core::nearest::{Sample, nearest_address};
use plansift_core::path::{self, AddressPattern, Paths, module_address, split_exact, without_keys};
use plansift_core::text_document::{TextDocument, Unread};

pub use self::named::{Named, NamedKind};

/// Maximum length of a path that is compared, in bytes. A longer path counts as a match of every
/// pattern.
const PATH_MAX: usize = 1024;

/// A set of patterns, and whether each has matched.
#[derive(Debug, Default)]
pub struct UnmatchedPatterns {
    watched: Vec<Watched>,
    /// Number of patterns for resources that have not matched yet.
    open: AtomicUsize,
    seen: Mutex<Seen>,
    /// Whether patterns are compared with names as a viewer shows them.
    is_of_shown: bool,
}

#[derive(Debug)]
struct Watched {
    /// The argument as the user wrote it.
    argument: String,
    named: Named,
    has_matched: AtomicBool,
    /// Whether the pattern is for managed resources and has matched another resource.
    has_matched_unmanaged: AtomicBool,
    /// Whether the run fails if the pattern matches nothing.
    is_required: bool,
}

impl Watched {
    /// Whether the pattern is compared with resources.
    fn is_of_resources(&self) -> bool {
        !matches!(self.named, Named::NonResource(..))
    }
}

/// A resource in a document, with the parts that patterns can name.
#[derive(Clone, Copy, Debug, Default)]
pub struct Resource<'a> {
    /// The address.
    pub address: Option<Text<'a>>,
    /// The type.
    pub type_name: Option<Text<'a>>,
    /// The mode, such as `data`. A resource without a mode is managed.
    pub mode: Option<Text<'a>>,
    /// The address of the module, if the document has it apart from the address.
    pub module_address: Option<Text<'a>>,
    /// The values before and after the change, and `after_unknown`. Unknown attributes are only in
    /// `after_unknown`.
    pub values: [Option<Value<'a>>; 3],
    /// True if the whole resource is secret, including the names of its attributes.
    pub is_secret: bool,
    /// The sorted paths of secret values, none below another. Documents in these strings are not
    /// read.
    pub sensitive: Option<&'a Paths>,
}

impl<'a> Resource<'a> {
    /// Returns the resource of a change.
    pub fn of(change: &ResourceChange<'a>) -> Resource<'a> {
        let ResourceChange {
            address,
            resource: ResourceName { type_name, mode, .. },
            module_address,
            change,
            ..
        } = change;
        Resource {
            address: *address,
            type_name: *type_name,
            mode: *mode,
            module_address: *module_address,
            values: [change.before, change.after, change.after_unknown],
            is_secret: is_whole_mark(change.before_sensitive)
                || is_whole_mark(change.after_sensitive),
            sensitive: None,
        }
    }
}

/// Whether an overlay marks the whole resource as sensitive.
pub(super) fn is_whole_mark(overlay: Option<Value<'_>>) -> bool {
    overlay.is_some_and(|overlay| !matches!(overlay.raw(), [b'{' | b'f' | b'n', ..]))
}

/// The explanation of a pattern for resources.
const NO_RESOURCE: &str = "no resource has such an address, type or module";

/// A pattern that matched nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmatched<'w> {
    /// The argument as the user wrote it.
    pub argument: &'w str,
    /// The explanation: a clause that says what the plans lack.
    pub what: &'static str,
    /// The most similar name in the plans; `None` if no name is similar.
    pub near: Option<String>,
    /// Whether the run fails because of this pattern.
    pub fails: bool,
}

impl UnmatchedPatterns {
    /// Creates a set of patterns, each with the argument that contains it. A pattern that is a set
    /// of types has no typo, so nothing is said about it.
    pub fn new(patterns: impl IntoIterator<Item = (String, Named)>) -> UnmatchedPatterns {
        let watched = |(argument, named)| Watched {
            argument,
            named,
            has_matched: AtomicBool::new(false),
            has_matched_unmanaged: AtomicBool::new(false),
            is_required: false,
        };
        let patterns = patterns.into_iter().filter(|(_, named)| !named.is_set());
        let watched: Vec<Watched> = patterns.map(watched).collect();
        let open = watched.iter().filter(|watched| watched.is_of_resources()).count();
        let open = AtomicUsize::new(open);
        UnmatchedPatterns { watched, open, ..UnmatchedPatterns::default() }
    }

    /// Compares the patterns with names as the viewer of a run shows them: secrets are masked, and
    /// hidden characters are visible. A pattern then does not tell what a masked name is. A pattern
    /// matches no path below a secret value. A pattern into a document matches every document in
    /// that string. Without a viewer, every pattern matches.
    pub fn as_shown(self) -> UnmatchedPatterns {
        UnmatchedPatterns { is_of_shown: true, ..self }
    }

    /// Whether patterns are compared with names as a viewer shows them.
    pub fn are_of_shown(&self) -> bool {
        self.is_of_shown
    }

    /// Requires the patterns of some arguments to match: the run fails if one matches nothing.
    pub fn require(mut self, is_required: impl Fn(&str) -> bool) -> UnmatchedPatterns {
        for watched in &mut self.watched {
            watched.is_required = is_required(&watched.argument);
        }
        self
    }

    /// Whether a pattern for resources has not matched yet.
    pub fn is_open(&self) -> bool {
        self.open.load(Ordering::Relaxed) > 0
    }

    /// Compares a resource with the patterns. `reported` are the paths that its record contains.
    /// `viewer` shows the names after [`UnmatchedPatterns::as_shown`].
    pub fn see(
        &self,
        resource: &Resource<'_>,
        reported: &[&Paths],
        viewer: Option<&(dyn Viewer + '_)>,
    ) {
        if !self.is_open() {
            return;
        }
        let Some(shown) = self.shown(viewer) else {
            return self
                .watched
                .iter()
                .filter(|it| it.is_of_resources())
                .for_each(|it| self.matched(it));
        };
        let decoded =
            |text: Option<Text<'_>>| text.and_then(|text| text.decode().ok()).unwrap_or_default();
        let address = decoded(resource.address);
        let module = match resource.module_address {
            Some(module) => decoded(Some(module)),
            None => module_address(&address).to_owned(),
        };
        let [address, type_name, module] =
            [address, decoded(resource.type_name), module].map(|name| shown.name(name));
        let is_managed = resource.mode.is_none_or(|mode| mode.is("managed"));
        let names = Names { address, type_name, module, is_managed };
        let (mut paths, mut documents) = (Vec::new(), Vec::new());
        for watched in self.watched.iter().filter(|it| !it.has_matched.load(Ordering::Relaxed)) {
            match &watched.named {
                Named::Path(path, resources) => {
                    if resources.as_ref().is_none_or(|pattern| names.are_covered(pattern)) {
                        let list = if path.is_of_documents() { &mut documents } else { &mut paths };
                        list.push((watched, path));
                    }
                }
                Named::Attribute(path) => paths.push((watched, path)),
                named => {
                    if names.are_named(named) {
                        self.matched(watched);
                    } else if let Named::Managed(pattern) = named
                        && names.are_covered(pattern)
                    {
                        watched.has_matched_unmanaged.store(true, Ordering::Relaxed);
                    }
                }
            }
        }
        let secret = resource.sensitive.filter(|_| shown.are_masked() || !documents.is_empty());
        let marked = secret.map(|secret| shown.paths(secret, None)).unwrap_or_default();
        let marked: HashSet<String> = marked.iter().map(|path| path.to_string()).collect();
        let reported: Vec<Cow<'_, Paths>> =
            reported.iter().map(|paths| shown.paths(paths, secret)).collect();
        let shown = walk::Paths { shown, marked: &marked };
        if !paths.is_empty() {
            self.see_paths(&paths, resource, &reported, shown);
        }
        if !documents.is_empty() {
            self.see_documents(&documents, resource, shown);
        }
        self.sample(&names, resource, &reported, shown);
    }

    /// Returns how names are compared; `None` if the names that the viewer shows are not known.
    fn shown<'v>(&self, viewer: Option<&'v (dyn Viewer + 'v)>) -> Option<Shown<'v>> {
        match self.is_of_shown {
            true => viewer.map(|viewer| Shown(Some(viewer))),
            false => Some(Shown(None)),
        }
    }

    /// Compares the path of an attribute in a report with the patterns for such attributes.
    pub fn see_attribute(&self, path: &str) {
        if !self.is_open() {
            return;
        }
        for watched in self.watched.iter().filter(|it| !it.has_matched.load(Ordering::Relaxed)) {
            if let Named::Attribute(pattern) = &watched.named
                && pattern.covers(path)
            {
                self.matched(watched);
            }
        }
    }

    /// Compares a row of a report that is not a resource with the patterns for rows. `parts` holds
    /// its address, its type and the address of its module.
    pub fn see_row(&self, parts: [Option<&str>; 3]) {
        if !self.is_open() {
            return;
        }
        let [address, type_name, module] = parts.map(|part| part.unwrap_or_default().to_owned());
        let names = Names { address, type_name, module, is_managed: false };
        for watched in self.watched.iter().filter(|it| !it.has_matched.load(Ordering::Relaxed)) {
            if matches!(watched.named, Named::Row(_)) && names.are_named(&watched.named) {
                self.matched(watched);
            }
        }
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.rows.add(&without_keys(&names.address));
    }

    /// Compares a thing that is not a resource with the patterns. `names` holds its name or
    /// address, and its type. `viewer` as in [`UnmatchedPatterns::see`].
    pub fn see_thing(
        &self,
        thing: NamedKind,
        names: [Option<&str>; 2],
        viewer: Option<&(dyn Viewer + '_)>,
    ) {
        let watched = self.watched.iter().filter_map(|watched| match &watched.named {
            Named::NonResource(of, pattern) if *of == thing => Some((watched, pattern)),
            _ => None,
        });
        let mut watched = watched.peekable();
        if watched.peek().is_none() {
            return;
        }
        let Some(shown) = self.shown(viewer) else {
            return watched.for_each(|(watched, _)| self.matched(watched));
        };
        let names = names.into_iter().flatten().map(|name| shown.name(name.to_owned()));
        let names: Vec<String> = names.collect();
        for (watched, pattern) in watched {
            if names.iter().any(|name| pattern.covers(name)) {
                self.matched(watched);
            }
        }
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let sample = &mut seen.things[thing as usize];
        names.iter().for_each(|name| sample.add(&without_keys(name)));
    }

    fn see_paths(
        &self,
        patterns: &[(&Watched, &path::Pattern)],
        resource: &Resource<'_>,
        reported: &[Cow<'_, Paths>],
        shown: walk::Paths<'_>,
    ) {
        for path in reported.iter().flat_map(|paths| paths.iter()) {
            let path = path.to_string();
            let covering = patterns.iter().filter(|(_, pattern)| pattern.covers(&path));
            covering.for_each(|(watched, _)| self.matched(watched));
        }
        for value in resource.values.into_iter().flatten() {
            // A malformed value is ignored here; the code that uses the value reports it.
            let _ = walk(value, Default::default(), shown, |at| {
                let texts = at.texts;
                let is_long = texts[0].len() > PATH_MAX;
                for (watched, pattern) in patterns {
                    if is_long || names(pattern, texts) {
                        self.matched(watched);
                    }
                }
                !is_long && patterns.iter().any(|(it, _)| !it.has_matched.load(Ordering::Relaxed))
            });
        }
    }

    /// Compares the documents in strings with patterns that lead into them. A document that cannot
    /// be parsed counts as a match, and so does a marked string, which is not read. If a viewer
    /// masks names, no document is read, because the keys in it may be secret. A pattern that
    /// leads into further documents matches any document in the outermost string.
    fn see_documents(
        &self,
        patterns: &[(&Watched, &path::Pattern)],
        resource: &Resource<'_>,
        shown: walk::Paths<'_>,
    ) {
        let is_open = |watched: &Watched| !watched.has_matched.load(Ordering::Relaxed);
        for value in resource.values.into_iter().flatten() {
            // As in `see_paths`.
            let _ = walk(value, Default::default(), shown, |at| {
                let Some(string) = at.string else { return true };
                let entered: Vec<_> = patterns
                    .iter()
                    .filter(|(watched, pattern)| is_open(watched) && pattern.enters(at.texts[0]))
                    .collect();
                if entered.is_empty() {
                    return true;
                }
                let compare = |texts: [&str; 2]| {
                    let named = entered.iter().filter(|(_, pattern)| {
                        let is_nested = path::document_strings(pattern.text()).len() > 1;
                        is_nested || names(pattern, texts)
                    });
                    named.for_each(|(watched, _)| self.matched(watched));
                };
                let is_unread = shown.shown.are_masked()
                    || at.texts[0].len() > PATH_MAX
                    || at.prefixes().any(|it| shown.marked.contains(it));
                let text = if is_unread { None } else { string.text().ok() };
                match text.map_or(Err(Unread), |text| TextDocument::decoded(text.as_bytes())) {
                    Ok(None) => {}
                    Err(Unread) => entered.iter().for_each(|(watched, _)| self.matched(watched)),
                    Ok(Some(mut document)) => {
                        let decoder = document.syntax.decoder();
                        let [one, other] = at.texts.map(|path| format!("{decoder}({path})"));
                        compare([&one, &other]);
                        let _ = walk(document.value(), [one, other], shown, |at| {
                            compare(at.texts);
                            true
                        });
                    }
                }
                patterns.iter().any(|(watched, _)| is_open(watched))
            });
        }
    }

    fn matched(&self, watched: &Watched) {
        if !watched.has_matched.swap(true, Ordering::Relaxed) && watched.is_of_resources() {
            self.open.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Adds the names of a resource to the samples.
    fn sample(
        &self,
        names: &Names,
        resource: &Resource<'_>,
        reported: &[Cow<'_, Paths>],
        shown: walk::Paths<'_>,
    ) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let Names { address, type_name, module, is_managed } = names;
        seen.add_resource(*is_managed, [type_name, module, address]);
        // An attribute of a secret resource is secret, too.
        if !resource.is_secret && !shown.marked.contains("") {
            reported.iter().for_each(|paths| seen.add_paths(paths));
            resource.values.into_iter().flatten().for_each(|value| {
                seen.add_attributes(value, shown.shown);
            });
        }
    }

    /// Returns the patterns that matched nothing, in the order of the arguments.
    pub fn unmatched(&self) -> Vec<Unmatched<'_>> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let open = self.watched.iter().filter(|it| !it.has_matched.load(Ordering::Relaxed));
        open.map(|watched| {
            let Watched { argument, named, is_required: fails, has_matched_unmanaged, .. } =
                watched;
            let fails = *fails;
            if has_matched_unmanaged.load(Ordering::Relaxed) {
                let what = "no managed resource has such an address, type or module";
                return Unmatched { argument, what, near: None, fails };
            }
            let (what, text, mut samples) = match named.of_row() {
                Named::Resource(it) => {
                    let all = [seen.managed.all(), seen.others.all()];
                    (NO_RESOURCE, it.text(), all.concat())
                }
                Named::Managed(it) => (NO_RESOURCE, it.text(), seen.managed.all().to_vec()),
                Named::Address(it) => {
                    let addresses = seen.of_resources(|names| &names.addresses);
                    ("no resource has such an address", it.text(), addresses)
                }
                Named::Type(it) => {
                    let types = seen.of_resources(|names| &names.types);
                    ("no resource has such a type", it.text(), types)
                }
                Named::Module(it) => {
                    let modules = seen.of_resources(|names| &names.modules);
                    ("no resource is in such a module", it.text(), modules)
                }
                Named::Path(it, _) if it.is_of_documents() => {
                    let what = "no document in a string has such a value";
                    (what, split_exact(it.text()).0, vec![])
                }
                Named::Path(it, place) => {
                    let what = match place {
                        None => "no resource has such an attribute",
                        Some(_) => "none of these resources has such an attribute",
                    };
                    (what, split_exact(it.text()).0, vec![&seen.paths])
                }
                Named::Attribute(it) => {
                    let text = split_exact(it.text()).0;
                    ("no resource has such an attribute", text, vec![&seen.paths])
                }
                Named::NonResource(thing, it) => {
                    (thing.no_match(), it.text(), vec![&seen.things[*thing as usize]])
                }
                Named::Row(_) => unreachable!("a row names something else"),
            };
            if matches!(named, Named::Row(_)) {
                samples.push(&seen.rows);
            }
            if let Named::Path(..) | Named::Attribute(_) = named.of_row()
                && let Some(string) = seen.string_above(text)
            {
                let what = "this path leads into a string";
                return Unmatched { argument, what, near: Some(string.to_owned()), fails };
            }
            let known = samples.into_iter().flat_map(Sample::names);
            let mut known: Vec<&str> = known.collect();
            known.sort_unstable();
            let near = nearest_address(&without_keys(text), &known);
            Unmatched { argument, what, near, fails }
        })
        .collect()
    }
}

impl Unmatched<'_> {
    /// Returns a sentence about the pattern. `quote` quotes the rule or the option, and the name
    /// from the plan.
    pub fn sentence(&self, quote: impl Fn(&str) -> String) -> String {
        let Unmatched { argument, what, near, .. } = self;
        let (word, quoted) = match argument.strip_prefix("rule ") {
            Some(rule) => ("Rule ", rule),
            None => ("", *argument),
        };
        let end = near.as_ref().map(|near| format!(": did you mean {}?", quote(near)));
        let end = end.unwrap_or_else(|| ".".to_owned());
        format!("{word}{} matches nothing, {what}{end}", quote(quoted))
    }
}

impl Display for Unmatched<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let Unmatched { argument, what, near, .. } = self;
        write!(f, "{argument} matches nothing, {what}")?;
        near.as_ref().map_or(Ok(()), |near| write!(f, ": did you mean {near}?"))
    }
}

struct Names {
    address: String,
    type_name: String,
    module: String,
    is_managed: bool,
}

impl Names {
    fn are_covered(&self, pattern: &AddressPattern) -> bool {
        pattern.covers(&self.address) || pattern.covers(&self.type_name)
    }

    fn are_named(&self, named: &Named) -> bool {
        match named {
            Named::Resource(pattern) => self.are_covered(pattern),
            Named::Managed(pattern) => self.is_managed && self.are_covered(pattern),
            Named::Address(pattern) => pattern.covers(&self.address),
            Named::Type(pattern) => pattern.covers(&self.type_name),
            Named::Module(pattern) => pattern.covers(&self.module),
            Named::Row(named) => self.are_named(named),
            Named::Path(..) | Named::Attribute(_) | Named::NonResource(..) => false,
        }
    }
}

/// Whether a pattern matches a path. The array holds the path with list indexes, and without.
fn names(pattern: &path::Pattern, [whole, without]: [&str; 2]) -> bool {
    pattern.globs().any(|glob| {
        glob.matches(whole.as_bytes())
            || (pattern.skips_places() && glob.matches(without.as_bytes()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_viewer_no_pattern_tells_a_name() {
        let named = |pattern| AddressPattern::parse(pattern).expect("a pattern");
        let patterns = || {
            let named =
                [Named::Resource(named("a.*")), Named::NonResource(NamedKind::Output, named("o"))];
            UnmatchedPatterns::new(named.map(|named| ("rule".to_owned(), named)))
        };
        for (patterns, unmatched) in [(patterns(), 2), (patterns().as_shown(), 0)] {
            patterns.see(&Resource::default(), &[], None);
            patterns.see_thing(NamedKind::Output, [Some("p"), None], None);
            assert_eq!(patterns.unmatched().len(), unmatched);
            assert_eq!(patterns.is_open(), unmatched > 0);
        }
    }
}
