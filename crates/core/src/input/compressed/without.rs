//! Stands in for the decoders in a build without the feature `compression`: a compressed input is
//! an error.

use std::io::Read;

use super::Format;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;

/// Refuses a compressed reader. Always fails.
pub(super) fn expand(
    _: Format,
    _: impl Read + Send + 'static,
    _: Limits,
) -> Result<Box<dyn Read + Send>> {
    Err(Error::new(ErrorKind::NoDecompression))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use crate::error::ErrorKind;
    use crate::input::{Input, InputOptions};

    #[test]
    fn the_error_names_the_feature() {
        for head in [&[0x1f, 0x8b, 8, 0][..], &[0x28, 0xb5, 0x2f, 0xfd]] {
            let read = Input::from_reader(Box::new(Cursor::new(head)), &InputOptions::default());
            let Err(error) = read else { panic!("{head:x?} is read") };
            assert_eq!(error.kind(), ErrorKind::NoDecompression);
            assert!(error.to_string().contains("`compression`"), "{error}");
        }
    }
}
