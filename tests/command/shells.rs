//! Completions in real shells: what each shell offers after a line.

use std::process::{Command, Stdio};

use super::Folder;
use crate::run;

/// Reads the script `completions` and completes the line `$LINE`. Prints what the shell offers.
const BASH: &str = r#"
    source completions
    words=($LINE)
    [[ $LINE == *' ' ]] && words+=('')
    COMP_WORDS=("${words[@]}")
    COMP_CWORD=$((${#words[@]} - 1))
    _plansift plansift "${words[COMP_CWORD]}" "${words[COMP_CWORD - 1]}"
    printf '%s\n' "${COMPREPLY[@]}"
"#;
const FISH: &str = "source completions; complete -C $LINE";
/// The completions of zsh need a line editor, and so a terminal. Each match passes `compadd`.
const ZSH: &str = r#"
    zmodload zsh/zpty
    zpty shell zsh -f -i
    zpty -w shell 'PS1= PS2=; setopt no_beep; autoload -Uz compinit; compinit -D -u'
    zpty -w shell 'source ./completions'
    zpty -w shell 'compadd() {
        local -a found
        case " $* " in (*" -"[OAD]" "*) builtin compadd "$@"; return;; esac
        builtin compadd -O found "$@"
        (( $#found )) && print -l -- "offer:"${^found} >> offers
        builtin compadd "$@"
    }'
    zpty -w shell 'finish() { print done >> offers; exit }; comppostfuncs=(finish)'
    zpty -w shell 'bindkey "^I" complete-word; zstyle ":completion:*" insert-tab false'
    zpty -w shell 'print ready >> offers'
    zpty -n -w shell "$LINE"$'\t'
    for attempt in {1..600}; do
        zpty -r -t shell output
        [[ -e offers ]] && grep -qx done offers && break
        sleep 0.05
    done
    sed -n 's/^offer://p' offers
"#;

/// Returns the words that a shell offers after a line; `None` if the shell is not installed.
fn offers(shell: &str, line: &str) -> Option<Vec<String>> {
    let folder = Folder::new();
    folder.write("completions", folder.run(&format!("completions {shell}")).out);
    folder.write("plan.json", "{}");
    let (options, script): (&[&str], _) = match shell {
        "bash" => (&["--noprofile", "--norc", "-c"], BASH),
        "fish" => (&["--no-config", "-c"], FISH),
        _ => (&["-f", "-c"], ZSH),
    };
    let mut command = Command::new(shell);
    command.args(options).arg(script).current_dir(folder.0.path()).env("LINE", line);
    let output = match command.env("HOME", folder.0.path()).stdin(Stdio::null()).output() {
        Ok(output) => output,
        Err(error) => {
            run::left_out(&format!("{shell}: {error}"));
            return None;
        }
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    // fish adds a description after a tab.
    Some(text.lines().map(|line| line.split('\t').next().unwrap_or_default().to_owned()).collect())
}

#[test]
fn shells_offer_options_formats_and_hosts() {
    for (line, wanted) in [
        ("plansift rep", &["report"][..]),
        ("plansift report --f", &["--fit", "--full", "--fail-on"]),
        ("plansift report plan.json --f", &["--fit", "--full", "--fail-on"]),
        ("plansift changes plan.json plan.json --form", &["--format"]),
        ("plansift merge out --o", &["--output"]),
        ("plansift report -o ", &["term", "markdown", "html", "github", "json", "sarif"]),
        ("plansift report plan.json --output m", &["markdown"]),
        ("plansift report -o json -o m", &["markdown"]),
        ("plansift report --fit ", &["github", "gitlab", "azure"]),
        ("plansift report plan.json -o markdown --fit gi", &["github", "gitlab"]),
        ("plansift changes --format ", &["ndjson", "json", "csv"]),
    ] {
        for shell in ["bash", "zsh", "fish"] {
            let Some(offers) = offers(shell, line) else { continue };
            for word in wanted {
                let is_offered = offers.iter().any(|offer| offer.trim_end_matches('=') == *word);
                assert!(is_offered, "{shell}, {line}: {word} is not in {offers:?}");
            }
        }
    }
}

/// bash takes `=` for a word, and offers files if the script offers nothing.
#[test]
fn shells_offer_files_after_a_format() {
    for line in ["plansift report -o html =", "plansift report plan.json -o html = pl"] {
        let Some(offers) = offers("bash", line) else { break };
        assert!(offers.iter().all(String::is_empty), "{line}: {offers:?}");
    }
    for shell in ["zsh", "fish"] {
        let Some(offers) = offers(shell, "plansift report -o html=pl") else { continue };
        let is_file = |offer: &String| offer.trim_start_matches("html=") == "plan.json";
        assert!(offers.iter().any(is_file), "{shell}: {offers:?}");
    }
}
