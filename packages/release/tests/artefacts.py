"""The files of a release, and what each program of a release must do."""

import os
import platform
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PLAN = ROOT / "corpus/plans/rich/plan.json"
PLAN_LINE = "Plan: 3 to import, 15 to add, 17 to change, 13 to destroy, 2 to forget."
# The names of each processor in Debian and in GitHub's tools.
PROCESSORS = {"x86_64": "amd64", "aarch64": "arm64"}
LIBRARIES = {name: f"/usr/{name}-linux-gnu" for name in PROCESSORS}


class Release:
    def __init__(self, folder):
        self.folder = folder
        self.version = folder.name.removeprefix("release-")

    def file(self, pattern):
        """The only file with a name like this."""
        found = list(self.folder.glob(pattern))
        assert len(found) == 1, f"{pattern}: {found}"
        return found[0]

    def archive(self, processor, libc):
        return self.file(f"plansift-{self.version}-{processor}-unknown-linux-{libc}.tar.gz")

    def processors(self):
        """The processors of the archives."""
        names = [path.name for path in self.folder.glob("*-linux-musl.tar.gz")]
        return {name.split("-")[2] for name in names}


def runner(processor):
    """The emulator of a processor, with its glibc. Nothing for the processor of this machine."""
    if processor == platform.machine():
        return []
    return [f"qemu-{processor}", "-L", LIBRARIES[processor]]


def run(command, *arguments):
    return subprocess.run([*command, *arguments], capture_output=True, text=True)


def check_program(release, command):
    """Checks a program that can read files here."""
    check_piped(release, command)
    summary = run(command, "summary", str(PLAN))
    assert (summary.returncode, PLAN_LINE in summary.stdout) == (0, True), summary


def check_piped(release, command):
    """Checks the version, a summary, and the refusal of a damaged plan."""
    version = run(command, "--version")
    pattern = rf"plansift {re.escape(release.version)} \([0-9a-f]{{12}}\)\nfeatures: cli, mcp, stores, tables\ntarget: .*\n"
    assert re.fullmatch(pattern, version.stdout), version

    plan = PLAN.read_bytes()
    summary = subprocess.run([*command, "summary"], input=plan, capture_output=True)
    assert (summary.returncode, PLAN_LINE in summary.stdout.decode()) == (0, True), summary

    damaged = subprocess.run([*command, "summary"], input=plan[:5000], capture_output=True)
    assert (damaged.returncode, damaged.stdout) == (1, b""), damaged
    assert b"byte 5000" in damaged.stderr, damaged


def commands(command):
    """The commands that have a manual page, with those below other commands."""
    names = run(command, "man", "--list").stdout.split()
    assert "summary" in names and "wire-decode" in names, names
    return names
