//! The secrets of a document, read from it before anything of it is written.

use std::ops::Range;

use super::contained::{Contained, Texts};
use super::leaves::{Leaf, leaves};
use super::marks::{Marks, Step};
use super::parts::{Declared, Parts};
use super::set::Secrets;
use super::{EchoOf, Options, is_attribute_name, is_mask};
use crate::error::Result;
use crate::input::Source;
use crate::json::value::{Kind, Text, Value};
use crate::plan::{Answer, Piece, PieceKind, PieceVisitor, Section, Unchanged, read_pieces};

/// What a document says of its secrets.
#[derive(Debug)]
pub struct Collected {
    /// Their digests.
    pub secrets: Secrets,
    /// What tells texts that contain one of them, if that was asked for.
    pub contained: Option<Contained>,
    /// The variables that are declared sensitive.
    pub declared: Declared,
}

impl Collected {
    /// What is known of a document that was not read.
    pub fn nothing(options: &Options) -> Collected {
        Collected {
            secrets: Secrets::new(options.echo_min, &options.read.limits),
            contained: None,
            declared: Declared::default(),
        }
    }
}

/// Reads a document for its secrets. `open` opens it: once, and once more where variables come
/// before their declarations, as the tools write them.
///
/// # Errors
///
/// The document cannot be read, is neither a plan nor a state, or passes a limit.
pub fn collect<S: Source>(open: impl FnMut() -> Result<S>, options: &Options) -> Result<Collected> {
    collect_and_tell(open, options, |_| {})
}

/// A marked value in which secrets were met for the first time.
#[derive(Clone, Copy, Debug)]
pub struct Fresh<'p, 'a> {
    /// The piece it stands in.
    pub piece: &'p Piece<'a>,
    /// The way to it, as the overlay has it: from the root of the value that it marks.
    pub path: &'p [Step<'a>],
    /// Which of the values of its subject it stands in ([`Subject::sides`](super::marks::Subject)).
    pub side: usize,
    /// Where it stands.
    pub offset: u64,
    /// The number of the first of those secrets; the others follow it.
    pub number: u32,
}

/// The same, and tells where each secret was met for the first time, in the order of their numbers.
///
/// # Errors
///
/// As [`collect`].
pub fn collect_and_tell<S: Source>(
    mut open: impl FnMut() -> Result<S>,
    options: &Options,
    each: impl FnMut(&Fresh<'_, '_>),
) -> Result<Collected> {
    let mut collector = Collector {
        secrets: Secrets::new(options.echo_min, &options.read.limits),
        texts: (options.echo == EchoOf::Part)
            .then(|| Texts::new(options.echo_min, &options.read.limits)),
        declared: Declared::default(),
        marks: Marks::new(options.names.clone()),
        variables_only: false,
        has_early_variables: false,
        decoded: Vec::new(),
        each,
    };
    read_pieces(open()?, &options.read, &mut collector)?;
    if collector.has_early_variables && !collector.declared.is_empty() {
        collector.variables_only = true;
        read_pieces(open()?, &options.read, &mut collector)?;
    }
    let Collector { secrets, texts, declared, .. } = collector;
    Ok(Collected { secrets, contained: texts.as_ref().map(Contained::new), declared })
}

struct Collector<F> {
    secrets: Secrets,
    texts: Option<Texts>,
    declared: Declared,
    marks: Marks,
    variables_only: bool,
    /// Variables were met before it was known which of them are sensitive.
    has_early_variables: bool,
    decoded: Vec<u8>,
    each: F,
}

impl<F: FnMut(&Fresh<'_, '_>)> PieceVisitor for Collector<F> {
    fn section(&mut self, section: Section, key: &str) -> Answer {
        match section {
            Section::Variables => Answer::Enter,
            _ if self.variables_only => Answer::Skip,
            Section::RelevantAttributes | Section::Checks => Answer::Skip,
            Section::Other if key != "values" => Answer::Skip,
            _ => Answer::Enter,
        }
    }

    fn unchanged(&mut self, unchanged: &Unchanged<'_>, _: Range<u64>) -> bool {
        !self.marks.has_names()
            && self.marks.is_quiet(unchanged.before_sensitive)
            && self.marks.is_quiet(unchanged.after_sensitive)
    }

    fn resource(&mut self, sensitive_values: &[u8], _: Range<u64>) -> bool {
        !self.marks.has_names() && self.marks.is_quiet(sensitive_values)
    }

    fn piece(&mut self, piece: &Piece<'_>) -> Result<()> {
        let mut parts = Parts::of(piece)?;
        let name = piece.name.unwrap_or_default();
        match piece.kind {
            PieceKind::Variable => {
                parts.subject.named = self.declared.holds(name);
                self.has_early_variables |= !self.declared.is_known;
            }
            PieceKind::RootDeclaration => {
                self.declared.is_known = true;
                if self.marks.marks_anything(parts.subject.overlays[1])? {
                    self.declared.insert(name);
                }
            }
            PieceKind::Configuration => self.declared.is_known = true,
            _ => {}
        }
        parts.subject.named |= piece.kind.is_named() && self.marks.is_name(name);
        let Collector { secrets, texts, marks, decoded, each, .. } = self;
        marks.find(parts.subject, |marked| {
            for (side, value) in marked.sides.into_iter().enumerate() {
                let Some(value) = value else { continue };
                let known = secrets.len();
                insert(value, secrets, texts.as_mut(), decoded)?;
                if secrets.len() > known {
                    let (path, offset) = (marked.path, value.offset());
                    each(&Fresh { piece, path, side, offset, number: known as u32 + 1 });
                }
            }
            Ok(())
        })
    }
}

/// Takes note of everything at and below a marked place.
pub(crate) fn insert(
    value: Value<'_>,
    secrets: &mut Secrets,
    mut texts: Option<&mut Texts>,
    decoded: &mut Vec<u8>,
) -> Result<()> {
    leaves(value, |leaf| {
        let (text, offset) = match leaf {
            Leaf::Scalar(Kind::String, value) => {
                (decode(value.string()?, decoded)?, value.offset())
            }
            Leaf::Scalar(Kind::Number, value) => (value.raw(), value.offset()),
            Leaf::Scalar(..) | Leaf::Open(_) | Leaf::Close => return Ok(()),
            Leaf::Key(key) => {
                let text = decode(key, decoded)?;
                // A key may be an attribute's name, which is no secret.
                if text.len() < secrets.echo_min() || is_attribute_name(text) {
                    return Ok(());
                }
                (text, key.offset())
            }
        };
        if text.is_empty() || is_mask(text) || !secrets.insert(text, offset)? {
            return Ok(());
        }
        texts.as_deref_mut().map_or(Ok(()), |texts| texts.push(text, offset))
    })
}

/// A text, decoded into memory that is used again.
pub(crate) fn decode<'t>(text: Text<'t>, decoded: &'t mut Vec<u8>) -> Result<&'t [u8]> {
    if text.is_plain() {
        return Ok(text.raw());
    }
    decoded.clear();
    text.copy_to(decoded)?;
    Ok(decoded)
}
