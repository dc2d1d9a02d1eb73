"""The packages of a release, installed into fresh roots and environments."""

import gzip
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from artefacts import PROCESSORS, ROOT, check_piped, check_program, commands, runner

COMMON = [
    "usr/bin/plansift",
    "usr/share/bash-completion/completions/plansift",
    "usr/share/fish/vendor_completions.d/plansift.fish",
    "usr/share/man/man1/plansift.1.gz",
    "usr/share/man/man1/plansift-summary.1.gz",
    "usr/share/doc/plansift/copyright",
    "usr/share/doc/plansift/THIRD-PARTY.txt",
    "usr/share/doc/plansift/changelog.gz",
]


def check_root(release, root, processor, zsh):
    """Checks a root into which a package was installed."""
    for name in [*COMMON, zsh]:
        assert (root / name).stat().st_size > 0, name
    program = [*runner(processor), root / "usr/bin/plansift"]
    check_program(release, program)
    pages = {path.name for path in (root / "usr/share/man/man1").iterdir()}
    expected = {f"plansift-{name}.1.gz" for name in commands(program)} | {"plansift.1.gz"}
    assert pages == expected
    page = gzip.decompress((root / "usr/share/man/man1/plansift-summary.1.gz").read_bytes())
    assert b".SH NAME\nplansift\\-summary" in page
    changes = gzip.decompress((root / "usr/share/doc/plansift/changelog.gz").read_bytes()).decode()
    assert f"## {release.version} " in changes


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can install packages")
def test_dpkg_installs_and_removes_the_package(release, processor, tmp_path):
    package = release.file(f"plansift_{release.version}_{PROCESSORS[processor]}.deb")
    for folder in ("updates", "info", "triggers"):
        (tmp_path / "var/lib/dpkg" / folder).mkdir(parents=True)
    (tmp_path / "var/lib/dpkg/status").touch()
    (tmp_path / "var/lib/dpkg/available").touch()
    dpkg = ["dpkg", f"--root={tmp_path}", "--force-not-root", "--force-script-chrootless",
            "--force-architecture", f"--log={tmp_path}/log"]
    subprocess.run([*dpkg, "--install", package], check=True, capture_output=True)
    check_root(release, tmp_path, processor, "usr/share/zsh/vendor-completions/_plansift")
    subprocess.run([*dpkg, "--purge", "plansift"], check=True, capture_output=True)
    assert not (tmp_path / "usr/bin/plansift").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can install packages")
def test_rpm_installs_and_removes_the_package(release, processor, tmp_path):
    package = release.file(f"plansift-{release.version}-1.{processor}.rpm")
    rpm = ["rpm", f"--root={tmp_path}", "--dbpath=/rpm", "--nosignature"]
    install = ["--ignorearch", "--ignoreos", "--install", package]
    subprocess.run([*rpm, *install], check=True, capture_output=True)
    check_root(release, tmp_path, processor, "usr/share/zsh/site-functions/_plansift")
    subprocess.run([*rpm, "--erase", "plansift"], check=True, capture_output=True)
    assert not (tmp_path / "usr/bin/plansift").exists()


def test_the_package_for_alpine_has_its_files(release, processor, tmp_path):
    """Without apk, the test unpacks the archive: three gzip streams, of which tar reads the files."""
    package = release.file(f"plansift_{release.version}_{processor}.apk")
    if shutil.which("apk"):
        apk = ["apk", "--root", tmp_path, "--allow-untrusted", "--no-network", "--arch", processor]
        subprocess.run([*apk, "add", "--initdb", package], check=True, capture_output=True)
    else:
        tar = ["tar", "-xz", "--ignore-zeros", "-f", package]
        subprocess.run(tar, cwd=tmp_path, check=True, capture_output=True)
        information = (tmp_path / ".PKGINFO").read_text()
        assert re.search(rf"^pkgver = {re.escape(release.version)}(-r0)?$", information, re.M)
        assert re.search(rf"^arch = {processor}$", information, re.M)
    check_root(release, tmp_path, processor, "usr/share/zsh/site-functions/_plansift")


def wheel(release, processor):
    return release.file(f"plansift-{release.version}-cp310-abi3-manylinux*_{processor}.whl")


def test_pip_installs_the_program_and_the_module(release, processor, tmp_path):
    if processor != platform.machine():
        pytest.skip(f"no Python for the processor {processor}; the test of its wheel unpacks it")
    venv.create(tmp_path, with_pip=True)
    python = tmp_path / "bin/python"
    pip = [python, "-m", "pip", "install", "--quiet", "--no-index", wheel(release, processor)]
    subprocess.run(pip, check=True)
    check_program(release, [tmp_path / "bin/plansift"])
    script = "import plansift, sys; print(plansift.__version__)"
    printed = subprocess.run([python, "-c", script], capture_output=True, text=True, check=True)
    assert printed.stdout.strip() == release.version
    subprocess.run([python, "-m", "pip", "uninstall", "--quiet", "--yes", "plansift"], check=True)
    assert not (tmp_path / "bin/plansift").exists()


def test_the_program_in_a_wheel_runs(release, processor, tmp_path):
    shutil.unpack_archive(wheel(release, processor), tmp_path, "zip")
    program = tmp_path / f"plansift-{release.version}.data/scripts/plansift"
    program.chmod(0o755)
    check_program(release, [*runner(processor), program])
    licences = tmp_path / f"plansift-{release.version}.dist-info/licenses"
    names = {path.name for path in licences.iterdir()}
    assert names == {"LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY.txt"}


CONTAINERFILE = ROOT / "packages/release/Containerfile"


def test_hadolint_accepts_the_containerfile():
    linter = os.path.join(os.path.dirname(sys.executable), "hadolint")
    linted = subprocess.run([linter, CONTAINERFILE], capture_output=True, text=True)
    assert (linted.returncode, linted.stdout) == (0, "")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a root that is not writable")
def test_the_image_runs_without_rights(release, tmp_path):
    """Runs the image with a user that has no rights, a root that it cannot write, and no network."""
    store = [f"--root={tmp_path}/store", f"--runroot={tmp_path}/run", "--storage-driver=vfs"]

    def buildah(*arguments):
        done = subprocess.run(["buildah", *store, *arguments], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    container = buildah("from", f"oci-archive:{release.file('plansift-*.oci.tar')}")
    described = json.loads(buildah("inspect", container))["OCIv1"]["config"]
    assert described["Labels"]["org.opencontainers.image.version"] == release.version
    user, program = described["User"], described["Entrypoint"]
    assert user == "65532:65532"
    root = Path(buildah("mount", container))
    files = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}
    assert files == {
        "usr/bin/plansift",
        "usr/share/doc/plansift/THIRD-PARTY.txt",
        "etc/ssl/certs/ca-certificates.crt",
    }
    isolated = (
        'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && user=$1 && shift &&'
        ' exec chroot --userspec="$user" "$0" "$@"'
    )
    command = ["unshare", "--mount", "--net", "sh", "-c", isolated, root, user, *program]
    check_piped(release, command)
