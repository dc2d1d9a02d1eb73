//! Reports of hand-made records.

use std::borrow::Cow;
use std::io::Write;
use std::sync::{Arc, Mutex};

use super::{ComparisonForm, ComparisonOptions};
use crate::markdown::{Fit, Measure, Page, Rest};
use crate::screen::{Color, Screen, unpainted, width};
use crate::view::Detail;
use plansift_core::error::{Error, ErrorKind};
use plansift_plan::record::{
    Aspect, AspectDifference, CompareLevel, ComparedDocument, ComparedPair, ComparisonSummary,
    Direction, DirectionCounts, FoundIn, Label, LeftOut, LevelCounts, ObjectDifference, ObjectKind,
    Record, UNKNOWN,
};
use plansift_plan::sink::Sink;

const OPTIONS: ComparisonOptions = ComparisonOptions {
    detail: Detail::Excerpts,
    screen: Screen { color: Color::None, width: 80 },
    fit: Fit::NONE,
    patterns: None,
};

/// Bytes that a sink wrote.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Returns what a format writes for the records that `send` sends.
fn written(
    form: ComparisonForm,
    options: ComparisonOptions,
    send: impl Fn(&mut dyn Sink),
) -> String {
    let out = Shared::default();
    let page = out.clone();
    let pages = move |_| Ok(Box::new(page.clone()) as Page<'_>);
    let mut sink = form.sink(Box::new(pages), options).unwrap();
    send(sink.as_mut());
    sink.finish().unwrap();
    drop(sink);
    let bytes = std::mem::take(&mut *out.0.lock().unwrap());
    String::from_utf8(bytes).unwrap()
}

fn pair<'a>(workspace: Option<&'a str>, documents: [&'static str; 2]) -> Record<'a> {
    let [old, new] = documents;
    Record::ComparedPair(ComparedPair {
        schema_version: 1,
        workspace,
        old: ComparedDocument { source: "approved.json", document: old },
        new: ComparedDocument { source: "now.json", document: new },
        level: CompareLevel::Paths,
    })
}

/// Returns an object in the documents that have an action for it.
fn object<'a>(
    kind: ObjectKind,
    address: &'a str,
    direction: Direction,
    [old, new]: [&'a str; 2],
) -> ObjectDifference<'a> {
    let action = |word: &'a str| Some(word).filter(|word| !word.is_empty()).map(Cow::Borrowed);
    ObjectDifference {
        object: kind,
        address: address.into(),
        deposed: None,
        trigger: None,
        old_address: None,
        type_name: None,
        found_in: match (old, new) {
            ("", _) => FoundIn::New,
            (_, "") => FoundIn::Old,
            _ => FoundIn::Both,
        },
        level: CompareLevel::Actions,
        direction,
        old_action: action(old),
        new_action: action(new),
        differences: Vec::new(),
    }
}

fn difference<'a>(
    aspect: Aspect,
    direction: Direction,
    path: &'a str,
    [old, new]: [&'a str; 2],
) -> AspectDifference<'a> {
    let text = |text: &'a str| Some(text).filter(|text| !text.is_empty()).map(Cow::Borrowed);
    let level = CompareLevel::Paths;
    AspectDifference { aspect, level, direction, path: text(path), old: text(old), new: text(new) }
}

/// Returns the counts of a pair that differs at the level of paths.
fn summary(verdict: Option<Direction>, [more, less, resolved]: [u64; 3]) -> ComparisonSummary {
    ComparisonSummary {
        agrees: if more + less + resolved > 0 { None } else { Some(CompareLevel::All) },
        verdict,
        same: 120,
        differing: DirectionCounts { more, less, resolved },
        by_level: LevelCounts { actions: more + less + resolved, ..LevelCounts::default() },
        left_out: LeftOut::default(),
        hidden: 0,
        new_is_older: false,
    }
}

/// Sends a pair of plans with differences of every kind.
fn plans(sink: &mut dyn Sink) {
    use Aspect::*;
    use Direction::*;
    use ObjectKind::*;
    let mut send = |record: Record<'_>| sink.record(&record).unwrap();
    send(pair(None, ["plan", "plan"]));
    send(Record::ObjectDifference(object(Plan, "errored", More, ["false", "true"])));
    let kinds = [
        ("aws_db_instance.main", More, ["update", "replace"]),
        ("aws_instance.web[0]", More, ["update", "update"]),
        ("aws_s3_bucket.logs", Less, ["delete", ""]),
        ("aws_security_group_rule.open", More, ["", "create"]),
        ("module.net[\"a\"].aws_route.r", Less, ["update", "update"]),
        ("terraform_data.id", Resolved, ["create", "create"]),
    ];
    for (address, direction, actions) in kinds {
        let mut it = object(ResourceChange, address, direction, actions);
        it.type_name = Some(address.rsplit('.').nth(1).unwrap().into());
        it.differences = match address {
            "aws_db_instance.main" => vec![
                difference(Action, More, "", ["update", "replace"]),
                difference(Reason, More, "", ["", "replace_because_cannot_update"]),
                difference(Cause, More, "engine", ["", ""]),
                difference(Path, More, "engine", ["", "\"postgres\""]),
                difference(Path, Less, "tags.Owner", ["\"a\"", ""]),
            ],
            "aws_instance.web[0]" => vec![
                difference(Value, More, "ami", ["\"ami-1\"", "\"ami-2\""]),
                difference(Value, More, "password", ["\"(sensitive value)\""; 2]),
                difference(Sensitive, More, "password", ["", "sensitive"]),
                difference(Value, Resolved, "private_ip", [UNKNOWN, "\"10.0.0.1\""]),
            ],
            "terraform_data.id" => {
                vec![difference(Value, Resolved, "output", [UNKNOWN, "\"id-1\""])]
            }
            "module.net[\"a\"].aws_route.r" => {
                it.old_address = Some("aws_route.r".into());
                vec![
                    difference(Move, Less, "", ["aws_route.r", ""]),
                    difference(Path, Less, "gateway_id", ["\"igw-1\"", ""]),
                ]
            }
            _ => Vec::new(),
        };
        send(Record::ObjectDifference(it));
    }
    send(Record::ObjectDifference(object(OutputChange, "url", Less, ["create", ""])));
    send(Record::ObjectDifference(object(Check, "check.health", More, ["pass", "fail"])));
    send(Record::ObjectDifference(object(ResourceDrift, "aws_eip.e", More, ["", "delete"])));
    send(Record::ComparisonSummary(ComparisonSummary {
        by_level: LevelCounts { actions: 8, paths: 2, values: 1, all: 0 },
        left_out: LeftOut {
            timestamp: 1,
            versions: 0,
            applyable: 1,
            relevant_attributes: 12,
            text: 1,
        },
        hidden: 3,
        ..summary(Some(More), [6, 3, 1])
    }));
}

/// Sends the workspaces of two folders.
fn folders(sink: &mut dyn Sink) {
    use Direction::*;
    let mut send = |workspace, verdict, counts: [u64; 3]| {
        sink.record(&pair(Some(workspace), ["plan", "plan"])).unwrap();
        for (count, direction) in counts.into_iter().zip(Direction::ALL) {
            for index in 0..count {
                let address = format!("null_resource.{}[{index}]", direction.name());
                let it =
                    object(ObjectKind::ResourceChange, &address, direction, ["update", "delete"]);
                sink.record(&Record::ObjectDifference(it)).unwrap();
            }
        }
        if workspace == "broken" {
            let label = Label { source: "now/broken.json", workspace: Some(workspace) };
            sink.failed(label, &Error::new(ErrorKind::Truncated)).unwrap();
        } else {
            sink.record(&Record::ComparisonSummary(summary(verdict, counts))).unwrap();
        }
    };
    send("apps/api", None, [0, 0, 0]);
    send("apps/web", Some(Less), [0, 1, 0]);
    send("broken", None, [1, 0, 0]);
    send("data", Some(More), [2, 0, 1]);
    send("net", None, [0, 0, 0]);
}

/// Returns the lines of a text from the first line that begins with `start`.
fn from<'t>(text: &'t str, start: &str) -> Vec<&'t str> {
    text.lines().skip_while(|line| !line.starts_with(start)).collect()
}

/// Sends a pair with these objects.
fn one<'a>(
    documents: [&'static str; 2],
    objects: &'a [ObjectDifference<'a>],
    summary: ComparisonSummary,
) -> impl Fn(&mut dyn Sink) + 'a {
    move |sink| {
        sink.record(&pair(None, documents)).unwrap();
        for object in objects {
            sink.record(&Record::ObjectDifference(object.clone())).unwrap();
        }
        sink.record(&Record::ComparisonSummary(summary)).unwrap();
    }
}

#[test]
fn a_terminal_gets_the_verdict_the_levels_and_the_objects_by_direction() {
    let expected = r#"OLD  approved.json
NEW  now.json

NEW does more than OLD: 6 objects. Less: 3. Resolved: 1.

  actions  8 objects differ
  paths    10 objects differ  decides
  values   11 objects differ
  all      11 objects differ

More in NEW: 6
      errored  the plan: false -> true
  -/+ aws_db_instance.main  update -> replace
        + (reason) = because it cannot be updated in place
        + engine  # forces replacement
        + engine   = "postgres"
          less:
        - tags.Owner = "a"
    ~ aws_instance.web[0]  update
        ~ ami                  = "ami-1" -> "ami-2"
        ~ password             = (sensitive value)
        + password (sensitive)
          resolved:
        ~ private_ip = (known after apply) -> "10.0.0.1"
    + aws_security_group_rule.open  create, only in NEW
      check.health  check: pass -> fail
    - aws_eip.e  drift: delete, only in NEW

Less in NEW: 3
    - aws_s3_bucket.logs  delete, only in OLD
    ~ module.net["a"].aws_route.r  update, at aws_route.r in OLD
        - (moved from) = aws_route.r
        - gateway_id   = "igw-1"
    + output.url  create, only in OLD

Resolved in NEW: 1
    + terraform_data.id  create
        ~ output = (known after apply) -> "id-1"

120 objects are the same.
Left out, because it has no effect: the time of planning, whether the plan can
be applied, 12 relevant attributes, the text of 1 object (see --with).
Hidden, as asked for: 3 objects of OLD and NEW.
Before a path, + means only in NEW, and - only in OLD.
"#;
    assert_eq!(written(ComparisonForm::Term, OPTIONS, plans), expected);
}

#[test]
fn colours_add_nothing_but_colours() {
    let screen = Screen { color: Color::Terminal, width: 80 };
    let painted = written(ComparisonForm::Term, ComparisonOptions { screen, ..OPTIONS }, plans);
    assert!(painted.contains("\u{1b}[31mNEW does more than OLD"));
    assert_eq!(unpainted(&painted), written(ComparisonForm::Term, OPTIONS, plans));
}

#[test]
fn markdown_unfolds_what_new_does_more() {
    let text = written(ComparisonForm::Markdown, OPTIONS, plans);
    let expected = [
        "## NEW does more than OLD: 6 objects. Less: 3. Resolved: 1.",
        "",
        "OLD: `approved.json`, NEW: `now.json`",
        "",
        "| Level | |",
        "| --- | --- |",
        "| actions | 8 objects differ |",
        "| **paths** (decides) | **10 objects differ** |",
        "| values | 11 objects differ |",
        "| all | 11 objects differ |",
    ];
    assert_eq!(from(&text, "## ")[..10], expected);
    let expected = [
        "`-/+` **`aws_db_instance.main`** `update` -> `replace`",
        "",
        "```diff",
        "+ (reason) = because it cannot be updated in place",
        "+ engine # forces replacement",
        "+ engine = \"postgres\"",
        "```",
        "",
        "Less:",
        "",
        "```diff",
        "- tags.Owner = \"a\"",
        "```",
    ];
    assert_eq!(from(&text, "`-/+`")[..13], expected);
    let sections: Vec<&str> = text.lines().filter(|line| line.starts_with("<details")).collect();
    assert_eq!(sections, ["<details open>", "<details>", "<details>"]);
}

#[test]
fn a_page_has_each_object_as_data_and_the_first_ones_as_text() {
    let page = written(ComparisonForm::Html, OPTIONS, plans);
    for part in [
        "<h1 id=\"title\">approved.json → now.json</h1>",
        "<h2>More in NEW: 6</h2>",
        "<li><code>-/+ aws_db_instance.main</code> update -&gt; replace</li>",
        "{\"kind\":\"plan\",\"source\":\"now.json\"}\nnull\n",
        "[\"engine\",null,\"withheld\",\"replaces\"]",
        "[\"tags.Owner\",\"\\\"a\\\"\",null,\"less\"]",
        "\"module\":\"module.net[\\\"a\\\"]\"",
    ] {
        assert_eq!(page.matches(part).count(), 1, "{part}");
    }
}

#[test]
fn workspaces_share_one_table_with_the_worst_first() {
    let text = written(ComparisonForm::Term, OPTIONS, folders);
    let expected = [
        "5 workspaces at level paths: 1 more, 1 less, 2 the same, 1 not compared.",
        "",
        "                verdict       more  less  resolved  agrees at",
        "! broken        not compared",
        "  data          more             2     ·         1  no level",
        "  apps/web      less             ·     1         ·  no level",
        "  … and 2 workspaces without a difference.",
        "",
        "480 objects are the same.",
    ];
    assert_eq!(from(&text, "5 workspaces"), expected);
    let markdown = written(ComparisonForm::Markdown, OPTIONS, folders);
    let expected = [
        "| Workspace | Verdict | More | Less | Resolved | Agrees at |",
        "| --- | --- | ---: | ---: | ---: | --- |",
        "| `broken` | not compared | · | · | · |  |",
        "| `data` | more | 2 | · | 1 | no level |",
        "| `apps/web` | less | · | 1 | · | no level |",
        "",
        "… and 2 workspaces without a difference.",
    ];
    assert_eq!(from(&markdown, "| Workspace")[..7], expected);
    let page = written(ComparisonForm::Html, OPTIONS, folders);
    assert!(page.contains("<p id=\"line\" class=\"line\">5 workspaces at level paths: 1 more,"));
    // The objects of a pair that failed are dropped, and the script drops their data.
    assert_eq!(text.matches("null_resource.more").count(), 2);
    assert_eq!(markdown.matches("null_resource.more").count(), 2);
    assert_eq!(page.matches("<code>- null_resource.more").count(), 2);
    assert!(page.contains("{\"kind\":\"failed\",\"source\":\"now.json\"}"));
    // Workspaces without a difference have no part of their own.
    assert!(!text.contains("apps/api") && !markdown.contains("apps/api"));
}

#[test]
fn a_pair_that_fails_alone_has_no_verdict() {
    let send = |sink: &mut dyn Sink| {
        let label = Label { source: "now.json", workspace: None };
        sink.failed(label, &Error::new(ErrorKind::Truncated)).unwrap();
    };
    let error = "now.json: the document is incomplete: the input ends here\n";
    assert_eq!(written(ComparisonForm::Term, OPTIONS, send), error);
    let markdown = written(ComparisonForm::Markdown, OPTIONS, send);
    assert!(markdown.contains("## Not compared\n\n**Not compared: 1**\n"), "{markdown}");
    let page = written(ComparisonForm::Html, OPTIONS, send);
    assert!(page.contains("<h1 id=\"title\">Not compared</h1>"));
}

#[test]
fn the_verdict_of_equal_documents_names_the_level() {
    let mut summary = summary(None, [0, 0, 0]);
    let verdict = |summary| {
        let text = written(ComparisonForm::Term, OPTIONS, one(["plan", "plan"], &[], summary));
        text.lines().nth(3).unwrap().to_owned()
    };
    assert_eq!(verdict(summary), "The same at every level.");
    summary.agrees = Some(CompareLevel::Paths);
    summary.by_level.values = 2;
    assert_eq!(verdict(summary), "The same at level paths; values differ in 2 objects.");
    let page = written(ComparisonForm::Html, OPTIONS, one(["plan", "plan"], &[], summary));
    summary.by_level.values = 0;
    let words = "The same at level paths; OLD does not tell further levels.";
    assert_eq!(verdict(summary), words);
    let text = written(ComparisonForm::Term, OPTIONS, one(["approval", "plan"], &[], summary));
    assert!(text.contains("  paths    agrees  decides\n  values   not known\n"), "{text}");
    assert!(page.contains("</b> <span class=\"words\">2 objects differ</span>"));
}

#[test]
fn an_approval_names_no_paths_of_created_objects() {
    use Direction::*;
    let mut created = object(ObjectKind::ResourceChange, "a.b", More, ["create", "create"]);
    created.differences = vec![
        difference(Aspect::Path, More, "", ["", ""]),
        difference(Aspect::Value, More, "", ["", ""]),
    ];
    let mut updated = object(ObjectKind::ResourceChange, "a.c", More, ["update", "update"]);
    updated.differences = vec![
        difference(Aspect::Path, More, "ami", ["", ""]),
        difference(Aspect::Value, More, "id", ["", UNKNOWN]),
        difference(Aspect::Path, Less, "size", ["", ""]),
    ];
    let objects = [created, updated];
    let summary = summary(Some(More), [2, 0, 0]);
    let text = written(ComparisonForm::Term, OPTIONS, one(["approval", "plan"], &objects, summary));
    assert!(text.starts_with("OLD  approved.json  approval\nNEW  now.json\n"), "{text}");
    let expected = [
        "    + a.b  create",
        "        ~ (paths)",
        "        ~ (values)",
        "    ~ a.c  update",
        "        + ami",
        "        ~ id  = (not shown) -> (known after apply)",
        "          less:",
        "        - size",
    ];
    assert_eq!(from(&text, "    + a.b")[..8], expected);
}

#[test]
fn objects_of_states_were_created_changed_or_destroyed() {
    use Direction::*;
    let kind = ObjectKind::Resource;
    let mut changed = object(kind, "a.changed", More, ["exists", "exists"]);
    changed.differences = vec![difference(Aspect::Value, More, "size", ["1", "2"])];
    let objects = [
        changed,
        object(kind, "a.gone", Less, ["exists", ""]),
        object(kind, "a.new", More, ["", "exists"]),
    ];
    let send = one(["state", "state"], &objects, summary(Some(More), [2, 1, 0]));
    let text = written(ComparisonForm::Term, OPTIONS, &send);
    assert_eq!(text.lines().nth(3), Some("3 objects differ: 1 created, 1 changed, 1 destroyed."));
    for line in ["    ~ a.changed  changed", "    - a.gone  destroyed", "    + a.new  created"] {
        assert!(text.lines().any(|it| it == line), "{text}");
    }
    let page = written(ComparisonForm::Html, OPTIONS, &send);
    assert!(page.contains("\"action\":\"delete\",\"word\":\"destroyed\""));
    for form in ComparisonForm::ALL.into_iter().take(3) {
        assert!(!written(form, OPTIONS, &send).contains("exists"), "{form:?}");
    }
}

#[test]
fn an_object_lists_its_first_differences() {
    let mut many = object(ObjectKind::ResourceChange, "a.b", Direction::More, ["update"; 2]);
    let paths: Vec<String> = (0..30).map(|index| format!("path{index}")).collect();
    let value = |path| difference(Aspect::Value, Direction::More, path, ["1", "2"]);
    many.differences = paths.iter().map(|path| value(path)).collect();
    let objects = [many];
    let send = one(["plan", "plan"], &objects, summary(Some(Direction::More), [1, 0, 0]));
    for form in [ComparisonForm::Term, ComparisonForm::Markdown] {
        let text = written(form, OPTIONS, &send);
        assert!(text.contains("path19") && !text.contains("path20"), "{text}");
        assert!(text.contains("… and 10 more"), "{text}");
        let full = ComparisonOptions { detail: Detail::Full, ..OPTIONS };
        assert!(written(form, full, &send).contains("path29"));
    }
    assert!(written(ComparisonForm::Html, OPTIONS, &send).contains("path29"));
}

#[test]
fn markdown_that_does_not_fit_keeps_the_most_severe_objects() {
    let addresses: Vec<String> = (0..300).map(|index| format!("a.b[{index}]")).collect();
    let direction = |index| [Direction::Less, Direction::More][usize::from(index % 10 == 0)];
    let objects: Vec<ObjectDifference<'_>> = (0..300)
        .map(|index| {
            object(ObjectKind::ResourceChange, &addresses[index], direction(index), ["update"; 2])
        })
        .collect();
    let fit = Fit { max: 3000, measure: Measure::Characters, rest: Rest::LeftOut };
    let options = ComparisonOptions { fit, ..OPTIONS };
    let send = one(["plan", "plan"], &objects, summary(Some(Direction::More), [30, 270, 0]));
    let text = written(ComparisonForm::Markdown, options, send);
    assert!(text.chars().count() <= 3000);
    let listed = |modulo: fn(usize) -> bool| {
        addresses
            .iter()
            .enumerate()
            .filter(|(index, address)| modulo(*index) && text.contains(&format!("**`{address}`**")))
            .count()
    };
    assert_eq!(listed(|index| index % 10 == 0), 30);
    let less = listed(|index| index % 10 != 0);
    assert!(less > 20);
    let more = 270 - less;
    let last = format!("… and {more} more: {more} objects with less.");
    assert_eq!(text.lines().last(), Some(&*last));
}

#[test]
fn hostile_names_and_values_stay_text() {
    use Direction::*;
    let hostile = "\u{1b}[31m</script><img src=x>`|\u{202e}\n## title\n::error::x ##[y]";
    let mut it = object(ObjectKind::ResourceChange, hostile, More, [hostile, "update"]);
    it.deposed = Some(hostile.into());
    it.old_address = Some(hostile.into());
    it.type_name = Some(hostile.into());
    let aspects = [
        Aspect::Move,
        Aspect::Import,
        Aspect::Reason,
        Aspect::Path,
        Aspect::Cause,
        Aspect::Value,
        Aspect::Sensitive,
        Aspect::Text,
    ];
    it.differences = aspects.map(|aspect| difference(aspect, More, hostile, [hostile; 2])).to_vec();
    let send = |sink: &mut dyn Sink| {
        for workspace in [hostile, "broken"] {
            sink.record(&Record::ComparedPair(ComparedPair {
                schema_version: 1,
                workspace: Some(workspace),
                old: ComparedDocument { source: hostile, document: "plan" },
                new: ComparedDocument { source: hostile, document: "plan" },
                level: CompareLevel::All,
            }))
            .unwrap();
            sink.record(&Record::ObjectDifference(it.clone())).unwrap();
            sink.record(&Record::ComparisonSummary(summary(Some(More), [1, 0, 0]))).unwrap();
        }
        let label = Label { source: hostile, workspace: None };
        sink.failed(label, &Error::new(ErrorKind::Truncated)).unwrap();
    };
    let scripts = |page: &str| page.matches("</script>").count();
    let blocks = scripts(&written(ComparisonForm::Html, OPTIONS, plans));
    for form in ComparisonForm::ALL {
        let text = written(form, OPTIONS, send);
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
        for line in text.lines().map(str::trim_start) {
            assert!(!line.starts_with("::") && !line.starts_with("## title"), "{line}");
            assert!(!line.contains("##["), "{line}");
        }
        match form {
            ComparisonForm::Html => {
                assert!(!text.contains("<img"));
                assert_eq!(scripts(&text), blocks);
            }
            ComparisonForm::Markdown => {
                assert!(!outside_code(&text).contains("<img"), "{text}");
            }
            ComparisonForm::Term => {
                for line in from(&text, "3 workspaces").into_iter().skip(1) {
                    assert!(width(line) <= 80, "{line}");
                }
            }
            ComparisonForm::Json | ComparisonForm::Ndjson => {}
        }
    }
}

/// Returns the parts of Markdown outside of code spans and fences.
fn outside_code(text: &str) -> String {
    let (mut outside, mut rest) = (String::new(), text);
    while let Some(start) = rest.find('`') {
        outside += &rest[..start];
        let inside = rest[start..].trim_start_matches('`');
        let fence = "`".repeat(rest.len() - start - inside.len());
        // A run of another length does not end the span.
        let mut ends = inside.match_indices(&fence).map(|(at, _)| at);
        let is_end = |&at: &usize| {
            let after = &inside[at + fence.len()..];
            !inside[..at].ends_with('`') && !after.starts_with('`')
        };
        let end = ends.find(is_end).expect("a span is closed");
        rest = &inside[end + fence.len()..];
    }
    outside + rest
}
