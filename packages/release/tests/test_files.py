"""The files of a release: their names, digests, programs and documentation."""

import hashlib
import json
import os
import platform
import re
import subprocess
import tarfile
import zlib

import pytest
from artefacts import ROOT, check_program, commands, run, runner


def unpack(release, processor, libc, folder):
    """Unpacks an archive as a user does. Returns its only folder."""
    archive = release.archive(processor, libc)
    subprocess.run(["tar", "-xzf", archive], cwd=folder, check=True)
    (top,) = folder.iterdir()
    assert top.name == archive.name.removesuffix(".tar.gz")
    return top


def test_each_file_has_its_digest(release):
    listed = {}
    for line in (release.folder / "SHA256SUMS").read_text().splitlines():
        digest, name = line.split("  ")
        listed[name] = digest
    found = {path.name for path in release.folder.iterdir()} - {"SHA256SUMS"}
    assert set(listed) == found
    for name, digest in listed.items():
        assert hashlib.sha256((release.folder / name).read_bytes()).hexdigest() == digest, name


@pytest.mark.parametrize("libc", ["gnu", "musl"])
def test_an_archive_runs_where_it_is_unpacked(release, processor, libc, tmp_path):
    top = unpack(release, processor, libc, tmp_path)
    program = [*runner(processor), top / "plansift"]
    check_program(release, program)
    present = {str(path.relative_to(top)) for path in top.rglob("*") if path.is_file()}
    expected = {"plansift", "README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE",
                "THIRD-PARTY.txt", "docs/ci.md"}
    expected |= {f"complete/{name}" for name in COMPLETIONS}
    expected |= {f"man/plansift-{name}.1" for name in commands(program)} | {"man/plansift.1"}
    expected |= {f"ci/{name}" for name in ("api", "comment", "install", "review", "upload")}
    assert expected <= present, expected - present
    assert not [name for name in present if "test" in name or ".git" in name]


def test_the_script_for_jobs_installs_an_archive(release, processor, tmp_path):
    """curl is a copy of the file: `scripts/actions` tests the script against a server."""
    if processor != platform.machine():
        pytest.skip("the script installs the archive for the processor of the machine")
    (tmp_path / "bin").mkdir()
    curl = tmp_path / "bin/curl"
    curl.write_text('#!/bin/sh\nfor last; do :; done\ncp "$RELEASE/${last##*/}" "${last##*/}"\n')
    curl.chmod(0o755)
    given = {
        "PATH": f"{tmp_path}/bin:{os.environ['PATH']}",
        "RELEASE": str(release.folder),
        "PLANSIFT_VERSION": release.version,
        "PLANSIFT_RELEASES": "https://releases",
    }
    script = ROOT / "packages/ci/install"
    subprocess.run([script, tmp_path / "new"], env=given, check=True, capture_output=True)
    check_program(release, [tmp_path / "new/plansift"])
    assert (tmp_path / "new/ci/review").exists()


def test_links_in_an_archive_lead_to_its_files(release, processor, tmp_path):
    top = unpack(release, processor, "musl", tmp_path)
    broken = []
    pages = [top / "README.md", top / "CHANGELOG.md", top / "COMPARE.md", *(top / "docs").rglob("*.md")]
    for page in pages:
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            if not (page.parent / link).exists():
                broken.append(f"{page.relative_to(top)}: {link}")
    assert not broken


COMPLETIONS = {
    "plansift.bash": ["bash", "-n"],
    "_plansift": ["zsh", "-n"],
    "plansift.fish": ["fish", "--no-execute"],
    "plansift.elv": None,
    "_plansift.ps1": None,
}


def test_completions_are_scripts_of_their_shells(release, processor, tmp_path):
    complete = unpack(release, processor, "musl", tmp_path) / "complete"
    assert {path.name for path in complete.iterdir()} == set(COMPLETIONS)
    for name, check in COMPLETIONS.items():
        assert "summary" in (complete / name).read_text(), name
        if check and subprocess.run(["which", check[0]], capture_output=True).returncode == 0:
            subprocess.run([*check, complete / name], check=True)


def test_the_program_for_glibc_runs_on_old_systems(release, processor, tmp_path):
    program = unpack(release, processor, "gnu", tmp_path) / "plansift"
    symbols = run(["objdump"], "-T", program).stdout
    versions = {tuple(map(int, it.split("."))) for it in re.findall(r"GLIBC_([0-9.]+)", symbols)}
    assert versions, symbols
    assert max(versions) <= (2, 17), sorted(versions)


def test_the_program_for_musl_is_static(release, processor, tmp_path):
    program = unpack(release, processor, "musl", tmp_path) / "plansift"
    headers = run(["objdump"], "-p", program).stdout
    assert "LOAD" in headers
    assert "NEEDED" not in headers and "INTERP" not in headers


@pytest.mark.parametrize("libc", ["gnu", "musl"])
def test_a_program_names_no_folder_of_the_machine_that_built_it(release, processor, libc, tmp_path):
    program = (unpack(release, processor, libc, tmp_path) / "plansift").read_bytes()
    for folder in (str(ROOT), run(["sh"], "-c", "echo ${CARGO_HOME:-$HOME/.cargo}").stdout.strip()):
        assert folder.encode() not in program, folder


@pytest.mark.parametrize("libc", ["gnu", "musl"])
def test_a_program_lists_its_dependencies(release, processor, libc, tmp_path):
    """cargo-auditable writes them as compressed JSON into a section of the program."""
    program = unpack(release, processor, libc, tmp_path) / "plansift"
    section = tmp_path / "section"
    subprocess.run(
        ["objcopy", "-I", "elf64-little", "-O", "binary", "--only-section", ".dep-v0",
         "--set-section-flags", ".dep-v0=alloc", program, section], check=True)
    packages = json.loads(zlib.decompress(section.read_bytes()))["packages"]
    names = {package["name"]: package["version"] for package in packages}
    assert names["plansift"] == release.version
    assert {"serde", "mimalloc", "memmap2", "object_store", "parquet"} <= set(names)


def test_the_list_of_dependencies_has_those_of_the_program(release):
    document = json.loads(release.file("plansift-*.cdx.json").read_text())
    assert document["bomFormat"] == "CycloneDX"
    subject = document["metadata"]["component"]
    assert (subject["name"], subject["version"]) == ("plansift", release.version)
    names = {component["name"] for component in document["components"]}
    assert {"plansift-plan", "serde", "mimalloc", "object_store", "parquet"} <= names
    unlicensed = [one["name"] for one in document["components"] if not one.get("licenses")]
    assert not unlicensed
    assert str(ROOT) not in json.dumps(document)


def test_the_licences_of_the_dependencies_are_in_the_archive(release, processor, tmp_path):
    """The other lists also name the crates of features that are off."""
    text = (unpack(release, processor, "musl", tmp_path) / "THIRD-PARTY.txt").read_text()
    licensed = set(re.findall(r"^  (\S+) (\d\S*)(?: \(.*\))?$", text, re.M))
    tree = run(
        ["cargo", "tree"], "--locked", "--manifest-path", str(ROOT / "Cargo.toml"),
        "--package", "plansift", "--features", "tables", "--edges", "normal",
        "--target", f"{processor}-unknown-linux-musl", "--prefix", "none", "--format", "{p}")
    linked = set(re.findall(r"^(\S+) v(\S+)", tree.stdout, re.M))
    assert len(linked) > 100
    assert linked <= licensed, linked - licensed
    assert "Rich Felker" in text, "the licence of musl"
    for folder in (str(ROOT), os.path.expanduser("~")):
        assert folder not in text


def test_members_of_archives_tell_nothing_of_the_machine(release, processor):
    for libc in ("gnu", "musl"):
        with tarfile.open(release.archive(processor, libc)) as archive:
            members = archive.getmembers()
        assert {(it.uid, it.gid, it.uname, it.gname) for it in members} == {(0, 0, "", "")}
        assert len({it.mtime for it in members}) == 1
        modes = {it.mode for it in members if it.isfile()}
        assert modes == {0o644, 0o755}
        assert [it.name for it in members] == sorted(it.name for it in members)


def test_cargo_binstall_finds_the_archives(release, processor):
    """The names that `[package.metadata.binstall]` makes are those of the archives."""
    text = (ROOT / "Cargo.toml").read_text().split("[package.metadata.binstall]")[1].split("\n[")[0]
    values = dict(re.findall(r'^([a-z-]+) = "(.*)"$', text, re.M))
    for libc in ("gnu", "musl"):
        names = {"name": "plansift", "version": release.version, "bin": "plansift",
                 "target": f"{processor}-unknown-linux-{libc}", "repo": "REPOSITORY",
                 "archive-suffix": ".tar.gz", "binary-ext": ""}

        def filled(template):
            return re.sub(r"\{ ([a-z-]+) \}", lambda it: names[it.group(1)], template)

        address = filled(values["pkg-url"])
        assert address.startswith(f"REPOSITORY/releases/download/v{release.version}/")
        archive = release.folder / address.rpartition("/")[2]
        with tarfile.open(archive) as members:
            assert members.getmember(filled(values["bin-dir"])).mode == 0o755
        assert values["pkg-fmt"] == "tgz"
