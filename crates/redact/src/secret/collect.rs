//! Collects the secrets of a document, before any of it is written.

use std::collections::HashSet;
use std::num::NonZeroUsize;

use super::constants::marked_constants;
use super::contained::{Contained, Texts};
use super::first_pass_index::{FirstPassIndex, IndexedRange};
use super::range_secrets::{MarkedPiece, RangeSecrets};
use super::search::{SearchResult, Searcher};
use super::set::Secrets;
use super::texts::texts_of;
use super::{EchoOf, SecretOptions};
use plansift_core::error::{Error, Result};
use plansift_core::input::Source;
use plansift_core::json::outline::Outline;
use plansift_core::json::value::{Kind, Value};
use plansift_core::pool::Queue;
use plansift_plan::marks::marked_paths::{Keyed, MarkedPaths};
use plansift_plan::marks::parts::{Declared, Parts};
pub use plansift_plan::marks::{MarkSource, Marks, Step};
use plansift_plan::plan::lookahead::Lookahead;
use plansift_plan::plan::range_queue::RANGE_LEN;
use plansift_plan::plan::{
    Accepts, Answer, Boundary, Documents, Flow, LookaheadReader, NextDocument, Piece, PieceKind,
    ReadRange, Section, StateKind, Visitor, WrongDocument,
};

/// Maximum number of module call arguments to remember. With more, the configuration is read a
/// second time.
const ARGUMENTS_MAX: usize = 1 << 16;

/// Number of secrets up to which their freed tables are left to the allocator: about 1 MiB.
const FEW_SECRETS: usize = 10_000;

/// The secrets of a document, and the paths and declarations that mark them.
#[derive(Debug)]
pub struct Collected {
    /// The digests of the secrets.
    pub secrets: Secrets,
    /// Finds texts that contain a secret. `None` if only whole texts count as echoes.
    pub contained: Option<Contained>,
    /// The variables and outputs that are declared sensitive.
    pub declared: Declared,
    /// The marked paths.
    pub marked_paths: MarkedPaths,
    /// Findings of this pass that make the second pass over the document cheaper.
    pub(crate) first_pass: FirstPassIndex,
}

impl Collected {
    /// An empty result, for a document that was not read.
    pub fn nothing(options: &SecretOptions) -> Collected {
        Collected {
            secrets: Secrets::new(options.echo_min, &options.read.limits),
            contained: None,
            declared: Declared::new(&options.read.limits),
            marked_paths: MarkedPaths::new(&options.read.limits),
            first_pass: FirstPassIndex::default(),
        }
    }
}

/// Collects the secrets of the first document of an input. `open` opens the input (see
/// [`Collecting::new`]).
///
/// # Errors
///
/// Fails if the document is unreadable or neither a plan nor a state, or if it exceeds a limit.
pub fn collect<S: Source>(
    open: impl FnMut() -> Result<S>,
    options: &SecretOptions,
) -> Result<Collected> {
    Collecting::new(open, Accepts::States).for_redaction().collect(0, options)
}

/// Collects the secrets of each document of an input, before the caller redacts or audits the
/// document.
pub struct Collecting<F, S> {
    open: F,
    accepts: Accepts,
    /// True after [`Collecting::for_redaction`].
    is_indexed: bool,
    documents: Option<Documents<S>>,
    /// A second reader of the input. It reads values again that preceded the declarations that mark
    /// them, such as the values of variables.
    again: Option<Documents<S>>,
}

/// A callback that receives each marked value with new secrets, in the order of the secrets'
/// numbers.
pub type OnFreshSecrets<'t> = &'t mut dyn FnMut(&FreshSecrets<'_, '_>);

/// A marked value with at least one secret that did not occur earlier in the document.
#[derive(Clone, Copy, Debug)]
pub struct FreshSecrets<'p, 'a> {
    /// The piece that contains the value.
    pub piece: &'p Piece<'a>,
    /// The path to the value, from the root of its subject or configuration piece.
    pub path: &'p [Step<'a>],
    /// The index of the value's side in `Subject::sides`.
    pub side: usize,
    /// The index in `Parts::identities` if the value lies in an identity of the piece.
    pub identity: Option<usize>,
    /// The offset of the value.
    pub offset: u64,
    /// The number of the first new secret. The numbers of further new secrets follow.
    pub number: u32,
}

impl<S: Source, F: FnMut() -> Result<S>> Collecting<F, S> {
    /// Creates a collector that starts before the first document. It calls `open` once, and a
    /// second time if values precede their declarations.
    pub fn new(open: F, accepts: Accepts) -> Collecting<F, S> {
        Collecting { open, accepts, is_indexed: false, documents: None, again: None }
    }

    /// Keeps findings that speed up a later redaction of the same documents
    /// ([`crate::redact::redact`]).
    pub fn for_redaction(mut self) -> Collecting<F, S> {
        self.is_indexed = true;
        self
    }

    /// Collects the secrets of the document at the offset `at`, which the reader has not passed
    /// yet.
    ///
    /// # Errors
    ///
    /// Fails if the document is unreadable or neither a plan nor a state, or if it exceeds a limit.
    pub fn collect(&mut self, at: u64, options: &SecretOptions) -> Result<Collected> {
        self.collect_with_callback(at, options, None)
    }

    fn collect_with_callback(
        &mut self,
        at: u64,
        options: &SecretOptions,
        on_fresh_secrets: Option<OnFreshSecrets<'_>>,
    ) -> Result<Collected> {
        let threads = options.read.threads.map_or(1, NonZeroUsize::get);
        // For a redaction, even a single thread parses ahead, because its results shorten the
        // second pass.
        let is_ahead = threads > 1 || self.is_indexed;
        let queue = Queue::default();
        let collected = std::thread::scope(|scope| {
            let secrets = Secrets::new(options.echo_min, &options.read.limits);
            let first_pass = self.is_indexed.then(|| FirstPassIndex::new(options));
            let marked_paths = MarkedPaths::new(&options.read.limits);
            let ahead = is_ahead.then(|| Lookahead::new(scope, &queue, Some(threads)));
            let collector = Collector {
                ahead,
                first_pass,
                pause: Pause { useless_ranges: 0, until: 0 },
                state: CollectorState {
                    secrets,
                    texts: (options.echo != EchoOf::Whole)
                        .then(|| Texts::new(options.echo_min, &options.read.limits)),
                    declared: Declared::new(&options.read.limits),
                    marked_paths,
                    configured: None,
                    arguments: HashSet::default(),
                },
                marks: options.marks(&options.read.limits),
                accepts: self.accepts,
                turn: Pass::First,
                early: EarlySections::default(),
                decoded: Vec::new(),
                outline: Outline::new(),
                on_fresh_secrets,
            };
            self.collect_with(collector, at, options)
        })?;
        // The smaller tables of many secrets would still count while the next pass takes memory.
        if collected.secrets.len() > FEW_SECRETS {
            plansift_core::allocation::return_freed();
        }
        Ok(collected)
    }

    fn collect_with(
        &mut self,
        mut collector: Collector<'_, '_>,
        at: u64,
        options: &SecretOptions,
    ) -> Result<Collected> {
        let Collecting { open, documents, again, .. } = self;
        let mut read = |documents: &mut Option<Documents<S>>, collector: &mut Collector<'_, '_>| {
            let opened = match documents.take() {
                Some(opened) => opened,
                None => Documents::new(open()?, &options.read),
            };
            let documents = documents.insert(opened);
            documents.follow(NextDocument::Document(at))?;
            documents.read(Accepts::States, collector)
        };
        read(documents, &mut collector)?;
        let Collector { early, state: CollectorState { declared, .. }, .. } = &collector;
        let awaited = EarlySections {
            variables: early.variables && declared.has_variables(),
            outputs: early.outputs && declared.has_outputs(),
            configuration: early.configuration
                || collector
                    .state
                    .configured
                    .is_some_and(|known| known < collector.state.marked_paths.attributes()),
        };
        if awaited.is_any() {
            collector.turn = Pass::Second(awaited);
            read(again, &mut collector)?;
        }
        let Collector {
            state: CollectorState { secrets, texts, declared, marked_paths, .. },
            first_pass,
            ..
        } = collector;
        let first_pass = first_pass.unwrap_or_default();
        let contained = texts.as_ref().map(|texts| Contained::new(texts, options.echo));
        Ok(Collected { secrets, contained, declared, marked_paths, first_pass })
    }

    /// Collects the secrets of the next document in `documents`. If that fails, moves `documents`
    /// past it.
    ///
    /// # Errors
    ///
    /// Fails like [`Collecting::collect`].
    ///
    /// # Panics
    ///
    /// Panics if `documents` has no document left.
    pub fn collect_before(
        &mut self,
        documents: &mut Documents<impl Source>,
        options: &SecretOptions,
        on_fresh_secrets: Option<OnFreshSecrets<'_>>,
    ) -> Result<Collected> {
        let NextDocument::Document(at) = documents.find_next() else {
            panic!("there is no document to come to");
        };
        let collected = self.collect_with_callback(at, options, on_fresh_secrets);
        if collected.is_err() {
            documents.follow(self.find_next())?;
        }
        collected
    }

    /// Determines what follows the last document, which was read or failed.
    pub fn find_next(&mut self) -> NextDocument {
        self.documents.as_mut().map_or(NextDocument::End, Documents::find_next)
    }
}

/// Binary logarithm of the longest pause of lookahead, in ranges.
const PAUSE_MAX_LOG2: u32 = 6;

/// Sections with values that preceded the declarations that may mark them as sensitive.
#[derive(Clone, Copy, Debug, Default)]
struct EarlySections {
    variables: bool,
    /// Changes to outputs without overlays.
    outputs: bool,
    /// Arguments of module calls.
    configuration: bool,
}

impl EarlySections {
    fn is_any(self) -> bool {
        self.variables || self.outputs || self.configuration
    }
}

#[derive(Clone, Copy, Debug)]
enum Pass {
    /// The first pass, over everything.
    First,
    /// A second pass, over these sections only.
    Second(EarlySections),
}

struct Collector<'scope, 't> {
    /// Lookahead workers that search for marked pieces. `None` with a single thread, and while
    /// `jumped` uses their results.
    ahead: Option<Lookahead<'scope, Searcher>>,
    first_pass: Option<FirstPassIndex>,
    pause: Pause,
    state: CollectorState,
    marks: Marks,
    accepts: Accepts,
    turn: Pass,
    early: EarlySections,
    decoded: Vec<u8>,
    /// Scratch space for pieces that are parsed again.
    outline: Outline,
    on_fresh_secrets: Option<OnFreshSecrets<'t>>,
}

/// The secrets and marks found so far.
struct CollectorState {
    secrets: Secrets,
    texts: Option<Texts>,
    declared: Declared,
    marked_paths: MarkedPaths,
    /// Number of marked attributes when the walk reached the first resource or action of the
    /// configuration. If later sections mark more, a second pass reads the configuration again.
    configured: Option<usize>,
    /// Digests of the arguments of module calls seen so far.
    arguments: HashSet<u64, Keyed>,
}

/// A pause of lookahead. Lookahead pauses after useless ranges.
struct Pause {
    /// Number of useless ranges in a row. In a useless range, the walk parsed more than half
    /// of the bytes again.
    useless_ranges: u32,
    /// The offset up to which lookahead pauses.
    until: u64,
}

impl Visitor for Collector<'_, '_> {
    fn section(&mut self, section: Section, _: &str) -> Answer {
        // The walk also enters sections without secrets, because everything that is written later
        // must be valid JSON.
        let Pass::Second(awaited) = &mut self.turn else { return Answer::Enter };
        let is_awaited = match section {
            Section::Variables => std::mem::take(&mut awaited.variables),
            Section::OutputChanges => std::mem::take(&mut awaited.outputs),
            Section::Configuration => std::mem::take(&mut awaited.configuration),
            _ => false,
        };
        match is_awaited {
            true => Answer::Enter,
            false if awaited.is_any() => Answer::Skip,
            false => Answer::Stop,
        }
    }

    fn examines_all(&self) -> bool {
        true
    }

    fn ahead(&mut self, boundary: &Boundary<'_>) -> Result<Option<ReadRange>> {
        let Collector {
            ahead,
            marks,
            state: CollectorState { secrets, marked_paths, .. },
            first_pass,
            ..
        } = self;
        let Some(ahead) = ahead.as_mut().filter(|_| boundary.offset() >= self.pause.until) else {
            return Ok(None);
        };
        Ok(ahead.find(boundary, || {
            let digests = first_pass.as_ref().map(FirstPassIndex::digests).cloned();
            Searcher::new(
                marks.like(),
                secrets.digester().clone(),
                marked_paths.digests().clone(),
                digests,
            )
        }))
    }

    fn jumped(&mut self, read: &ReadRange) -> Result<()> {
        let Some(mut ahead) = self.ahead.take() else { return Ok(()) };
        let mut is_useless = false;
        ahead.fold(|result, reader| {
            is_useless = self.add_range(read, result, reader)?;
            Ok(())
        })?;
        if is_useless {
            ahead.cancel();
        }
        self.ahead = Some(ahead);
        Ok(())
    }

    fn piece(&mut self, piece: &Piece<'_>) -> Result<Flow> {
        self.collect(piece).map(|()| Flow::Continue)
    }

    fn state(&mut self, kind: StateKind) -> Result<()> {
        match self.accepts {
            Accepts::States => Ok(()),
            Accepts::Plans => Err(Error::new(WrongDocument::from(kind))),
        }
    }
}

impl Collector<'_, '_> {
    /// Adds the secrets that a worker found in a range. Returns whether the range was useless, so
    /// that lookahead pauses.
    fn add_range(
        &mut self,
        read: &ReadRange,
        result: &SearchResult,
        reader: &LookaheadReader,
    ) -> Result<bool> {
        let SearchResult { found_secrets, unmarked, addresses, digest } = result;
        let mut read_twice = 0;
        for piece in found_secrets.pieces() {
            found_secrets.add_paths_to(piece, &mut self.state.marked_paths)?;
            if !self.add_recorded(found_secrets, piece)? {
                read_twice += piece.len();
                let mut outline = std::mem::take(&mut self.outline);
                let collect = |piece: &Piece<'_>| self.collect(piece);
                reader.read_again(piece.kind, piece.range.clone(), &mut outline, collect)?;
                self.outline = outline;
            }
        }
        let range = read.range();
        let is_useless = read_twice > (range.end - range.start) / 2;
        if is_useless {
            self.pause.useless_ranges += 1;
            self.pause.until =
                range.end + (RANGE_LEN << self.pause.useless_ranges.min(PAUSE_MAX_LOG2));
        } else {
            self.pause.useless_ranges = 0;
        }
        // If most of the range is marked, the second pass would parse most of it again.
        if let Some(first_pass) = &mut self.first_pass
            && found_secrets.bytes() <= (range.end - range.start) / 2
        {
            let pieces = found_secrets.pieces().iter();
            let marked = pieces.map(|piece| (piece.kind, piece.range.clone())).collect();
            let (addresses, unmarked) = (addresses.as_slice().into(), *unmarked);
            first_pass.push(read, IndexedRange { marked, addresses, unmarked, digest: *digest });
        }
        Ok(is_useless)
    }

    fn collect(&mut self, piece: &Piece<'_>) -> Result<()> {
        let mut parts = Parts::of(piece)?;
        let name = piece.name.unwrap_or_default();
        parts.subject.named = parts.are_declared(piece, &self.state.declared);
        match piece.kind {
            PieceKind::Variable => self.early.variables |= !self.state.declared.is_known,
            PieceKind::OutputChange => {
                self.early.outputs |= !parts.subject.named && !parts.subject.has_overlays();
            }
            PieceKind::RootDeclaration => {
                self.state.declared.is_known = true;
                if self.marks.marks_anything(parts.subject.overlays[1])? {
                    self.state.declared.insert_variable(name, piece.value.offset())?;
                }
            }
            PieceKind::Output if self.marks.marks_anything(parts.subject.overlays[1])? => {
                self.state.declared.insert_output(name, piece.value.offset())?;
            }
            PieceKind::Declaration if self.marks.marks_anything(parts.subject.overlays[1])? => {
                let offset = piece.value.offset();
                self.state.marked_paths.insert_input(piece.module, name, offset)?;
                let argument = self.state.marked_paths.digests().resource(piece.module, "", name);
                self.early.configuration |= self.state.arguments.contains(&argument);
            }
            kind if kind.is_configuration() => {
                self.state.declared.is_known = true;
                return self.constants(piece);
            }
            PieceKind::Known | PieceKind::Unknown if self.marks.has_names() => {
                return self.constants(piece);
            }
            _ => {}
        }
        parts.subject.named |= piece.kind.is_named() && self.marks.is_name(name);
        let Collector {
            state: CollectorState { secrets, texts, marked_paths, .. },
            marks,
            decoded,
            on_fresh_secrets,
            ..
        } = self;
        let (mut owner, digests) = (None, marked_paths.digests().clone());
        for (identity, subject) in parts.subjects() {
            let of = parts.owner.as_ref().filter(|_| identity.is_none());
            marks.find_placed(subject, of.map(|_| &digests), |marked| {
                if let (MarkSource::Mark, Some(of), Some(place)) = (marked.by, of, marked.digests) {
                    let owner = match owner {
                        Some(owner) => owner,
                        None => *owner.insert(digests.owner(of, decoded)?),
                    };
                    marked_paths.insert(owner, place, piece.value.offset())?;
                }
                for (side, value) in marked.sides.into_iter().enumerate() {
                    let Some(value) = value else { continue };
                    let number = secrets.len() as u32 + 1;
                    let (path, offset) = (marked.path, value.offset());
                    let fresh = FreshSecrets { piece, identity, path, side, offset, number };
                    insert(value, secrets, texts.as_mut(), decoded, (on_fresh_secrets, &fresh))?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// In a part of the configuration, records the marked constants. In a section without overlays,
    /// records the values that names mark.
    fn constants(&mut self, piece: &Piece<'_>) -> Result<()> {
        match piece.kind {
            PieceKind::ConfiguredResource | PieceKind::ConfiguredAction => {
                self.state.configured.get_or_insert(self.state.marked_paths.attributes());
            }
            PieceKind::ModuleArguments if matches!(self.turn, Pass::First) => {
                self.arguments(piece)?;
            }
            _ => {}
        }
        let Collector {
            state: CollectorState { secrets, texts, marked_paths, .. },
            marks,
            decoded,
            on_fresh_secrets,
            ..
        } = self;
        marked_constants(piece, marked_paths, marks, |constant| {
            let (number, value) = (secrets.len() as u32 + 1, constant.value);
            let (path, offset) = (constant.path, value.offset());
            let fresh = FreshSecrets { piece, identity: None, path, side: 1, offset, number };
            insert(value, secrets, texts.as_mut(), decoded, (on_fresh_secrets, &fresh))
        })
    }

    /// Records the arguments of a module call that may be constants. At this point, the
    /// declarations of the module's variables may be unread.
    fn arguments(&mut self, piece: &Piece<'_>) -> Result<()> {
        if piece.value.kind()? != Kind::Object {
            return Ok(());
        }
        for member in piece.value.members()? {
            let (key, value) = member?;
            // The key may be escaped.
            let may_be_constant = memchr::memmem::find(value.raw(), b"constant_value").is_some()
                || memchr::memchr(b'\\', value.raw()).is_some();
            if !may_be_constant {
                continue;
            }
            if self.state.arguments.len() >= ARGUMENTS_MAX {
                // Forces a second pass over the configuration.
                self.early.configuration = true;
                break;
            }
            let digest =
                self.state.marked_paths.digests().resource(piece.module, "", &key.decode()?);
            self.state.arguments.insert(digest);
        }
        Ok(())
    }

    /// Records the secrets of a piece from a worker's result. Returns `false` if the piece must be
    /// parsed again: the worker had no room for its secrets, or the caller needs the texts or
    /// locations of new secrets.
    fn add_recorded(&mut self, found_secrets: &RangeSecrets, piece: &MarkedPiece) -> Result<bool> {
        if self.state.texts.is_some() || self.on_fresh_secrets.is_some() {
            return Ok(found_secrets.is_known(piece, &self.state.secrets));
        }
        found_secrets.add_secrets_to(piece, &mut self.state.secrets)
    }
}

/// Records all texts at and below a marked path. Calls `on_fresh_secrets` with `fresh` if at least
/// one text is a new secret.
fn insert(
    value: Value<'_>,
    secrets: &mut Secrets,
    mut kept: Option<&mut Texts>,
    decoded: &mut Vec<u8>,
    (on_fresh_secrets, fresh): (&mut Option<OnFreshSecrets<'_>>, &FreshSecrets<'_, '_>),
) -> Result<()> {
    texts_of(value, secrets.echo_min(), decoded, |text, role, offset| {
        if !secrets.insert_text(text, role, offset)? {
            return Ok(());
        }
        kept.as_deref_mut().map_or(Ok(()), |kept| kept.push(text, offset))
    })?;
    if let Some(on_fresh_secrets) = on_fresh_secrets
        && secrets.len() >= fresh.number as usize
    {
        on_fresh_secrets(fresh);
    }
    Ok(())
}
