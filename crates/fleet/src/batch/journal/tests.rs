//! Tests of the journal: reading it back, resuming it, and detecting damage.

use std::cmp::Ordering;

use super::*;
use crate::batch::fault::FolderFault;
use crate::batch::outcome::{Done, JournaledPlan, PlanResult, Written};

pub(in crate::batch) fn terms() -> Terms {
    let (plansift, format, shard) = ["0.0.0", "ndjson", "1/1"].map(str::to_owned).into();
    Terms {
        version: VERSION,
        plansift,
        format,
        all: false,
        check: "grammar".to_owned(),
        strict: false,
        schemas: None,
        schema_cache: None,
        assertions: AssertionTerms::default(),
        digest: None,
        shard,
    }
}

fn listed(name: &str, len: u64) -> Listed {
    let identity = Some(Identity { len, modified: Some(-1), etag: None });
    let (name, source) = (name.to_owned(), format!("p/{name}"));
    Listed { position: 0, name, source, workspace: None, identity }
}

/// Returns an outcome that failed with the message `error`, or a successful one.
fn outcome(of: &Listed, error: Option<&str>) -> Outcome {
    let Listed { name, source, workspace, identity, .. } = of.clone();
    let result = match error {
        Some(text) => PlanResult::Error(text.to_owned()),
        None => PlanResult::Done(Box::new(Done {
            has_changes: true,
            summary: Default::default(),
            failed_assertions: Vec::new(),
            digest: None,
            tally: Default::default(),
        })),
    };
    let plans = vec![JournaledPlan { source: source.clone(), workspace: None, result }];
    Outcome { name, source, workspace, identity, records: None, plans }
}

/// Returns a journal of four groups: its terms, its three inputs, two outcomes, and one outcome.
fn written(path: &Path) -> Journal {
    std::fs::write(path, Journal::first_line(&terms()).expect("a line")).expect("a file");
    let mut journal =
        Journal::open(path.parent().expect("a folder"), Access::Append).expect("a journal");
    let inputs = [listed("a", 1), listed("b", 2), listed("c", 3)];
    list(&mut journal, &inputs);
    let both = [outcome(&inputs[0], None), outcome(&inputs[1], Some("é \" { \n"))];
    journal.add(&both).expect("it is written");
    journal.add(&[outcome(&inputs[1], None)]).expect("it is written");
    journal
}

fn list(journal: &mut Journal, inputs: &[Listed]) {
    journal.list(|| inputs.iter().cloned()).expect("it is written");
}

fn listed_in(journal: &Journal) -> Vec<Listed> {
    let listed = journal.listed().expect("the inputs are listed");
    listed.collect::<Result<_>>().expect("it can be read")
}

/// Returns the names of the inputs that are done, and of the inputs that failed.
fn contents(journal: &Journal) -> (Vec<String>, Vec<String>) {
    let (mut done, mut failed) = (Vec::new(), Vec::new());
    for input in listed_in(journal) {
        let known = journal.known(&input).expect("it can be read");
        if let Some(outcome) = journal.outcome(&input).expect("it can be read") {
            assert_eq!(outcome.name, input.name);
            assert_eq!(known.map(|it| it.has_failed()), Some(outcome.has_failed()));
            if outcome.has_failed() { &mut failed } else { &mut done }.push(outcome.name);
        }
    }
    (done, failed)
}

#[test]
fn a_journal_keeps_the_outcomes_of_unchanged_inputs_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("journal");
    let mut journal = written(&path);
    let expected = (vec!["a".to_owned(), "b".to_owned()], Vec::new());
    assert_eq!(contents(&journal), expected);
    let again = Journal::open(folder.path(), Access::Read).expect("a journal");
    assert_eq!(contents(&again), expected);
    assert_eq!((again.terms(), listed_in(&again)), (&terms(), listed_in(&journal)));
    let len = path.metadata().expect("a file").len();
    list(&mut journal, &listed_in(&again));
    assert_eq!(path.metadata().expect("a file").len(), len);
    // One input has another size, and one input is missing.
    list(&mut journal, &[listed("a", 5), listed("b", 2)]);
    assert_eq!(contents(&journal), (vec!["b".to_owned()], Vec::new()));
    assert_eq!(journal.unlisted().expect("it can be read"), 0);
    list(&mut journal, &[listed("c", 3)]);
    assert_eq!(contents(&journal), (vec![], vec![]));
    assert_eq!(journal.unlisted().expect("it can be read"), 2);
}

/// The bytes of a journal are stable, because other versions of this program read it.
#[test]
fn the_bytes_of_the_journal_format_are_stable() {
    let lines = concat!(
        r#"7ecb703a25120cdb {"begun":{"version":2,"plansift":"0.1.0","format":"ndjson","#,
        r#""all":false,"check":"grammar","strict":false,"shard":"1/1"}}"#,
        "\n",
        r#"8d908dc9ae4de96f {"inputs":1}"#,
        "\n",
        r#"9ea0a473ea79bc78 {"input":{"position":0,"name":"b.json","source":"b.json","#,
        r#""workspace":"b","identity":{"len":1,"modified":1767323045000000000}}}"#,
        "\n",
        r#"a807d8daba8a8d9e "outcomes""#,
        "\n",
        r#"26fc78972f720bbe {"outcome":{"name":"b.json","source":"b.json","#,
        r#""workspace":"b","identity":{"len":1,"modified":1767323045000000000},"#,
        r#""plans":[{"source":"b.json","workspace":"b","result":{"error":"byte 1: "#,
        r#"the document is incomplete: the input ends here"}}]}}"#,
        "\n",
    );
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("journal");
    std::fs::write(&path, lines).expect("it is written");
    let before = Journal::open(folder.path(), Access::Read).expect("a journal");
    let terms = Terms { plansift: "0.1.0".to_owned(), ..terms() };
    let identity = Identity { len: 1, modified: Some(1_767_323_045_000_000_000), etag: None };
    let input = Listed {
        position: 0,
        name: "b.json".to_owned(),
        source: "b.json".to_owned(),
        workspace: Some("b".to_owned()),
        identity: Some(identity),
    };
    assert_eq!((before.terms(), listed_in(&before)), (&terms, vec![input.clone()]));
    let outcome = before.outcome(&input).expect("it can be read").expect("it is done");
    std::fs::write(&path, Journal::first_line(&terms).expect("a line")).expect("a file");
    let mut journal = Journal::open(folder.path(), Access::Append).expect("a journal");
    list(&mut journal, &[input]);
    journal.add(&[outcome]).expect("it is written");
    assert_eq!(std::fs::read_to_string(&path).expect("a file"), lines);
}

#[test]
fn inputs_without_identity_are_processed_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("journal");
    let mut journal = written(&path);
    let pipe = Listed { identity: None, ..listed("pipe", 0) };
    let inputs = [listed("a", 1), pipe.clone()];
    list(&mut journal, &inputs);
    journal.add(&[outcome(&pipe, None)]).expect("it is written");
    let both = (vec!["a".to_owned(), "pipe".to_owned()], vec![]);
    assert_eq!(contents(&journal), both);
    assert_eq!(contents(&Journal::open(folder.path(), Access::Read).expect("a journal")), both);
    // The next run with the same inputs.
    list(&mut journal, &inputs);
    let one = (vec!["a".to_owned()], vec![]);
    assert_eq!(contents(&journal), one);
    assert_eq!(contents(&Journal::open(folder.path(), Access::Read).expect("a journal")), one);
}

#[test]
fn the_terms_about_assertions_are_members_of_the_terms() {
    let mut own = terms();
    let text = serde_json::to_string(&own).expect("JSON");
    assert!(!text.contains("assertions") && !text.contains("strict_rules"), "{text}");
    assert_eq!(serde_json::from_str::<Terms>(&text).expect("terms"), own);
    let [files, sets] = ["of-files", "of-sets"].map(|digest| Some(digest.to_owned()));
    own.assertions = AssertionTerms { files, type_sets: sets, strict_rules: true };
    let text = serde_json::to_string(&own).expect("JSON");
    let members = r#","assertions":"of-files","type_sets":"of-sets","strict_rules":true,"#;
    assert!(text.contains(members), "{text}");
    assert_eq!(serde_json::from_str::<Terms>(&text).expect("terms"), own);
}

#[test]
fn the_first_setting_that_differs_is_named() {
    let own = terms();
    let some = || Some("other".to_owned());
    let checked = |assertions| Terms { assertions, ..terms() };
    let default = AssertionTerms::default;
    let cases = [
        ("version of plansift", Terms { plansift: "0.0.1".to_owned(), ..own.clone() }),
        ("--format", Terms { format: "csv".to_owned(), ..own.clone() }),
        ("--all", Terms { all: true, ..own.clone() }),
        ("--check", Terms { check: "structure".to_owned(), ..own.clone() }),
        ("--strict", Terms { strict: true, ..own.clone() }),
        ("--schemas", Terms { schemas: some(), ..own.clone() }),
        ("--schema-cache", Terms { schema_cache: some(), ..own.clone() }),
        ("--assert", checked(AssertionTerms { files: some(), ..default() })),
        ("--type-sets", checked(AssertionTerms { type_sets: some(), ..default() })),
        ("--strict-rules", checked(AssertionTerms { strict_rules: true, ..default() })),
        ("--digest", Terms { digest: some(), ..own.clone() }),
        ("--shard", Terms { shard: "1/2".to_owned(), ..own.clone() }),
    ];
    for (option, other) in &cases {
        assert_eq!(own.differ(other), Some(*option));
        assert_eq!(other.differ(&own), Some(*option));
    }
    assert_eq!(own.differ(&own.clone()), None);
    let two = Terms { shard: "1/2".to_owned(), ..cases[2].1.clone() };
    assert_eq!(own.differ(&two), Some("--all"));
}

#[test]
fn a_journal_keeps_the_length_and_the_digest_of_a_record_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut journal = written(&folder.path().join("journal"));
    let blake3 = blake3::hash(b"records");
    let records = Some(Written { len: 7, blake3: blake3.to_hex().to_string() });
    let input = listed("c", 3);
    journal.add(&[Outcome { records, ..outcome(&input, None) }]).expect("it is written");
    let records = |input: &Listed| {
        let known = journal.known(input).expect("it can be read").expect("it is done");
        known.into_records().map(|it| (it.len, it.blake3))
    };
    assert_eq!(records(&input), Some((7, blake3)));
    assert_eq!(records(&listed("a", 1)), None);
}

#[test]
fn a_line_of_the_maximum_length_can_be_read_and_a_longer_line_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut journal = written(&folder.path().join("journal"));
    let padded = |len: usize| Listed { workspace: Some("w".repeat(len)), ..listed("a", 1) };
    let line_len = |input: Listed| Entry::<()>::Input(input).line().map(|line| line.len());
    let others = line_len(padded(0)).expect("a line");
    let most = line::LEN_MAX as usize - others;
    let longest = padded(most);
    assert_eq!(line_len(longest.clone()).expect("a line"), others + most);
    list(&mut journal, std::slice::from_ref(&longest));
    let again = Journal::open(folder.path(), Access::Read).expect("a journal");
    assert_eq!(listed_in(&again), [longest]);
    for len in [most + 1, 2 * most] {
        let error = line_len(padded(len)).expect_err("it is too long");
        assert_eq!(error.fault(), Some(&FolderFault::LongLine));
    }
}

/// Each error has its own fault, because the messages differ.
#[test]
fn a_missing_journal_is_not_a_journal_that_cannot_be_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let fault = |path: &Path| {
        let error = Journal::open(path, Access::Read).expect_err("no journal");
        error.fault().cloned()
    };
    assert_eq!(fault(folder.path()), Some(FolderFault::NoJournal));
    assert_eq!(fault(&folder.path().join("missing")), Some(FolderFault::Missing));
    std::fs::create_dir(folder.path().join("journal")).expect("a folder");
    assert_eq!(fault(folder.path()), Some(FolderFault::NotAFile));
    // A link to itself exists, but cannot be opened.
    let looped = tempfile::tempdir().expect("a folder");
    let link = looped.path().join("journal");
    std::os::unix::fs::symlink("journal", &link).expect("a link");
    let error = Journal::open(looped.path(), Access::Read).expect_err("a circle of links");
    assert_eq!((error.fault::<FolderFault>(), error.kind()), (None, ErrorKind::Read));
}

#[test]
fn a_journal_of_another_version_is_not_reported_as_damaged() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("journal");
    let newer = Terms { version: VERSION + 1, ..terms() };
    std::fs::write(&path, Journal::first_line(&newer).expect("a line")).expect("a file");
    let error = Journal::open(folder.path(), Access::Read).expect_err("another version");
    assert_eq!(error.fault(), Some(&FolderFault::Begun("version of plansift")));
}

/// The old journal stays as it is.
#[test]
fn a_journal_of_version_1_is_not_reported_as_damaged() {
    let lines = concat!(
        r#"73ab48fd061e3d52 {"begun":{"version":1,"plansift":"0.1.0","format":"ndjson","#,
        r#""all":false,"check":"grammar","strict":false,"shard":"1/1"}}"#,
        "\n",
        r#"06ed1c50e36c141c {"inputs":[{"position":0,"name":"b.json","source":"b.json","#,
        r#""workspace":"b","identity":{"len":1,"modified":1767323045000000000}}]}"#,
        "\n",
    );
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("journal");
    std::fs::write(&path, lines).expect("a file");
    for access in [Access::Read, Access::Append] {
        let error = Journal::open(folder.path(), access).expect_err("another version");
        assert_eq!(error.fault(), Some(&FolderFault::Begun("version of plansift")));
    }
    assert_eq!(std::fs::read_to_string(&path).expect("a file"), lines);
}

/// A journal of these entries, opened for reading.
fn opened(entries: &[&str]) -> Result<Journal> {
    let folder = tempfile::tempdir().expect("a folder");
    let mut bytes = Journal::first_line(&terms()).expect("a line");
    for text in entries {
        let digest = blake3::hash(text.as_bytes()).to_hex();
        bytes.extend_from_slice(format!("{} {text}\n", &digest[..16]).as_bytes());
    }
    std::fs::write(folder.path().join("journal"), bytes).expect("a file");
    Journal::open(folder.path(), Access::Read)
}

#[test]
fn an_entry_in_the_wrong_place_is_damage() {
    let input = r#"{"input":{"position":0,"name":"a","source":"a"}}"#;
    let outcome = r#"{"outcome":{"name":"a","source":"a","plans":[]}}"#;
    let (list, begun) = (r#"{"inputs":1}"#, r#"{"begun":{}}"#);
    let empty = opened(&[r#"{"inputs":0}"#, r#""outcomes""#]).expect("a journal");
    assert_eq!(listed_in(&empty), []);
    assert_eq!(listed_in(&opened(&[list, input, outcome]).expect("a journal")).len(), 1);
    for (entries, line) in [
        (&[input][..], 2),
        (&[begun], 2),
        (&["{}"], 2),
        (&[r#"{"inputs":[]}"#], 2),
        (&[list, input, input], 4),
        (&[list, outcome], 3),
        (&[list, list], 3),
        (&[list, r#""outcomes""#], 3),
        (&[list, input, r#"{"outcome":{"name":"a"}}"#], 4),
    ] {
        let error = opened(entries).expect_err("it is damaged");
        assert_eq!(error.fault(), Some(&FolderFault::Damaged { line }), "{entries:?}");
    }
}

#[test]
fn a_torn_last_line_of_a_journal_is_cut_off() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("journal");
    drop(written(&path));
    let whole = std::fs::read(&path).expect("a file");
    let mut ends: Vec<usize> = (1..=whole.len()).filter(|&at| whole[at - 1] == b'\n').collect();
    assert_eq!(ends.len(), 10);
    // A list of inputs is valid only as a whole.
    ends.drain(1..4);
    for cut in 0..whole.len() {
        std::fs::write(&path, &whole[..cut]).expect("it is written");
        let opened = Journal::open(folder.path(), Access::Append);
        let Some(&end) = ends.iter().rfind(|&&end| end <= cut) else {
            let error = opened.expect_err("it does not tell what was begun");
            assert_eq!(error.fault(), Some(&FolderFault::Damaged { line: 1 }), "{cut}");
            continue;
        };
        let mut journal = opened.unwrap_or_else(|error| panic!("{cut}: {error}"));
        assert_eq!(path.metadata().expect("a file").len(), end as u64);
        if cut % 16 > 0 {
            continue;
        }
        // The journal can be resumed. This waits for the disk, so only some cuts are tried.
        list(&mut journal, &[listed("a", 1)]);
        journal.add(&[outcome(&listed("a", 1), Some("x"))]).expect("it is written");
        let again = Journal::open(folder.path(), Access::Read).expect("a journal");
        assert_eq!(contents(&again), (vec![], vec!["a".to_owned()]));
    }
}

/// A crash may lose any part of the group that was not synced.
#[test]
fn any_lines_of_the_last_group_may_be_torn() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("journal");
    drop(written(&path));
    let whole = std::fs::read(&path).expect("a file");
    let lines: Vec<&[u8]> = whole.split_inclusive(|&byte| byte == b'\n').collect();
    // The journal without the last group. The outcomes of `a` and `b` are the last two lines.
    for (torn, expected) in
        [(5, (vec![], vec![])), (6, (vec![], vec![])), (7, (vec!["a".to_owned()], vec![]))]
    {
        for byte in [0, b' ', b'\n'] {
            let mut bytes = lines[..8].concat();
            let start = lines[..torn].concat().len();
            bytes[start..start + lines[torn].len()].fill(byte);
            std::fs::write(&path, &bytes).expect("it is written");
            let journal = Journal::open(folder.path(), Access::Append).expect("a journal");
            assert_eq!(contents(&journal), expected, "{torn} {byte}");
            assert_eq!(path.metadata().expect("a file").len(), start as u64);
            // Another group shows that the line is damaged.
            bytes[start + lines[torn].len() - 1] = b'\n';
            bytes.extend_from_slice(&lines[8..].concat());
            std::fs::write(&path, &bytes).expect("it is written");
            let error = Journal::open(folder.path(), Access::Append).expect_err("it is damaged");
            let line = torn as u64 + 1;
            assert_eq!(error.fault(), Some(&FolderFault::Damaged { line }));
        }
    }
}

/// A long line without a line feed is damage if a group follows it.
#[test]
fn a_torn_line_may_be_longer_than_the_maximum() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("journal");
    drop(written(&path));
    let whole = std::fs::read(&path).expect("a file");
    for more in [0, 1, line::LEN_MAX as usize] {
        let torn = vec![b'x'; line::LEN_MAX as usize + more];
        std::fs::write(&path, [&whole[..], &torn].concat()).expect("it is written");
        let journal = Journal::open(folder.path(), Access::Read).expect("a journal");
        assert_eq!(listed_in(&journal).len(), 3, "{more}");
        let group = Entry::<()>::Outcomes.line().expect("a line");
        std::fs::write(&path, [&whole[..], &torn, b"\n", &group].concat()).expect("it is written");
        let error = Journal::open(folder.path(), Access::Append).expect_err("it is damaged");
        assert_eq!(error.fault(), Some(&FolderFault::Damaged { line: 11 }), "{more}");
    }
}

#[test]
fn flipped_bits_in_a_journal_are_detected() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("journal");
    drop(written(&path));
    let whole = std::fs::read(&path).expect("a file");
    let groups = whole.windows(12).rposition(|window| window == b" \"outcomes\"\n");
    let last = groups.expect("groups") - 17;
    assert_eq!(whole[last], b'\n');
    for at in 0..whole.len() {
        for bit in [1, 0x20, 0x80] {
            let mut damaged = whole.clone();
            damaged[at] ^= bit;
            std::fs::write(&path, &damaged).expect("it is written");
            match Journal::open(folder.path(), Access::Read) {
                Ok(journal) => {
                    // Without the line feed between them, the lines on both sides count as torn.
                    let expected = match at.cmp(&last) {
                        Ordering::Less => panic!("{at}: {bit:#x} went unnoticed"),
                        Ordering::Equal => (vec!["a".to_owned()], vec![]),
                        Ordering::Greater => (vec!["a".to_owned()], vec!["b".to_owned()]),
                    };
                    assert_eq!(contents(&journal), expected, "{at}: {bit:#x}");
                }
                Err(error) => assert!(at < last, "{at}: {error}"),
            }
        }
    }
}
