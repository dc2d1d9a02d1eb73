//! Sets the version, the commit, the features and the target that the program prints.

use std::process::Command;

fn main() {
    let [version, target, profile] = ["CARGO_PKG_VERSION", "TARGET", "PROFILE"].map(|name| {
        std::env::var(name).unwrap_or_else(|_| panic!("cargo sets {name} for build scripts"))
    });
    // A development build names no commit: each commit would compile everything again.
    let commit = (profile == "release").then(commit).flatten();
    let version = match commit {
        Some(commit) => format!("{version} ({commit})"),
        None => version,
    };
    let features = ["mcp", "stores", "tables"].map(|name| {
        let variable = format!("CARGO_FEATURE_{}", name.to_uppercase());
        std::env::var_os(variable).map_or(String::new(), |_| format!(", {name}"))
    });
    println!("cargo:rustc-env=PLANSIFT_VERSION={version}");
    println!("cargo:rustc-env=PLANSIFT_FEATURES=cli{}", features.concat());
    println!("cargo:rustc-env=PLANSIFT_TARGET={target}");
    println!("cargo:rerun-if-changed=build.rs");
}

/// The commit that is checked out, if this folder is the top of a repository. A package that was
/// unpacked inside another repository has no commit.
fn commit() -> Option<String> {
    if !rev_parse(&["--show-prefix"])?.is_empty() {
        return None;
    }
    // `logs/HEAD` changes with every commit and checkout.
    println!("cargo:rerun-if-changed={}", rev_parse(&["--git-path", "logs/HEAD"])?);
    rev_parse(&["--short=12", "HEAD"])
}

/// What `git rev-parse` prints for these arguments.
fn rev_parse(args: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("rev-parse").args(args).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
