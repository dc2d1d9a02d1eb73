//! Parses any arguments without a panic. Whatever limits the arguments set, a plan gives the same
//! result as with the default limits, or fails at a limit.

use std::ffi::OsString;

use plansift::cli::args;
use plansift::error::{ErrorKind, Result};
use plansift::input::Slice;
use plansift::limits::Limits;
use plansift::plan::{self, Documents};
use plansift::record::counts::Summary;
use plansift::record::{NullSink, RecordOptions, RecordRequest, write_records};

const PLAN: &[u8] = br#"{"format_version":"1.2","resource_changes":[{"address":"a.b","change":{
    "actions":["update"],"before":{"a":[1,"\n"]},"after":{"a":[2]},"after_unknown":{}}}]}"#;

/// Parses each line of `bytes` as an argument.
pub fn check(bytes: &[u8]) {
    let lines = bytes.split(|&byte| byte == b'\n').map(argument);
    let arguments = std::iter::once(OsString::from("plansift")).chain(lines);
    if args::parse(arguments.clone()).is_err() {
        return;
    }
    let Some(limits) = args::limits(arguments) else { return };
    let expected = summary(Limits::default()).expect("it is a plan");
    match summary(limits) {
        Ok(summary) => assert_eq!(summary, expected, "{limits:?}"),
        Err(error) => assert!(matches!(error.kind(), ErrorKind::Limit { .. }), "{error}"),
    }
}

#[cfg(unix)]
fn argument(line: &[u8]) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(line.to_vec())
}

#[cfg(not(unix))]
fn argument(line: &[u8]) -> OsString {
    String::from_utf8_lossy(line).into_owned().into()
}

fn summary(limits: Limits) -> Result<Summary> {
    let read = plan::PlanOptions { limits, ..plan::PlanOptions::default() };
    let options = RecordOptions { read, ..RecordOptions::default() };
    let mut documents = Documents::only(Slice(PLAN), &options.read);
    let request = RecordRequest::new("plan.json", &options);
    write_records(&mut documents, request, &mut NullSink).map(|outcome| outcome.summary)
}
