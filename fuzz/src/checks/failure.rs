//! Errors in a form that can be compared.

use plansift::error::{Error, ErrorKind};

/// The kind of an error, its cause, and its location: the offset and the path in the document.
pub type Failure = (ErrorKind, String, Option<(u64, String)>);

/// An error in a form that can be compared.
pub fn failure(error: &Error) -> Failure {
    let place = error.location().map(|place| (place.offset, place.path.to_owned()));
    (error.kind(), format!("{:?}", error.cause()), place)
}
