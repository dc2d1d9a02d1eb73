//! The arguments of `wire`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{INPUT, OUTPUT, SECRETS, file};
use plansift_cty::{Type, marked};

/// `plansift wire`.
///
/// Providers and plan files hold values as MessagePack or JSON, whose meaning depends on a type.
#[derive(Debug, Args)]
pub struct Wire {
    /// What to do with the value
    #[command(subcommand)]
    pub command: WireCommand,
}

/// What to do with a value.
#[derive(Debug, Subcommand)]
pub enum WireCommand {
    /// Show a value as JSON that includes types and unknown values
    Decode(Decode),
    /// Encode a value from the JSON output of `decode`
    Encode(Encode),
    /// Check that bytes are a valid value of a type
    Check(WireCheck),
}

/// `plansift wire decode`.
#[derive(Debug, Args)]
pub struct Decode {
    #[command(flatten)]
    pub bytes: Bytes,
    #[command(flatten)]
    pub under: TypeArgs,
    /// Show the values that the schema marks sensitive
    #[arg(help_heading = SECRETS, long)]
    pub show_sensitive: bool,
    /// Write to a file, which appears only when it is complete
    #[arg(help_heading = OUTPUT, short, long, value_name = "FILE", value_parser = file())]
    pub output: Option<PathBuf>,
}

/// `plansift wire encode`.
#[derive(Debug, Args)]
pub struct Encode {
    /// A file with the output of `wire decode`; - for standard input [default: -]
    #[arg(value_name = "INPUT")]
    pub input: Option<PathBuf>,
    #[command(flatten)]
    pub under: TypeArgs,
    /// Form of the bytes
    #[arg(help_heading = OUTPUT, long, value_enum, default_value_t = WireForm::Msgpack)]
    pub form: WireForm,
    /// How to write MessagePack [default: hex]. JSON is always text
    #[arg(help_heading = OUTPUT, long = "as", value_enum, value_name = "HOW")]
    pub spelling: Option<Spelling>,
    /// Write to a file, which appears only when it is complete
    #[arg(help_heading = OUTPUT, short, long, value_name = "FILE", value_parser = file())]
    pub output: Option<PathBuf>,
}

/// `plansift wire check`.
#[derive(Debug, Args)]
pub struct WireCheck {
    #[command(flatten)]
    pub bytes: Bytes,
    #[command(flatten)]
    pub under: TypeArgs,
}

/// The bytes of a value.
#[derive(Debug, Args)]
pub struct Bytes {
    /// A file with the bytes; - for standard input [default: -]
    #[arg(value_name = "INPUT", conflicts_with_all = ["hex", "base64"])]
    pub input: Option<PathBuf>,
    /// The bytes as hexadecimal digits
    #[arg(help_heading = INPUT, long, value_name = "DIGITS", value_parser = hex,
          conflicts_with = "base64")]
    pub hex: Option<Literal>,
    /// The bytes in base64
    #[arg(help_heading = INPUT, long, value_name = "TEXT", value_parser = base64)]
    pub base64: Option<Literal>,
    /// Form of the bytes
    #[arg(help_heading = INPUT, long, value_enum, default_value_t = WireForm::Msgpack)]
    pub form: WireForm,
}

/// Bytes given on the command line.
#[derive(Clone, Debug)]
pub struct Literal(pub Vec<u8>);

/// The type of a value, from an argument or a schema. By default, the value implies its type.
#[derive(Debug, Args)]
pub struct TypeArgs {
    /// The type, like string or '["list","string"]' [default: implied by the value]
    #[arg(help_heading = INPUT, long = "type", value_name = "TYPE", value_parser = ty,
          conflicts_with = "schema")]
    pub ty: Option<Type>,
    /// Provider schemas: the output of `terraform providers schema -json`, or of tofu
    #[arg(help_heading = INPUT, long, value_name = "FILE", requires = "resource")]
    pub schema: Option<PathBuf>,
    /// The resource type that the schema describes; `data.TYPE` for a data source
    #[arg(help_heading = INPUT, long, value_name = "TYPE", requires = "schema")]
    pub resource: Option<String>,
    /// Address of the provider, if several providers have the resource type
    #[arg(help_heading = INPUT, long, value_name = "ADDRESS", requires = "schema")]
    pub provider: Option<String>,
}

/// Form of the bytes of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WireForm {
    /// MessagePack, as in plan files and from providers
    Msgpack,
    /// JSON, as in states
    Json,
}

/// How bytes are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Spelling {
    /// Hexadecimal digits and a line feed
    Hex,
    /// Base64 and a line feed
    Base64,
    /// The bytes alone
    Raw,
}

fn hex(digits: &str) -> Result<Literal, &'static str> {
    let digits: String = digits.split_whitespace().collect();
    let bytes = marked::bytes_of(&digits).map(Literal);
    bytes.ok_or("bytes are pairs of the digits 0-9 and a-f, like 81a16101")
}

fn base64(text: &str) -> Result<Literal, &'static str> {
    use base64::Engine as _;
    let bytes = base64::engine::general_purpose::STANDARD.decode(text.trim());
    bytes.map(Literal).map_err(|_| "the text is not base64")
}

/// Parses a type. A primitive type such as `string` needs no quotes.
fn ty(text: &str) -> Result<Type, &'static str> {
    let is_word = text.bytes().all(|byte| byte.is_ascii_lowercase());
    let quoted = if is_word { format!("\"{text}\"") } else { text.to_owned() };
    Type::parse(quoted.as_bytes()).map_err(|_| {
        "a type is string, number, bool, dynamic, or JSON like [\"list\",\"string\"], \
         [\"map\",T], [\"set\",T], [\"tuple\",[T]] or [\"object\",{\"name\":T}]"
    })
}
