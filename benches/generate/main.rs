//! Writes a plan of any size, with the exact counts that plansift must find in it. On request also
//! writes the list of its changes, for benchmarks of other tools.
//!
//! ```text
//! cargo run --release --example generate -- --size 1G --shape estate -o estate.json
//! ```

mod configuration;
mod indent;
mod kind;
mod object;
mod plan;
mod resource;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use plan::{Configuration, Keys, Marks, Options, Shape};

const USAGE: &str =
    "usage: generate --size N[K|M|G] [--seed N] [--shape estate|busy|first-run|policy]
                [--no-op SHARE] [--many-marks] [--indent] [--sort-keys] [-o FILE]
                [--full-configuration] [--counts FILE] [--list FILE]";

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("generate: {error}\n{USAGE}");
            ExitCode::FAILURE
        }
    }
}

fn run(mut args: impl Iterator<Item = String>) -> Result<(), Box<dyn std::error::Error>> {
    let mut options = Options::default();
    let (mut indented, mut output, mut counts, mut list) = (false, None, None, None);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value"));
        match arg.as_str() {
            "--size" => options.size = size(&value()?)?,
            "--seed" => options.seed = value()?.parse()?,
            "--no-op" => options.no_op = Some(value()?.parse()?),
            "--shape" => options.shape = Shape::named(&value()?).ok_or("no such shape")?,
            "--many-marks" => options.marks = Marks::Many,
            "--sort-keys" => options.keys = Keys::Sorted,
            "--full-configuration" => options.configuration = Configuration::Full,
            "--indent" => indented = true,
            "-o" => output = Some(value()?),
            "--counts" => counts = Some(value()?),
            "--list" => list = Some(value()?),
            _ => return Err(format!("unknown argument {arg}").into()),
        }
    }
    let out: Box<dyn Write> = match &output {
        Some(path) => Box::new(File::create(path)?),
        None => Box::new(io::stdout()),
    };
    let out = BufWriter::with_capacity(1 << 20, out);
    let mut list: Box<dyn Write> = match list {
        Some(path) => Box::new(BufWriter::new(File::create(path)?)),
        None => Box::new(io::sink()),
    };
    let (mut summary, bytes) = if indented {
        let mut out = indent::Indent::new(out);
        let summary = plan::write(&options, &mut out, &mut list)?;
        (summary, out.finish()?)
    } else {
        let mut out = out;
        let summary = plan::write(&options, &mut out, &mut list)?;
        out.flush()?;
        let bytes = summary.bytes;
        (summary, bytes)
    };
    list.flush()?;
    summary.bytes = bytes;
    let counts = counts.or_else(|| output.map(|output| format!("{output}.counts.json")));
    if let Some(path) = counts {
        std::fs::write(path, summary.to_json() + "\n")?;
    }
    Ok(())
}

/// Parses a number of bytes with a suffix; suffixes are powers of ten.
fn size(text: &str) -> Result<u64, Box<dyn std::error::Error>> {
    let (digits, factor) = match text.char_indices().last() {
        Some((end, 'K')) => (&text[..end], 1_000),
        Some((end, 'M')) => (&text[..end], 1_000_000),
        Some((end, 'G')) => (&text[..end], 1_000_000_000),
        _ => (text, 1),
    };
    Ok(digits.parse::<u64>()? * factor)
}
