//! Terminal output: pages as wide as the screen, colours if wanted, and no control characters from
//! a plan.

use unicode_width::UnicodeWidthStr;

use super::{Folder, Run};
use crate::hostile::sample::{self, PLAN};
use crate::run;

/// Names that are too long or too wide, or that contain control or invisible characters.
const NAMES: [&str; 10] = [
    "module.a-very-long-name-of-a-module[0].module.and-another-one.aws_instance.of_letters[17]",
    "表表表表表表表表表表表表表表表表表表表表表表表表表表表表表表表表表表表表表表表表表表表表",
    "e\\u0301e\\u0301e\\u0301 combining",
    "families: 👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦",
    "\\u001b[2J\\u001b]0;title\\u0007\\u001b]8;;http://x\\u001b\\\\ escapes",
    "\\u009b31m\\u0085 of the second set",
    "line\\nfeed\\rreturn\\ttab\\bback\\u0000nul\\u007fdelete",
    "\\u202eright to left\\u202c\\u2066isolated\\u2069\\u200f\\u061c",
    "zero\\u200bwidth\\u200d\\ufeff\\u00ad\\u2028\\u2029",
    "\\udb40\\udc41 tags \\u180e",
];

fn hostile_plan() -> String {
    let actions = ["create", "update", "delete", "read", "forget", "no-op", "open", "x\\u001b[31m"];
    let changes = sample::of_changes(NAMES.len() * actions.len(), |number| {
        let name = NAMES[number % NAMES.len()];
        let action = actions[number / NAMES.len()];
        format!(
            r#"{{"address":"{name}","previous_address":"was {name}","type":"{name}",
            "deposed":"{name}","action_reason":"{name}","change":{{"actions":["{action}"],
            "before":{{"{name}":1}},"after":{{}},"importing":{{"id":"{name}"}}}}}}"#
        )
    });
    let rest: Vec<String> = NAMES.iter().map(|name| rest(name)).collect();
    let rest = |key: usize| {
        let parts: Vec<&str> =
            rest.iter().map(|part| part.lines().nth(key).expect("a line")).collect();
        parts.join(",")
    };
    format!(
        r#"{},"terraform_version":"{}","resource_drift":[{}],"deferred_changes":[{}],
        "checks":[{}],"output_changes":{{{}}}}}"#,
        changes.strip_suffix('}').expect("an object"),
        NAMES[4],
        rest(0),
        rest(1),
        rest(2),
        rest(3)
    )
}

/// Elements of other sections with that name, one per line.
fn rest(name: &str) -> String {
    let change = format!(r#"{{"address":"{name}","change":{{"actions":["{name}"]}}}}"#);
    format!(
        "{change}\n{{\"reason\":\"{name}\",\"resource_change\":{change}}}\n\
         {{\"address\":{{\"to_display\":\"{name}\"}},\"status\":\"{name}\",\
         \"instances\":[{{\"problems\":[{{\"message\":\"{name}\"}}]}}]}}\n\
         \"{name}\":{{\"actions\":[\"{name}\"]}}"
    )
}

/// Whether a terminal interprets a character, or it misleads a reader.
fn obeyed(character: char) -> bool {
    (character.is_control() && character != '\n')
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}')
}

#[test]
fn a_page_is_as_wide_as_the_screen() {
    let folder = Folder::of_plans();
    let long = format!("{}.json", "表".repeat(60));
    folder.write(&long, hostile_plan());
    folder.write("hostile.json", hostile_plan());
    for name in ["plan.json", "same.json", "hostile.json", &long] {
        for (args, columns) in [
            ("summary", 80),
            ("summary --all", 80),
            ("summary --all --top 100", 80),
            ("summary --all", 60),
            ("summary --all", 133),
            ("audit", 80),
            ("audit", 60),
        ] {
            let set = columns.to_string();
            let run = folder.run_with(&format!("{args} {name}"), &[("COLUMNS", &set)]);
            assert_eq!(run.code, Some(0), "{run:?}");
            assert!(run.out.lines().count() > 2, "{}", run.out);
            for line in run.out.lines() {
                let each: usize = line.chars().map(|c| c.to_string().width()).sum();
                assert!(line.width() <= columns && each <= columns, "{args} {columns}: {line}");
            }
        }
    }
}

/// Sentences of plansift are wrapped, and headings without words are explained.
#[test]
fn a_narrow_screen_cuts_no_sentence_and_explains_short_headings() {
    let narrow = [("COLUMNS", "80")];
    let folder = Folder::new();
    let plan = std::fs::read(run::root().join("corpus/plans/rich/plan.json")).expect("a plan");
    folder.write("a.json", &plan);
    folder.write("b.json", &plan);
    let joined = |run: &Run| run.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let one = joined(&folder.run_with("summary a.json", &narrow));
    for sentence in [
        "+ create, ~ update, -/+ replace, - delete, . forget, <= read.",
        "Replacements are counted apart here, and as added and destroyed in the plan line.",
        "Deferred (1 because the number of instances is not known yet): 1",
    ] {
        assert!(one.contains(sentence), "{sentence}: {one}");
    }
    let wide = folder.run_with("summary a.json", &[("COLUMNS", "200")]).out;
    assert!(!wide.contains("+ create, ~ update"), "{wide}");
    let two = joined(&folder.run_with("summary a.json b.json", &narrow));
    let legend = "chg change, del destroy, rep replace, imp import, mov move, fgt forget, drf \
                  drift, chk checks.";
    assert_eq!(two.matches(legend).count(), 1, "{two}");
    assert!(two.contains("as added and destroyed in the plan line."), "{two}");
    let wide = folder.run_with("summary a.json b.json", &[("COLUMNS", "200")]).out;
    assert!(!wide.contains("chg"), "{wide}");
}

/// Users who grep a report in CI must find every name.
#[test]
fn names_are_not_shortened_in_pipes_and_files() {
    let folder = Folder::new();
    let long = format!("module.{}.aws_instance.this[\\\"{}\\\"]", "m".repeat(90), "k".repeat(90));
    let plan = sample::of_changes(1, |_| {
        format!(
            r#"{{"address":"{long}","type":"aws_{}","change":{{"actions":["delete"]}}}}"#,
            "t".repeat(90)
        )
    });
    folder.write("plan.json", &plan);
    let other = format!("{}/plan.json", "w".repeat(120));
    std::fs::create_dir(folder.path(&"w".repeat(120))).expect("a folder");
    folder.write(&other, &plan);
    let page = folder.run("summary plan.json").out;
    let shown = long.replace("\\\"", "\"");
    assert!(page.contains(&shown) && page.contains(&"t".repeat(90)), "{page}");
    assert!(!page.contains('…'), "{page}");
    folder.run("summary -o page plan.json");
    assert_eq!(std::fs::read_to_string(folder.path("page")).expect("a page"), page);
    let table = folder.run(&format!("summary plan.json {other}")).out;
    assert!(table.contains(&"w".repeat(120)) && !table.contains('…'), "{table}");
    let narrow = folder.run_with("summary plan.json", &[("COLUMNS", "80")]).out;
    assert!(narrow.contains('…'), "{narrow}");
}

/// Uses the terminal's own width; `script` provides the terminal.
#[cfg(target_os = "linux")]
#[test]
fn the_summary_uses_the_width_of_the_terminal() {
    let folder = Folder::new();
    folder.write("hostile.json", hostile_plan());
    let plansift = run::plansift();
    let program = plansift.get_program().to_string_lossy().into_owned();
    for columns in [72, 120] {
        let inner =
            format!("stty cols {columns} rows 40; {program} summary --color never hostile.json");
        let run = std::process::Command::new("script")
            .args(["-qec", &inner, "/dev/null"])
            .current_dir(folder.0.path())
            .env_remove("COLUMNS")
            .stdin(std::process::Stdio::null())
            .output();
        let Ok(run) = run else { return };
        let text = String::from_utf8_lossy(&run.stdout).replace('\r', "");
        let widest = text.lines().map(UnicodeWidthStr::width).max().unwrap_or(0);
        assert!((columns - 4..=columns).contains(&widest), "{columns}: {widest}: {text}");
    }
}

/// `script` provides the terminal.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_shows_a_pattern_without_a_match_once() {
    let plansift = run::plansift();
    let program = plansift.get_program().to_string_lossy().into_owned();
    for (options, count) in [("", 1), (" -o json", 1), (" >/dev/null", 1), (" 2>/dev/null", 1)] {
        let rule = "--fail-on destroy:no_such_type_anywhere_in_this_plan";
        let inner = format!(
            "stty cols 60; {program} report --color never {rule} corpus/plans/update/plan.json\
             {options}"
        );
        let run = std::process::Command::new("script")
            .args(["-qec", &inner, "/dev/null"])
            .current_dir(run::root())
            .env_remove("COLUMNS")
            .stdin(std::process::Stdio::null())
            .output();
        let Ok(run) = run else { return };
        let text = String::from_utf8_lossy(&run.stdout).replace('\r', "");
        let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(joined.matches("matches nothing").count(), count, "{options}: {text}");
        if options.is_empty() {
            let (_, warning) = text.split_once("\n! Rule ").expect("a warning");
            let mut lines = warning.lines();
            assert!(lines.nth(1).is_some_and(|line| line.starts_with("  ")), "{text}");
        }
    }
}

#[test]
fn broken_rules_wrap_at_the_width_of_the_terminal() {
    let words =
        "Спросите команду платформы, прежде чем удалять. 삭제하기 전에 팀에 물어보세요. Ask first.";
    let rule = format!("destroy:* \"{words}\"");
    for columns in ["60", "61", "62", "120"] {
        let mut command = run::plansift();
        command.args(["report", "--fail-on", &rule, "corpus/plans/rich/plan.json"]);
        command.env("COLUMNS", columns).current_dir(run::root());
        let output = command.output().expect("it runs");
        assert_eq!(output.status.code(), Some(3), "{columns}");
        let page = String::from_utf8(output.stdout).expect("UTF-8");
        let (_, rules) = page.split_once("Broken rules\n").expect("a title");
        let (rules, _) = rules.split_once("\n\n").expect("a section after it");
        let width: usize = columns.parse().expect("a number");
        for line in rules.lines().filter(|line| line.trim().contains(' ')) {
            // Some addresses are wider than the narrowest screen.
            let is_one_word = !line.trim_start().trim_end_matches(',').contains(' ');
            assert!(line.width() <= width || is_one_word, "{columns}: {line}");
        }
        let joined = rules.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(joined.contains(words), "{columns}: {rules}");
    }
}

#[test]
fn failed_and_unknown_checks_are_listed_separately() {
    let check = |name: &str, status: &str| {
        format!(
            r#"{{"address":{{"to_display":"check.{name}","kind":"check"}},"status":"{status}",
            "instances":[]}}"#
        )
    };
    let checks =
        [check("a", "fail"), check("b", "unknown"), check("c", "error"), check("d", "pass")];
    let checks = checks.join(",");
    let plan = format!(r#"{{"format_version":"1.2","resource_changes":[],"checks":[{checks}]}}"#);
    let page = Run::piped("summary --color always", plan).out;
    let bold = "\u{1b}[1m";
    for text in [
        format!("{bold}Checks that failed\u{1b}[0m: 2\n\u{1b}[31m  !\u{1b}[0m check.a fail\n"),
        "\u{1b}[31m  !\u{1b}[0m check.c error\n".to_owned(),
        format!("{bold}Checks that are not known yet\u{1b}[0m: 1\n\u{1b}[33m  ?\u{1b}[0m check.b"),
    ] {
        assert!(page.contains(&text), "{text:?}: {page}");
    }
}

#[test]
fn every_list_has_as_many_rows_as_asked_for() {
    let plan = sample::of_changes(30, |number| {
        format!(
            r#"{{"address":"t{number}.a","previous_address":"t{number}.b","type":"t{number}",
            "change":{{"actions":["delete","create"],"importing":{{"id":"x"}}}}}}"#
        )
    });
    for (args, types, listed) in [("", 20, 8), ("--top 3", 3, 3), ("--top 30", 30, 30)] {
        let page = Run::piped(format!("summary {args}").trim(), &plan).out;
        let rows = |end: &str| page.lines().filter(|line| line.ends_with(end)).count();
        assert_eq!(rows(" 1"), types, "{args}: {page}");
        let of = |part: &str| page.matches(part).count();
        assert_eq!((of("-/+ t"), of("(was t")), (3 * listed, listed), "{args}: {page}");
        let more = 30 - listed;
        assert_eq!(of(&format!("    and {more} more\n")), if more > 0 { 3 } else { 0 }, "{page}");
        let note = "Replacements are counted apart here, and as added and destroyed";
        assert!(page.contains(note), "{page}");
    }
}

#[test]
fn the_summary_names_every_loss_of_data() {
    let kinds = [
        ("aws_db_instance", r#""delete","create""#),
        ("aws_s3_bucket", r#""delete""#),
        ("t", r#""delete""#),
    ];
    let plan = sample::of_changes(450, |number| {
        let (kind, actions) = kinds[number % kinds.len()];
        format!(
            r#"{{"address":"{kind}.r{number}","type":"{kind}","change":{{"actions":[{actions}]}}}}"#
        )
    });
    for (args, buckets, databases, more) in [
        ("", 150, 150, "and 150 more"),
        ("--top 200", 150, 50, "and 250 more, of which 100 hold data"),
        ("--top 400", 150, 150, "and 50 more"),
    ] {
        let page = Run::piped(format!("summary {args}").trim(), &plan).out;
        let count = |start: &str| page.lines().filter(|line| line.starts_with(start)).count();
        let found = (count("  - aws_s3_bucket.r"), count("-/+ aws_db_instance.r"));
        assert_eq!(found, (buckets, databases), "{args}: {page}");
        assert!(page.lines().any(|line| line.trim() == more), "{args}: {page}");
    }
}

#[test]
fn pages_have_no_control_characters() {
    let page = Run::piped("summary --all", hostile_plan());
    assert_eq!(page.code, Some(0), "{page:?}");
    let found: Vec<char> = page.out.chars().filter(|&character| obeyed(character)).collect();
    assert!(found.is_empty(), "{found:x?}");
    assert!(page.out.contains("\\u{1b}"), "they are shown by their numbers: {}", page.out);
}

#[cfg(target_os = "linux")]
#[test]
fn control_characters_in_file_names_are_escaped() {
    let folder = Folder::new();
    let name = "\u{1b}[31m\u{202e}\u{9b}\r\n\u{7}.json";
    folder.write(name, &PLAN[..100]);
    let both = |run: &Run| -> String { [run.out.as_str(), run.err.as_str()].concat() };
    for args in ["summary", "changes --format csv", "summary --stats"] {
        let run = folder.run(&format!("{args} {name}"));
        assert_eq!(run.code, Some(1));
        let text = &run.err;
        assert!(!text.chars().any(obeyed), "{text:?}");
        assert_eq!(text.lines().count(), 1, "{text:?}");
    }
    folder.write(name, format!("Some words\n{PLAN}"));
    let run = folder.run(&format!("summary {name}"));
    assert!(run.code == Some(0) && run.err.contains("warning"), "{run:?}");
    assert!(!both(&run).chars().any(obeyed), "{run:?}");
    // An output path that cannot be written.
    let run = folder.run(&format!("summary -o no-such-folder/{name} {name}"));
    assert!(run.code == Some(1) && !both(&run).chars().any(obeyed), "{run:?}");
}

#[test]
fn control_characters_in_arguments_are_escaped() {
    // A shell's `*` may expand to a file name that looks like an option.
    let run = Folder::new().run("summary --\u{1b}[31m");
    assert!(run.code == Some(64) && !run.err.chars().any(obeyed), "{run:?}");
}

#[test]
fn errors_do_not_quote_the_input() {
    // Only every 37th byte: a process for each byte would take too long.
    let places = (run::first_of(37)..PLAN.len()).step_by(37);
    for at in places.filter(|&at| PLAN.is_char_boundary(at)) {
        for canary in ["canary7391", "\u{1b}canary7391", "\"canary7391\":", "\\canary7391"] {
            let text = format!("{}{canary}{}", &PLAN[..at], &PLAN[at..]);
            let run = Run::piped("changes", text);
            assert!(!run.err.contains("canary"), "{at}: {}", run.err);
        }
    }
}

#[test]
fn colours_appear_on_terminals_and_on_request() {
    let folder = Folder::of_plans();
    for (args, variables, coloured) in [
        ("", &[][..], false),
        ("--color=auto ", &[], false),
        ("--color=always ", &[], true),
        ("--color always ", &[("NO_COLOR", "1")], true),
        ("--color=never ", &[("CLICOLOR_FORCE", "1")], false),
        ("", &[("CLICOLOR_FORCE", "1")], true),
        ("", &[("CLICOLOR_FORCE", "0")], false),
        ("", &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false),
        ("", &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "")], true),
        ("-no-color ", &[("CLICOLOR_FORCE", "1")], false),
    ] {
        let run = folder.run_with(&format!("summary {args}plan.json"), variables);
        assert_eq!(run.code, Some(0));
        assert_eq!(run.out.contains('\x1b'), coloured, "{args:?} {variables:?}");
    }
    let plain = folder.run("summary plan.json").out;
    let coloured = folder.run("summary --color always plan.json").out;
    assert_eq!(without_colours(&coloured), plain, "colours change nothing else");
    let records = folder.run("changes --color always plan.json").out;
    assert!(!records.contains('\x1b'), "records are data");
}

fn without_colours(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + part.split_once('m').map_or("an escape that is no colour", |(_, rest)| rest)
    })
}

#[test]
fn a_failed_check_with_several_messages_says_how_many() {
    let plan = r#"{"format_version":"1.2","resource_changes":[],"checks":[
        {"address":{"to_display":"check.a"},"status":"fail","instances":[{"address":
        {"to_display":"check.a"},"status":"fail","problems":[{"message":"One."},
        {"message":"Two."},{"message":"Three."}]}]},
        {"address":{"to_display":"check.b"},"status":"fail","instances":[{"address":
        {"to_display":"check.b"},"status":"fail","problems":[{"message":"Only."}]}]}]}"#;
    let run = Run::piped("summary -", plan);
    assert!(run.out.contains("\n  ! check.a fail, first of 3 messages: One.\n"), "{}", run.out);
    assert!(run.out.contains("\n  ! check.b fail: Only.\n"), "{}", run.out);
}

#[test]
fn sensitive_outputs_are_counted() {
    let plan = r#"{"format_version":"1.2","resource_changes":[],"output_changes":{
        "a":{"actions":["create"],"before":null,"after":"x","after_sensitive":true},
        "b":{"actions":["create"],"before":null,"after":"x","after_sensitive":false}}}"#;
    let run = Run::piped("summary -", plan);
    assert!(run.out.contains("\nOutputs    2 create; 1 sensitive\n"), "{}", run.out);
}
