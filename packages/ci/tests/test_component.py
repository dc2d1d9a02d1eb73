"""The component runs in gitlab-ci-local, against the stand-in for GitLab."""

import json
import os
import shutil
import subprocess

import pytest
from host import BOT, RELEASES, ROOT

RUNNER = ROOT / "target/actions/node_modules/.bin/gitlab-ci-local"


class Run:
    """One run of a pipeline that includes the component."""

    def __init__(self, host, repository, inputs, token="t0ken", keep=False):
        shutil.rmtree(repository / ".gitlab-ci-local", ignore_errors=True)
        if not keep:
            shutil.rmtree(repository / ".plansift", ignore_errors=True)
        (repository / "templates").mkdir(exist_ok=True)
        shutil.copy(ROOT / "templates/plansift.yml", repository / "templates")
        inputs = {"releases": host.address + RELEASES, **inputs}
        include = [{"local": "templates/plansift.yml", "inputs": inputs}]
        (repository / ".gitlab-ci.yml").write_text(json.dumps({"include": include}))
        subprocess.run(["git", "-C", repository, "add", "-A"], check=True)
        variables = {
            "CI_PIPELINE_SOURCE": "merge_request_event",
            "CI_API_V4_URL": f"{host.address}/api/v4",
            "CI_PROJECT_ID": "7",
            "CI_MERGE_REQUEST_IID": "5",
            "PLANSIFT_TOKEN": token,
        }
        run = subprocess.run(
            [RUNNER, "--force-shell-executor", "--artifacts-to-source"]
            + [f"--variable={name}={value}" for name, value in variables.items()],
            cwd=repository,
            env=os.environ | host.variables,
            capture_output=True,
            text=True,
        )
        self.log = run.stdout + run.stderr
        self.passed = run.returncode == 0
        self.files = {file.name: file.read_text() for file in repository.glob(".plansift/*")}
        lines = self.files.get("plan.env", "").splitlines()
        self.variables = dict(line.removeprefix("PLANSIFT_").split("=") for line in lines)


@pytest.fixture
def run(host, repository):
    return lambda inputs, **options: Run(host, repository, inputs, **options)


def test_a_plan_that_passes(run, host):
    result = run({"plan": "passes.json", "fail-on": "@rules.txt"})
    assert result.passed, result.log
    values = [result.variables[name] for name in ("VERDICT", "EXIT_CODE", "CHANGE", "DESTROY")]
    assert values == ["pass", "0", "2", "0"]
    assert len(result.variables) == 20, "what a server accepts"
    assert json.loads(result.files["counts.json"]) == {"create": 0, "update": 2, "delete": 0}
    assert json.loads(result.files["quality.json"]) == []
    assert 'failures="0"' in result.files["plan.xml"]
    summary = "Plan: 0 to add, 2 to change, 0 to destroy."
    [note] = host.comments
    assert summary in result.log and summary in note["body"]
    assert note["author"]["username"] == BOT and "t0ken" not in result.log


def test_a_plan_that_breaks_a_rule(run, host):
    result = run({"plan": "breaks.json", "fail-on": "@rules.txt"})
    assert not result.passed
    values = [result.variables[name] for name in ("VERDICT", "EXIT_CODE", "BROKEN_RULES")]
    assert values == ["fail", "3", "1"], result.log
    assert json.loads(result.files["counts.json"])["delete"] > 0
    assert "rule delete" in result.files["plan.xml"] and json.loads(result.files["quality.json"])
    [note] = host.comments
    assert "13 to destroy" in note["body"]


def test_a_damaged_plan(run, host):
    result = run({"plan": "damaged.json", "fail-on": "@rules.txt"})
    assert not result.passed and "the document is incomplete" in result.log
    values = [result.variables[name] for name in ("VERDICT", "EXIT_CODE", "HAS_CHANGES")]
    assert values == ["error", "1", "true"], result.log
    assert result.files["counts.json"] == "", "GitLab calls the report invalid"
    [note] = host.comments
    assert "Not read: 1" in note["body"]


def test_a_rule_without_a_match_fails_on_request(run):
    rule = {"plan": "passes.json", "fail-on": "delete:no_such_type"}
    for strict, verdict in (("false", "pass"), ("true", "fail")):
        result = run({**rule, "strict-rules": strict})
        assert result.variables["VERDICT"] == verdict, result.log


def test_a_rule_knows_the_sets_of_a_file(run, repository):
    (repository / "sets.txt").write_text("@data =\n@data no_such_type\n")
    (repository / "more.txt").write_text("@own aws_db_*\n")
    files = "sets.txt\nmore.txt"
    for rule, verdict in (("destroy:@data", "pass"), ("destroy:@own", "fail")):
        result = run({"plan": "breaks.json", "fail-on": rule, "type-sets": files})
        assert result.variables["VERDICT"] == verdict, result.log


def test_packs_are_checked(run, host):
    for pack, verdict in (("kubernetes", "pass"), ("kubernetes\nprotect", "fail")):
        result = run({"plan": "breaks.json", "pack": pack})
        assert result.variables["VERDICT"] == verdict, result.log
    [note] = host.comments
    assert "No object that holds data is destroyed" in note["body"]


def test_the_next_run_replaces_the_note(run, host, repository):
    host.add_comment("someone", "Looks good")
    run({"plan": "passes.json"})
    shutil.copy(repository / "breaks.json", repository / "passes.json")
    run({"plan": "passes.json"})
    _, note = host.comments
    assert "13 to destroy" in note["body"]


def test_wrong_arguments_leave_the_note(run, host):
    result = run({"plan": "passes.json", "arguments": "--no-such-option"})
    assert not result.passed and host.calls == []
    assert result.variables == {"VERDICT": "error", "EXIT_CODE": "64"}


def test_files_of_the_repository_are_no_reports(run, host, repository):
    """A merge request may contain files, links and a link in place of the folder."""
    elsewhere = repository.parent / "elsewhere"
    elsewhere.mkdir()
    folder = repository / ".plansift"
    for arguments, code in (("--no-such-option", "64"), ("", "0")):
        for link in (False, True):
            if link:
                folder.symlink_to(elsewhere)
            else:
                folder.mkdir()
                (folder / "comment.md").write_text("<!-- plansift:report x -->\nforged")
                (folder / "variables").write_text("PLANSIFT_VERDICT=pass\nLD_PRELOAD=x\n")
                (folder / "counts.json").symlink_to("/proc/self/environ")
            result = run({"plan": "passes.json", "arguments": arguments}, keep=True)
            assert result.variables["EXIT_CODE"] == code, result.log
            assert "LD_PRELOAD" not in result.variables and "forged" not in str(host.comments)
            assert list(elsewhere.iterdir()) == []
            assert len(host.comments) == (1 if code == "0" else 0)
            shutil.rmtree(folder)


def test_a_job_without_a_token_writes_no_note(run, host):
    result = run({"plan": "passes.json"}, token="")
    assert result.passed and "the comment needs a token" in result.log and host.calls == []


def test_a_note_that_fails_does_not_hide_the_verdict(run, host):
    host.refusals = {"POST": 500}
    assert not run({"plan": "passes.json"}).passed
    result = run({"plan": "breaks.json", "fail-on": "delete"})
    assert not result.passed and "HTTP 500" in result.log and "FAIL 3" in result.log


def test_a_wrong_digest_runs_nothing(run, host):
    result = run({"plan": "passes.json", "sha256": "0" * 64})
    assert not result.passed and "plansift is not installed: the digest of" in result.log
    assert "passes.json\n" not in result.log and result.files == {} and host.calls == []


@pytest.mark.parametrize("name", ["plan", "arguments", "version"])
def test_hostile_inputs_are_not_run(run, repository, name):
    made = repository.parent / "made"
    value = f"$(touch {made})\n`touch {made}`\n'; touch {made}; '\n\"; touch {made}; \""
    result = run({"plan": "passes.json", name: value})
    assert not result.passed and not made.exists(), result.log
    if name != "version":
        assert result.variables["VERDICT"] == "error", result.log
