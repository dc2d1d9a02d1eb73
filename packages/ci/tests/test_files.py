"""The files that hosts read agree with the program, with each other and with the pages."""

import hashlib
import os
import re
import shlex
import shutil
import subprocess

import yaml
from host import PROGRAM, RELEASES, ROOT, VERSION

TOOLS = ROOT / "target/actions/bin"
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
SPEC, JOB = yaml.safe_load_all((ROOT / "templates/plansift.yml").read_text())
INPUTS = SPEC["spec"]["inputs"]
PAGE = ROOT / "docs/ci.md"
WORKFLOWS = sorted((ROOT / ".github/workflows").iterdir())


def blocks(*words):
    """The documents in YAML of the page that have these words."""
    texts = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.S)
    return [text for text in texts if all(word in text for word in words)]


def lint(*arguments):
    """Runs zizmor, and returns what it finds."""
    command = [TOOLS / "zizmor", "--offline", "--no-progress", *arguments]
    run = subprocess.run(command, capture_output=True, text=True)
    return run.stdout + run.stderr if run.returncode else ""


def test_the_action_has_all_outputs_of_a_report(tmp_path):
    output = tmp_path / "output"
    command = [PROGRAM, "report", "-o", "github", ROOT / "corpus/plans/rich/plan.json"]
    subprocess.run(command, env={"GITHUB_OUTPUT": str(output)}, capture_output=True, check=True)
    reported = {line.split("=")[0] for line in output.read_text().splitlines()}
    own = {"program", "verdict", "exit-code", "comment-file", "sarif-file"}
    assert set(ACTION["outputs"]) == reported | own
    for name, value in ACTION["outputs"].items():
        assert value["value"].endswith(f".outputs.{name} }}}}"), name


def test_inputs_reach_scripts_only_through_variables():
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step["run"], step
    values = str([(step.get("env"), step.get("if")) for step in ACTION["runs"]["steps"]])
    for name in ACTION["inputs"]:
        assert f"inputs.{name} " in values, f"{name} is used"
    values = str(JOB)
    assert "$[[" not in str(JOB["$[[ inputs.job ]]"]["script"])
    for name in INPUTS:
        assert f"$[[ inputs.{name} ]]" in values, f"{name} is used"


def test_every_version_is_this_one():
    for page, least in (("README.md", 1), ("docs/install.md", 8), ("docs/ci.md", 4), ("COMPARE.md", 0)):
        text = (ROOT / page).read_text()
        versions = re.findall(r"(?:plansift[-_]|plansift:|release |@v|/v|: v)(\d+\.\d+\.\d+)", text)
        assert len(versions) >= least, page
        assert set(versions) <= {VERSION}, page
    assert ACTION["inputs"]["version"]["default"] == VERSION
    assert INPUTS["version"]["default"] == VERSION


def test_the_component_installs_as_the_action_does():
    install = (ROOT / "packages/ci/install").read_text()
    assert install in JOB["$[[ inputs.job ]]"]["script"][0]
    assert "default" not in INPUTS["releases"], "no host is invented"


def test_the_action_and_the_workflows_have_no_finding():
    assert WORKFLOWS
    assert lint("--persona=pedantic", ROOT / "action.yml", *WORKFLOWS) == ""


def test_the_workflows_pin_every_action():
    for text in [file.read_text() for file in WORKFLOWS]:
        for use in re.findall(r"uses: (.*)", text):
            assert re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", use), use


def test_the_workflow_of_the_page_has_no_finding(tmp_path):
    [text] = blocks("runs-on:")
    folder = tmp_path / ".github/workflows"
    folder.mkdir(parents=True)
    (folder / "plan.yml").write_text(text)
    assert lint(tmp_path) == ""


def test_the_page_uses_inputs_and_outputs_that_are_there():
    [text] = blocks("runs-on:")
    steps = yaml.safe_load(text)["jobs"]["plan"]["steps"]
    [step] = [step for step in steps if step.get("id") == "plan"]
    assert set(step["with"]) <= set(ACTION["inputs"])
    for name in re.findall(r"steps\.plan\.outputs\.([\w-]+)", text):
        assert name in ACTION["outputs"], name
    [text] = blocks("component:")
    [include] = yaml.safe_load(text)["include"]
    required = {name for name in INPUTS if "default" not in INPUTS[name]}
    assert required <= set(include["inputs"]) <= set(INPUTS)
    assert INPUTS["job"]["default"] in yaml.safe_load(text)
    for text in blocks():
        yaml.safe_load(text)


def test_the_lines_of_the_page_install_a_release(host, tmp_path):
    [lines] = re.findall(r"```text\n(archive=.*?)```", PAGE.read_text(), re.S)
    lines = re.sub("archive=.*", f"archive={host.archive.name}", lines)
    digest = hashlib.sha256(host.archive.read_bytes()).hexdigest()
    for given, code in ((digest, 0), ("0" * 64, 1)):
        variables = {"RELEASES": host.address + RELEASES, "SHA256": given, **host.variables}
        (tmp_path / "install.sh").write_text(lines)
        command = ["sh", "-e", tmp_path / "install.sh"]
        variables["PATH"] = os.environ["PATH"]
        run = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True)
        assert run.returncode == code, run.stderr
        assert (f"plansift {VERSION}" in run.stdout) == (code == 0)


def test_the_hook_refuses_an_echo(tmp_path):
    [hook] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    plans = ["infra/tfplan", "prod.tfplan", "infra/plan.json", "prod-plan.json", "plan.json.gz", "tfplan.json"]
    for name in (*plans, "terraform.tfstate", "terraform.tfstate.backup"):
        assert re.search(hook["files"], name), name
    for name in ("main.tf", "explan.json", "plan.json.md"):
        assert not re.search(hook["files"], name), name
    # pre-commit runs the hook with the names of files, from the top of the repository.
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/plansift").symlink_to(PROGRAM)
    path = {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}
    (tmp_path / "list.tfplan").write_text("rich.tfplan\n")
    for plan, name, code in (
        ("rich", "rich.tfplan", 0),
        ("secret-echoes", "leak.tfplan", 3),
        ("secret-echoes", "-h.tfplan", 3),
        ("secret-echoes", "@list.tfplan", 3),
    ):
        shutil.copy(ROOT / f"corpus/plans/{plan}/plan.json", tmp_path / name)
        command = [*shlex.split(hook["entry"]), "rich.tfplan", name]
        done = subprocess.run(command, cwd=tmp_path, env=path, capture_output=True, text=True)
        assert done.returncode == code, (name, done)


def test_the_scripts_have_no_finding():
    folder = ROOT / "packages/ci"
    # shellcheck follows `api` from the scripts that source it.
    scripts = [folder / name for name in ("install", "review", "comment", "upload")]
    command = [TOOLS / "shellcheck", "--external-sources", f"--source-path={folder}", *scripts]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.stdout + run.stderr == ""
