"""Fixtures: the host, its release, and a repository with plans."""

import shutil
import subprocess

import pytest
from host import ROOT, Host, release

RULES = "# loss of data\ndelete\n"


@pytest.fixture(scope="session")
def served(tmp_path_factory):
    releases = tmp_path_factory.mktemp("releases")
    archive = release(releases)
    host = Host(tmp_path_factory.mktemp("host"), releases)
    host.archive = archive
    return host


@pytest.fixture
def host(served):
    served.forget()
    return served


@pytest.fixture(scope="session")
def action(tmp_path_factory):
    """A copy of the action, which act copies again for each run."""
    folder = tmp_path_factory.mktemp("action")
    shutil.copy(ROOT / "action.yml", folder)
    scripts = shutil.ignore_patterns("tests")
    shutil.copytree(ROOT / "packages/ci", folder / "packages/ci", ignore=scripts)
    return folder


@pytest.fixture
def repository(tmp_path, served):
    """A repository with three plans: one changes objects, one deletes, and one is cut off."""
    folder = tmp_path / "infra"
    folder.mkdir()
    shutil.copy(ROOT / "corpus/plans/update/plan.json", folder / "passes.json")
    shutil.copy(ROOT / "corpus/plans/rich/plan.json", folder / "breaks.json")
    (folder / "damaged.json").write_bytes((folder / "breaks.json").read_bytes()[:5000])
    (folder / "rules.txt").write_text(RULES)
    git = ["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.com"]
    for arguments in ("init -q", "remote add origin https://HOST/owner/infra", "add -A", "commit -qm x"):
        subprocess.run([*git, *arguments.replace("HOST", served.name).split()], check=True)
    return folder
