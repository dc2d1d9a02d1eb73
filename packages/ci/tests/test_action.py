"""The action runs in act, against the stand-in for GitHub."""

import hashlib
import json
import os
import shutil
import subprocess

import pytest
from host import BOT, ROOT

ACT = ROOT / "target/actions/bin/act"
EVENT = {"number": 5, "pull_request": {"number": 5, "head": {"ref": "b"}, "base": {"ref": "main"}}}


class Run:
    """One run of a workflow with the action and a step after it."""

    def __init__(self, host, action, repository, inputs, event=EVENT):
        files = repository.parent / "act"
        shutil.rmtree(files, ignore_errors=True)
        files.mkdir()
        variables = {"STEP": "${{ toJSON(steps.plan) }}", "FILE": str(files / "step")}
        steps = [
            # act copies the repository instead.
            {"uses": "actions/checkout@v4"},
            {"id": "plan", "uses": "owner/plansift@v1", "with": inputs},
            {"if": "always()", "env": variables, "run": 'printf "%s" "$STEP" >"$FILE"'},
        ]
        jobs = {"plan": {"runs-on": "ubuntu-latest", "steps": steps}}
        # JSON is YAML.
        workflow = json.dumps({"on": "pull_request", "jobs": jobs})
        (files / "workflow.yml").write_text(workflow)
        (files / "event.json").write_text(json.dumps(event))
        run = subprocess.run(
            [ACT, "pull_request", "--platform", "ubuntu-latest=-self-hosted"]
            + ["--workflows", files / "workflow.yml", "--eventpath", files / "event.json"]
            + ["--local-repository", f"owner/plansift@v1={action}"]
            + ["--github-instance", host.name, "--secret", "GITHUB_TOKEN=t0ken"]
            + ["--no-cache-server", "--action-cache-path", files],
            cwd=repository,
            env=os.environ | host.variables | {"XDG_CACHE_HOME": str(files)},
            capture_output=True,
            text=True,
        )
        self.log = run.stdout + run.stderr
        self.passed = run.returncode == 0
        assert (files / "step").exists(), self.log
        step = json.loads((files / "step").read_text())
        self.outcome, self.outputs = step["outcome"], step["outputs"]
        assert self.passed == (self.outcome == "success")


@pytest.fixture
def run(host, action, repository):
    return lambda inputs, **options: Run(host, action, repository, inputs, **options)


def outputs(run, *names):
    return tuple(run.outputs.get(name) for name in names)


def test_a_plan_that_passes(run, host, repository):
    result = run({"plan": "passes.json", "fail-on": "@rules.txt", "sarif": True})
    assert result.outcome == "success", result.log
    names = "verdict", "exit-code", "change", "destroy", "has-changes", "has-destroy"
    assert outputs(result, *names) == ("pass", "0", "2", "0", "true", "false")
    summary = "## Plan: 0 to add, 2 to change, 0 to destroy."
    assert summary in result.log.partition("Summary - ")[2], "the summary of the step"
    [comment] = host.comments
    assert summary in comment["body"] and comment["user"]["login"] == BOT
    [upload] = host.findings
    git = ["git", "-C", repository, "rev-parse", "HEAD"]
    commit = subprocess.run(git, check=True, capture_output=True, text=True).stdout.strip()
    assert (upload["commit_sha"], upload["ref"]) == (commit, "refs/pull/5/merge")
    [findings] = upload["sarif"]["runs"]
    assert findings["automationDetails"] == {"id": "plansift/passes.json/"}
    assert findings["results"] == []


def test_a_plan_that_breaks_a_rule(run, host):
    result = run({"plan": "breaks.json", "fail-on": "@rules.txt", "sarif": "true"})
    assert result.outcome == "failure"
    names = "verdict", "exit-code", "broken-rules", "destroy", "has-destroy"
    assert outputs(result, *names) == ("fail", "3", "1", "13", "true"), result.log
    assert "Rule broken" in result.log
    [comment] = host.comments
    assert "delete" in comment["body"] and "13 to destroy" in comment["body"]
    [upload] = host.findings
    assert "delete" in [result["ruleId"] for result in upload["sarif"]["runs"][0]["results"]]


def test_a_damaged_plan(run, host):
    result = run({"plan": "damaged.json", "fail-on": "@rules.txt", "sarif": "true"})
    assert result.outcome == "failure"
    names = "verdict", "exit-code", "failed-plans", "has-changes", "has-destroy"
    assert outputs(result, *names) == ("error", "1", "1", "true", ""), result.log
    assert "the document is incomplete" in result.log
    [comment] = host.comments
    assert "Not read: 1" in comment["body"] and "`damaged.json`" in comment["body"]
    [upload] = host.findings
    assert not upload["sarif"]["runs"][0]["invocations"][0]["executionSuccessful"]


def test_a_rule_without_a_match_fails_on_request(run, host):
    rule = {"plan": "passes.json", "fail-on": "delete:no_such_type"}
    for strict, verdict in (("false", "pass"), ("true", "fail")):
        result = run({**rule, "strict-rules": strict})
        assert outputs(result, "verdict") == (verdict,), result.log
    assert "`delete:no_such_type` matches nothing" in host.comments[0]["body"]


def test_a_rule_knows_the_sets_of_a_file(run, repository):
    (repository / "sets.txt").write_text("@data =\n@data no_such_type\n")
    (repository / "more.txt").write_text("@own aws_db_*\n")
    files = "sets.txt\nmore.txt"
    for rule, verdict in (("destroy:@data", "pass"), ("destroy:@own", "fail")):
        result = run({"plan": "breaks.json", "fail-on": rule, "type-sets": files})
        assert outputs(result, "verdict") == (verdict,), result.log


def test_packs_are_checked(run, host):
    for pack, verdict in (("kubernetes", "pass"), ("kubernetes\nprotect", "fail")):
        result = run({"plan": "breaks.json", "pack": pack})
        assert outputs(result, "verdict") == (verdict,), result.log
    [comment] = host.comments
    assert "No object that holds data is destroyed" in comment["body"]


def test_the_next_run_replaces_the_comment(run, host, repository):
    run({"plan": "passes.json", "fail-on": "delete"})
    first = host.comments[0]["body"]
    shutil.copy(repository / "breaks.json", repository / "passes.json")
    assert run({"plan": "passes.json", "fail-on": "delete"}).outcome == "failure"
    [comment] = host.comments
    assert comment["body"] != first and "13 to destroy" in comment["body"]
    run({"plan": "passes.json\nbreaks.json"})
    assert len(host.comments) == 2, "other plans have another comment"


def test_wrong_arguments_leave_the_comment(run, host):
    run({"plan": "passes.json"})
    before = dict(host.comments[0])
    result = run({"plan": "passes.json", "arguments": "--no-such-option", "sarif": "true"})
    assert result.outcome == "failure"
    assert outputs(result, "verdict", "exit-code", "change") == ("error", "64", "")
    assert host.comments == [before] and host.findings == []


def test_a_run_without_a_pull_request_or_comment(run, host):
    assert run({"plan": "passes.json"}, event={}).outcome == "success"
    assert run({"plan": "passes.json", "comment": "false"}).outcome == "success"
    assert host.calls == []


def test_a_token_that_may_not_write(run, host):
    host.refusals = {"POST /repos": 403}
    result = run({"plan": "passes.json", "sarif": "true"})
    assert outputs(result, "verdict") == ("pass",) and result.outcome == "success"
    assert "the comment is refused (HTTP 403)" in result.log
    assert "the upload of the findings is refused (HTTP 403)" in result.log
    assert "t0ken" not in result.log


def test_a_wrong_digest_runs_nothing(run, host):
    result = run({"plan": "passes.json", "sha256": "0" * 64})
    assert result.outcome == "failure"
    assert "plansift is not installed: the digest of plansift-" in result.log
    assert not result.outputs.get("verdict") and host.calls == []
    digest = hashlib.sha256(host.archive.read_bytes()).hexdigest()
    assert run({"plan": "passes.json", "sha256": digest}).outcome == "success"


@pytest.mark.parametrize("name", ["plan", "fail-on", "arguments", "version"])
def test_hostile_inputs_are_not_run(run, repository, name):
    made = repository.parent / "made"
    values = [f"$(touch {made})", f"`touch {made}`", f"'; touch {made}; '", f'"; touch {made}; "']
    if name != "arguments":
        values.append(f"-ohtml={made}")
    result = run({"plan": "passes.json", name: "\n".join(values)})
    assert result.outcome == "failure"
    assert result.outputs["verdict"] == ("" if name == "version" else "error"), result.log
    assert not made.exists(), result.log


def test_odd_names_are_names(run, repository):
    odd = "-a \"b\" 'c' $HOME ~"
    shutil.copy(repository / "breaks.json", repository / odd)
    shutil.copy(repository / "breaks.json", repository / "delete:x")
    # The shell expands no pattern of a rule.
    result = run({"plan": f"{odd}\npasses.json", "fail-on": "delete:*\n\ncheck"})
    names = "verdict", "plans", "failed-plans", "broken-rules"
    assert outputs(result, *names) == ("fail", "2", "0", "2"), result.log
