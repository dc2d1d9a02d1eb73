"""The scripts alone: what they download, and which comment they replace."""

import os
import subprocess

import pytest
from host import BOT, PROGRAM, RELEASES, ROOT, VERSION


@pytest.fixture
def call(host, tmp_path):
    """Returns a function that runs a script and returns its exit code and messages."""

    def call(script, *arguments, **variables):
        given = host.variables | {
            "PLANSIFT_VERSION": VERSION,
            "PLANSIFT_RELEASES": host.address + RELEASES,
            "PLANSIFT_TOKEN": "t0ken",
            "PLANSIFT_API": f"{host.address}/api/v3",
            "PLANSIFT_GRAPHQL": f"{host.address}/api/graphql",
            "PLANSIFT_PULL_REQUEST": "5",
            "GITHUB_REPOSITORY": "owner/infra",
        }
        run = subprocess.run(
            [ROOT / "packages/ci" / script, *arguments],
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"], **given, **variables},
            capture_output=True,
            text=True,
        )
        return run.returncode, run.stdout + run.stderr

    return call


@pytest.fixture
def instead(tmp_path):
    """Returns a function that replaces a program by a script, and returns the search path."""

    def instead(name, text):
        program = tmp_path / "instead" / name
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)
        return f"{program.parent}:{os.environ['PATH']}"

    return instead


@pytest.mark.parametrize(
    "variables, message",
    [
        ({"PLANSIFT_VERSION": "9.9.9"}, "cannot download "),
        ({"PLANSIFT_VERSION": "../x"}, "the version is not like 0.2.0"),
        ({"PLANSIFT_VERSION": ""}, "the version is not like 0.2.0"),
        ({"PLANSIFT_VERSION": "1\n2"}, "the version is not like 0.2.0"),
        ({"PLANSIFT_RELEASES": "http://127.0.0.1:9"}, "cannot download http://127.0.0.1:9/v"),
        ({"PLANSIFT_RELEASES": "-K/dev/null"}, "cannot download -K/dev/null/v"),
        ({"PLANSIFT_SHA256": "0" * 64}, "the digest of plansift-"),
        ({"PLANSIFT_SHA256": "*"}, "the digest of plansift-"),
    ],
)
def test_what_cannot_be_checked_is_not_installed(call, tmp_path, variables, message):
    code, messages = call("install", "new", **variables)
    assert code == 1 and "plansift is not installed: " + message in messages
    assert not (tmp_path / "new/plansift").exists()


def test_a_damaged_archive_is_not_installed(call, host, tmp_path):
    whole = host.archive.read_bytes()
    host.archive.write_bytes(whole[:-1])
    try:
        code, messages = call("install", "new")
    finally:
        host.archive.write_bytes(whole)
    assert code == 1 and "and not the expected one" in messages
    assert not (tmp_path / "new/plansift").exists()
    assert call("install", "new")[0] == 0 and (tmp_path / "new/ci/review").exists()


def test_a_release_without_this_archive_is_not_installed(call, host):
    sums = host.archive.parent / "SHA256SUMS"
    whole = sums.read_text()
    sums.write_text(whole.splitlines()[0] + "\n")
    try:
        code, messages = call("install", "new")
    finally:
        sums.write_text(whole)
    assert code == 1 and "and not the expected one" in messages


def test_another_system_gets_no_release(call, instead):
    code, messages = call("install", "new", PATH=instead("uname", "echo Darwin arm64"))
    assert code == 1 and "there is no release for Darwin arm64" in messages


def test_a_report_without_a_plan_fails(call, tmp_path):
    for plan in ("", "\n"):
        variables = {"PLANSIFT_PLAN": plan, "PLANSIFT_PROGRAM": str(PROGRAM)}
        code, messages = call("review", "gitlab", "reports", **variables)
        assert code == 1 and "the input is empty" in messages
        assert "VERDICT=error" in (tmp_path / "reports/plan.env").read_text()


def test_a_plan_with_changes_passes_with_detailed_exit_codes(call, tmp_path):
    variables = {
        "PLANSIFT_PLAN": str(ROOT / "corpus/plans/rich/plan.json"),
        "PLANSIFT_PROGRAM": str(PROGRAM),
        "PLANSIFT_ARGUMENTS": "--detailed-exitcode",
    }
    assert call("review", "gitlab", "reports", **variables)[0] == 0
    counted = (tmp_path / "reports/plan.env").read_text()
    assert "VERDICT=pass" in counted and "EXIT_CODE=2" in counted


def test_findings_that_are_not_json_are_not_uploaded(call, host, tmp_path):
    (tmp_path / "plan.sarif").write_text("{")
    variables = {"PLANSIFT_PLAN": "tfplan", "GITHUB_SHA": "0" * 40, "GITHUB_REF": "refs/heads/main"}
    code, _ = call("upload", "plan.sarif", **variables)
    assert code != 0 and host.calls == [] and host.findings == []


@pytest.fixture
def comment(call, tmp_path):
    def comment(body, **variables):
        (tmp_path / "-comment.md").write_text(body)
        return call("comment", "github", "./-comment.md", **variables)

    return comment


def test_a_comment_is_found_on_any_page(comment, host):
    for number in range(250):
        host.add_comment("someone", f"comment {number}")
    mine = host.add_comment(BOT, "<!-- plansift:report marker -->\nold")
    host.add_comment(BOT, "another <!-- plansift:report marker -->")
    assert comment('<!-- plansift:report marker -->\nnew "\\ \u00fc\n') == (0, "")
    assert mine["body"] == '<!-- plansift:report marker -->\nnew "\\ \u00fc\n' and len(host.comments) == 252


def test_a_hundred_comments_are_one_page(comment, host):
    for number in range(100):
        host.add_comment("someone", f"comment {number}")
    assert comment("<!-- plansift:report marker -->\nnew") == (0, "")
    assert len(host.comments) == 101


def test_the_comment_of_another_user_stays(comment, host):
    theirs = host.add_comment("someone", "<!-- plansift:report marker -->\nApproved")
    assert comment("<!-- plansift:report marker -->\nnew") == (0, "")
    assert theirs["body"].endswith("Approved") and host.comments[1]["body"].endswith("new")


@pytest.mark.parametrize("text", ["", "\n", "another text", "<!-- marker -->\n"])
def test_only_a_report_becomes_a_comment(comment, host, text):
    mine = host.add_comment(BOT, "an unrelated comment")
    code, messages = comment(text)
    assert code == 1 and "this file is not a report" in messages
    assert mine["body"] == "an unrelated comment" and len(host.comments) == 1


def test_a_comment_without_a_text_is_not_ours(comment, host):
    host.add_comment(BOT, None)
    assert comment("<!-- plansift:report marker -->\nnew") == (0, "")
    assert len(host.comments) == 2


@pytest.mark.parametrize("refused", ["GET /repos", "POST /repos", "POST /graphql"])
def test_a_refusal_is_a_warning_and_an_error_fails(comment, host, refused):
    host.refusals = {refused: 403}
    code, messages = comment("<!-- plansift:report marker -->\nnew", GITHUB_ACTIONS="true")
    assert code == 0 and messages.startswith("::warning title=plansift::the comment is refused")
    host.refusals = {refused: 422}
    code, messages = comment("<!-- plansift:report marker -->\nnew")
    assert code == 1 and "HTTP 422" in messages and host.comments == []


def test_a_comment_is_never_written_twice(comment, host):
    # The host may have stored the comment before it failed.
    host.refusals = {"POST /repos": 503}
    code, messages = comment("<!-- plansift:report marker -->\nnew")
    assert code == 1 and "HTTP 503" in messages
    assert [method for method, _ in host.calls] == ["POST", "GET", "POST"]


def test_a_token_without_a_user_writes_nothing(comment, host):
    host.refusals = {"POST /graphql": 200}
    code, messages = comment("<!-- plansift:report marker -->\nnew")
    assert code == 1 and "the token has no user" in messages and host.comments == []


def test_no_command_line_and_no_file_contains_the_token(comment, instead, tmp_path):
    path = instead("curl", 'echo "$*" >&2; grep -r t0ken "$TMPDIR" >&2; exit 1')
    (tmp_path / "files").mkdir()
    code, messages = comment("<!-- plansift:report marker -->\nnew", PATH=path, TMPDIR=str(tmp_path / "files"))
    assert code == 1 and "/api/graphql" in messages and "t0ken" not in messages
