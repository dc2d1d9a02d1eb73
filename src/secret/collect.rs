//! The secrets of a document, read from it before anything of it is written.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::ops::Range;

use super::constants::marked_constants;
use super::contained::{Contained, Texts};
use super::learned::{Learned, LearnedPiece};
use super::marks::{By, Marks, Step};
use super::parts::{Declared, Parts};
use super::places::Places;
use super::search::{Searched, Searcher};
use super::set::Secrets;
use super::survey::{Keyed, Survey, Surveyed};
use super::texts::{Role, texts_of};
use super::{EchoOf, Options};
use crate::error::{Error, ErrorKind, Result, WrongDocument};
use crate::input::Source;
use crate::json::outline::Outline;
use crate::json::value::{Kind, Value};
use crate::plan::piece_crew::PieceCrew;
use crate::plan::read_ahead::STRETCH;
use crate::plan::{
    Answer, Documents, Next, Piece, PieceFrontier, PieceKind, PieceStretch, PieceVisitor,
    ResourceGlance, Section, Unchanged,
};
use crate::pool::Queue;

/// As many arguments of module calls are remembered. Of more, the configuration is read again.
const ARGUMENTS_MAX: usize = 1 << 16;

/// What a document says of its secrets.
#[derive(Debug)]
pub struct Collected {
    /// Their digests.
    pub secrets: Secrets,
    /// What tells texts that contain one of them, if that was asked for.
    pub contained: Option<Contained>,
    /// What is declared sensitive.
    pub declared: Declared,
    /// The places that are marked.
    pub places: Places,
    /// What is known of the document for another reading.
    pub(crate) survey: Survey,
}

impl Collected {
    /// What is known of a document that was not read.
    pub fn nothing(options: &Options) -> Collected {
        Collected {
            secrets: Secrets::new(options.echo_min, &options.read.limits),
            contained: None,
            declared: Declared::new(&options.read.limits),
            places: Places::new(&options.read.limits),
            survey: Survey::default(),
        }
    }
}

/// Reads the first document of an input for its secrets, before all of it is redacted. `open` opens
/// it, as for [`Collecting`].
///
/// # Errors
///
/// The document cannot be read, is neither a plan nor a state, or passes a limit.
pub fn collect<S: Source>(open: impl FnMut() -> Result<S>, options: &Options) -> Result<Collected> {
    Collecting::new(open, Takes::All).for_redaction().collect(0, options)
}

/// What is read for its secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Plans and states.
    All,
    /// Plans; a state is an error.
    Plans,
}

/// Reads the documents of an input for their secrets, each before it is read for what is in it.
pub struct Collecting<F, S> {
    open: F,
    takes: Takes,
    /// See [`Collecting::for_redaction`].
    surveys: bool,
    documents: Option<Documents<S>>,
    /// For what comes before its declarations in the same documents, as variables do.
    again: Option<Documents<S>>,
}

/// Who is told where each secret was met for the first time, in the order of their numbers.
pub type Tell<'t> = &'t mut dyn FnMut(&Fresh<'_, '_>);

/// A marked value in which secrets were met for the first time.
#[derive(Clone, Copy, Debug)]
pub struct Fresh<'p, 'a> {
    /// The piece it stands in.
    pub piece: &'p Piece<'a>,
    /// The way to it, as the overlay has it: from the root of the value that it marks.
    pub path: &'p [Step<'a>],
    /// Which of the values of its subject it stands in ([`Subject::sides`](super::marks::Subject)).
    pub side: usize,
    /// Where it is no such value: which of the identities of its piece it stands in
    /// ([`Parts::identities`]).
    pub identity: Option<usize>,
    /// Where it stands.
    pub offset: u64,
    /// The number of the first of those secrets; the others follow it.
    pub number: u32,
}

impl<S: Source, F: FnMut() -> Result<S>> Collecting<F, S> {
    /// Before the first document. `open` opens the input: once, and once more where something comes
    /// before its declaration.
    pub fn new(open: F, takes: Takes) -> Collecting<F, S> {
        Collecting { open, takes, surveys: false, documents: None, again: None }
    }

    /// The same, where all of the documents is written without their secrets afterwards
    /// ([`crate::redact::redact`]): what is found is kept for that.
    pub fn for_redaction(mut self) -> Collecting<F, S> {
        self.surveys = true;
        self
    }

    /// Reads the document at an offset, which is not passed yet.
    ///
    /// # Errors
    ///
    /// The document cannot be read, is neither a plan nor a state, or passes a limit.
    pub fn collect(&mut self, at: u64, options: &Options) -> Result<Collected> {
        self.collect_and_tell(at, options, None)
    }

    fn collect_and_tell(
        &mut self,
        at: u64,
        options: &Options,
        tell: Option<Tell<'_>>,
    ) -> Result<Collected> {
        let threads = options.read.threads.map_or(1, NonZeroUsize::get);
        // One thread alone reads ahead for the sake of the second reading, which has less to do.
        let is_ahead = threads > 1 || self.surveys;
        let desk = Queue::new();
        std::thread::scope(|scope| {
            let secrets = Secrets::new(options.echo_min, &options.read.limits);
            let survey = self.surveys.then(|| Survey::new(options));
            let places = Places::new(&options.read.limits);
            let ahead = is_ahead.then(|| {
                let (names, digester) = (options.names.clone(), secrets.digester().clone());
                let (of_places, digests) =
                    (places.digests().clone(), survey.as_ref().map(Survey::digests).cloned());
                let limits = options.read.limits;
                let hire = move || {
                    let (marks, digester) = (Marks::new(names.clone(), &limits), digester.clone());
                    Searcher::new(marks, digester, of_places.clone(), digests.clone())
                };
                PieceCrew::new(scope, &desk, threads, hire)
            });
            let collector = Collector {
                ahead,
                survey,
                vain: 0,
                alone_to: 0,
                secrets,
                texts: (options.echo == EchoOf::Part)
                    .then(|| Texts::new(options.echo_min, &options.read.limits)),
                declared: Declared::new(&options.read.limits),
                places,
                configured: None,
                arguments: HashSet::default(),
                marks: Marks::new(options.names.clone(), &options.read.limits),
                takes: self.takes,
                turn: Turn::First,
                early: Early::default(),
                decoded: Vec::new(),
                outline: Outline::new(),
                tell,
            };
            self.collect_with(collector, at, options)
        })
    }

    fn collect_with(
        &mut self,
        mut collector: Collector<'_, '_, '_>,
        at: u64,
        options: &Options,
    ) -> Result<Collected> {
        let Collecting { open, documents, again, .. } = self;
        let mut read = |documents: &mut Option<Documents<S>>,
                        collector: &mut Collector<'_, '_, '_>| {
            let opened = match documents.take() {
                Some(opened) => opened,
                None => Documents::new(open()?, &options.read),
            };
            let documents = documents.insert(opened);
            documents.follow(Next::Document(at))?;
            documents.read_pieces(collector)
        };
        read(documents, &mut collector)?;
        let Collector { early, declared, .. } = &collector;
        let awaited = Early {
            variables: early.variables && declared.has_variables(),
            outputs: early.outputs && declared.has_outputs(),
            configuration: early.configuration
                || collector.configured.is_some_and(|known| known < collector.places.attributes()),
        };
        if awaited.is_any() {
            collector.turn = Turn::Second(awaited);
            read(again, &mut collector)?;
        }
        let Collector { secrets, texts, declared, places, survey, .. } = collector;
        let survey = survey.unwrap_or_default();
        let contained = texts.as_ref().map(Contained::new);
        Ok(Collected { secrets, contained, declared, places, survey })
    }

    /// The same for the document that others come to next. Where it fails, they pass it.
    ///
    /// # Errors
    ///
    /// As [`Collecting::collect`].
    ///
    /// # Panics
    ///
    /// There is no next one.
    pub fn collect_before(
        &mut self,
        documents: &mut Documents<impl Source>,
        options: &Options,
        tell: Option<Tell<'_>>,
    ) -> Result<Collected> {
        let Next::Document(at) = documents.find_next() else {
            panic!("there is no document to come to");
        };
        let collected = self.collect_and_tell(at, options, tell);
        if collected.is_err() {
            documents.follow(self.find_next())?;
        }
        collected
    }

    /// What follows the document that was read, or failed.
    pub fn find_next(&mut self) -> Next {
        self.documents.as_mut().map_or(Next::End, Documents::find_next)
    }
}

/// The longest way that the walk goes alone, where most of a stretch was read twice, is this power
/// of two of stretches.
const ALONE_MAX: u32 = 6;

/// What came before it was known what of it is sensitive.
#[derive(Clone, Copy, Debug, Default)]
struct Early {
    variables: bool,
    /// Changes to outputs, without overlays.
    outputs: bool,
    /// Arguments of module calls.
    configuration: bool,
}

impl Early {
    fn is_any(self) -> bool {
        self.variables || self.outputs || self.configuration
    }
}

#[derive(Clone, Copy, Debug)]
enum Turn {
    /// Everything is read.
    First,
    /// Everything was read; now that alone is.
    Second(Early),
}

struct Collector<'scope, 'env, 't> {
    /// Those who look ahead for what is marked; out of its place only while they tell of it.
    ahead: Option<PieceCrew<'scope, 'env, Searcher, Searched>>,
    survey: Option<Survey>,
    /// How many stretches in a row were of no use, and up to where none are read ahead therefore.
    vain: u32,
    alone_to: u64,
    secrets: Secrets,
    texts: Option<Texts>,
    declared: Declared,
    places: Places,
    /// How many attributes were marked when the first resource or action of the configuration was
    /// met.
    configured: Option<usize>,
    /// Digests of the arguments of module calls that were met.
    arguments: HashSet<u64, Keyed>,
    marks: Marks,
    takes: Takes,
    turn: Turn,
    early: Early,
    decoded: Vec<u8>,
    /// Where pieces are outlined that are read again.
    outline: Outline,
    tell: Option<Tell<'t>>,
}

impl PieceVisitor for Collector<'_, '_, '_> {
    fn section(&mut self, section: Section, _: &str) -> Answer {
        if let Some(ahead) = &mut self.ahead {
            ahead.recall();
        }
        // Also where no secrets are: what is written afterwards is held to be JSON.
        let Turn::Second(awaited) = &mut self.turn else { return Answer::Enter };
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

    fn unchanged(&mut self, unchanged: &Unchanged<'_>, _: Range<u64>) -> bool {
        self.marks.is_quiet_change(unchanged)
    }

    fn resource(&mut self, resource: &ResourceGlance<'_>, _: Range<u64>) -> bool {
        self.marks.is_quiet_resource(resource.sensitive_values)
    }

    fn ahead(&mut self, frontier: &PieceFrontier<'_>) -> Option<PieceStretch> {
        let ahead = self.ahead.as_mut().filter(|_| frontier.offset() >= self.alone_to);
        ahead?.find(frontier)
    }

    fn jumped(&mut self, stretch: &PieceStretch) -> Result<()> {
        let Some(mut ahead) = self.ahead.take() else { return Ok(()) };
        if let Some((job, scout)) = ahead.take() {
            let Searched { learned, unmarked, addresses, digest } = &job.found;
            let mut read_twice = 0;
            for piece in learned.pieces() {
                learned.teach_places(piece, &mut self.places)?;
                if !self.learn(learned, piece)? {
                    read_twice += piece.len();
                    let mut outline = std::mem::take(&mut self.outline);
                    let learn = |piece: &Piece<'_>| self.piece(piece);
                    scout.read_again(piece.kind, piece.range.clone(), &mut outline, learn)?;
                    self.outline = outline;
                }
            }
            let range = stretch.range();
            if read_twice > (range.end - range.start) / 2 {
                self.vain += 1;
                self.alone_to = range.end + (STRETCH << self.vain.min(ALONE_MAX));
                ahead.recall();
            } else {
                self.vain = 0;
            }
            // Where most is marked, most of it would be read again.
            if let Some(survey) = &mut self.survey
                && learned.bytes() <= (range.end - range.start) / 2
            {
                let pieces = learned.pieces().iter();
                let marked = pieces.map(|piece| (piece.kind, piece.range.clone())).collect();
                let (addresses, unmarked) = (addresses.as_slice().into(), *unmarked);
                survey.push(stretch, Surveyed { marked, addresses, unmarked, digest: *digest });
            }
            ahead.keep(job);
        }
        self.ahead = Some(ahead);
        Ok(())
    }

    fn piece(&mut self, piece: &Piece<'_>) -> Result<()> {
        let mut parts = Parts::of(piece)?;
        let name = piece.name.unwrap_or_default();
        parts.subject.named = parts.are_declared(piece, &self.declared);
        match piece.kind {
            PieceKind::Variable => self.early.variables |= !self.declared.is_known,
            PieceKind::OutputChange => {
                self.early.outputs |= !parts.subject.named && !parts.subject.has_overlays();
            }
            PieceKind::RootDeclaration => {
                self.declared.is_known = true;
                if self.marks.marks_anything(parts.subject.overlays[1])? {
                    self.declared.insert_variable(name, piece.value.offset())?;
                }
            }
            PieceKind::Output if self.marks.marks_anything(parts.subject.overlays[1])? => {
                self.declared.insert_output(name, piece.value.offset())?;
            }
            PieceKind::Declaration if self.marks.marks_anything(parts.subject.overlays[1])? => {
                let offset = piece.value.offset();
                self.places.insert_input(piece.module, name, offset)?;
                let argument = self.places.digests().resource(piece.module, "", name);
                self.early.configuration |= self.arguments.contains(&argument);
            }
            kind if kind.is_configuration() => {
                self.declared.is_known = true;
                return self.constants(piece);
            }
            PieceKind::Known | PieceKind::Unknown if self.marks.has_names() => {
                return self.constants(piece);
            }
            _ => {}
        }
        parts.subject.named |= piece.kind.is_named() && self.marks.is_name(name);
        let Collector { secrets, texts, places, marks, decoded, tell, .. } = self;
        let (mut owner, digests) = (None, places.digests().clone());
        for (identity, subject) in parts.subjects() {
            let of = parts.owner.as_ref().filter(|_| identity.is_none());
            marks.find_placed(subject, of.map(|_| &digests), |marked| {
                if let (By::Mark, Some(of), Some(place)) = (marked.by, of, marked.place) {
                    let owner = match owner {
                        Some(owner) => owner,
                        None => *owner.insert(digests.owner(of, decoded)?),
                    };
                    places.insert(owner, place, piece.value.offset())?;
                }
                for (side, value) in marked.sides.into_iter().enumerate() {
                    let Some(value) = value else { continue };
                    let known = secrets.len();
                    insert(value, secrets, texts.as_mut(), decoded)?;
                    if let Some(tell) = tell
                        && secrets.len() > known
                    {
                        let (path, offset) = (marked.path, value.offset());
                        let number = known as u32 + 1;
                        tell(&Fresh { piece, identity, path, side, offset, number });
                    }
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    fn state(&mut self, document: WrongDocument) -> Result<()> {
        match self.takes {
            Takes::All => Ok(()),
            Takes::Plans => Err(Error::new(ErrorKind::WrongDocument(document))),
        }
    }
}

impl Collector<'_, '_, '_> {
    /// Takes note of the marked constants of a part of the configuration, and of what only names
    /// mark in other parts.
    fn constants(&mut self, piece: &Piece<'_>) -> Result<()> {
        match piece.kind {
            PieceKind::ConfiguredResource | PieceKind::ConfiguredAction => {
                self.configured.get_or_insert(self.places.attributes());
            }
            PieceKind::ModuleArguments if matches!(self.turn, Turn::First) => {
                self.arguments(piece)?;
            }
            _ => {}
        }
        let Collector { secrets, texts, places, marks, decoded, tell, .. } = self;
        marked_constants(piece, places, marks, |constant| {
            let (known, value) = (secrets.len(), constant.value);
            insert(value, secrets, texts.as_mut(), decoded)?;
            if let Some(tell) = tell
                && secrets.len() > known
            {
                let (path, offset) = (constant.path, value.offset());
                let number = known as u32 + 1;
                tell(&Fresh { piece, identity: None, path, side: 1, offset, number });
            }
            Ok(())
        })
    }

    /// Takes note of the arguments of a module call that may be constants: whether the variables
    /// are sensitive comes later.
    fn arguments(&mut self, piece: &Piece<'_>) -> Result<()> {
        if piece.value.kind()? != Kind::Object {
            return Ok(());
        }
        for member in piece.value.members()? {
            let (key, value) = member?;
            // A key may be written with escapes.
            let may_be_constant = memchr::memmem::find(value.raw(), b"constant_value").is_some()
                || memchr::memchr(b'\\', value.raw()).is_some();
            if !may_be_constant {
                continue;
            }
            if self.arguments.len() >= ARGUMENTS_MAX {
                // Then the configuration is read once more in any case.
                self.early.configuration = true;
                break;
            }
            let digest = self.places.digests().resource(piece.module, "", &key.decode()?);
            self.arguments.insert(digest);
        }
        Ok(())
    }

    /// Takes note of a piece as others saw it. `false`: it has to be looked at, because nobody took
    /// its secrets down, or because more is wanted of new ones than what they are known by.
    fn learn(&mut self, learned: &Learned, piece: &LearnedPiece) -> Result<bool> {
        if self.texts.is_some() || self.tell.is_some() {
            return Ok(learned.is_known(piece, &self.secrets));
        }
        learned.teach(piece, &mut self.secrets)
    }
}

/// Takes note of everything at and below a marked place.
fn insert(
    value: Value<'_>,
    secrets: &mut Secrets,
    mut kept: Option<&mut Texts>,
    decoded: &mut Vec<u8>,
) -> Result<()> {
    texts_of(value, secrets.echo_min(), decoded, |text, role, offset| {
        if role == Role::Step {
            secrets.insert_step(text);
            return Ok(());
        }
        if !secrets.insert(text, offset)? {
            return Ok(());
        }
        kept.as_deref_mut().map_or(Ok(()), |kept| kept.push(text, offset))
    })
}
