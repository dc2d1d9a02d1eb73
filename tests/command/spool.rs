//! Inputs that can be read only once: plansift spools them to a file that only its owner can read,
//! and only when it needs them twice.

use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::Folder;
use crate::hostile::sample;
use crate::run;

/// Ends a test that hangs. No passing test takes so long.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The permission bits of the files in a folder that a process has open.
fn modes_of_open_files(child: &Child, folder: &Folder) -> Vec<u32> {
    let descriptors = format!("/proc/{}/fd", child.id());
    let mut modes = Vec::new();
    for entry in std::fs::read_dir(descriptors).expect("a running process").flatten() {
        let is_in_folder =
            std::fs::read_link(entry.path()).is_ok_and(|link| link.starts_with(folder.0.path()));
        if is_in_folder && let Ok(metadata) = std::fs::metadata(entry.path()) {
            modes.push(metadata.mode() & 0o7777);
        }
    }
    modes
}

#[test]
fn spooled_inputs_are_private_to_their_owner() {
    for args in ["redact -", "slim -", "audit -", "audit --echo off -", "report -"] {
        let folder = Folder::new();
        // The file mode must not depend on the user's umask.
        let mut command = Command::new("sh");
        command.args(["-c", &format!("umask 0; exec \"$0\" {args}")]);
        command.arg(run::plansift().get_program()).env("TMPDIR", folder.0.path());
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("it starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        let plan = sample::of_changes(2000, sample::create);
        stdin.write_all(&plan.as_bytes()[..1000]).expect("it reads");
        let started = Instant::now();
        let modes = loop {
            let modes = modes_of_open_files(&child, &folder);
            if !modes.is_empty() || started.elapsed() > TIMEOUT {
                break modes;
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        let names = folder.names();
        child.kill().expect("it is a child");
        child.wait().expect("it ends");
        assert_eq!(modes, [0o600], "{args}: {modes:?}");
        assert!(names.is_empty(), "{args}: {names:?}");
    }
}

#[test]
fn inputs_read_once_are_not_spooled() {
    let plan = sample::of_changes(5000, sample::create);
    let piped = |args: &str| {
        let mut command = run::plansift();
        command.args(args.split(' ')).env("TMPDIR", "/no/such/folder");
        run::with_input(command, plan.as_bytes())
    };
    for args in ["redact --echo off -", "slim --echo off -", "slim --no-redact -"] {
        let output = piped(args);
        assert_eq!(output.status.code(), Some(0), "{args}: {output:?}");
        assert!(output.stdout.len() > 1000, "{args}");
    }
    // These read their input twice: to find echoes or, in any audit, because marks of one section
    // apply to the others.
    for args in ["redact -", "slim -", "audit -", "audit --echo off -"] {
        let output = piped(args);
        assert_eq!(output.status.code(), Some(1), "{args}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("cannot spool the input to a temporary file"), "{args}: {said}");
    }
}
