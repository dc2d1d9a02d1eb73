"""`redact` and `slim` write an output as the program does."""

import os
import pathlib
import signal
import stat
import subprocess
import sys
import threading
import time

import plansift
import pytest

ROOT = pathlib.Path(__file__).parents[3]
RICH = ROOT / "corpus/plans/rich/plan.json"
UPDATE = ROOT / "corpus/plans/update/plan.json"
REWRITES = [plansift.redact, plansift.slim]


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("rewrite", REWRITES)
def test_outputs_have_the_mode_of_other_files(tmp_path, rewrite):
    new, replaced = tmp_path / "new", tmp_path / "replaced"
    replaced.write_text("old")
    replaced.chmod(0o640)
    umask = os.umask(0o022)
    try:
        rewrite(RICH, new)
        rewrite(RICH, replaced)
    finally:
        os.umask(umask)
    assert (mode(new), mode(replaced)) == (0o644, 0o640)
    assert new.read_bytes() == replaced.read_bytes() == rewrite(RICH)
    assert sorted(os.listdir(tmp_path)) == ["new", "replaced"]


@pytest.mark.parametrize("rewrite", REWRITES)
@pytest.mark.parametrize("exists", [False, True])
def test_links_stay_links(tmp_path, rewrite, exists):
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder/target", tmp_path / "link"
    link.symlink_to("folder/target")
    if exists:
        target.write_text("old")
    rewrite(RICH, link)
    assert os.readlink(link) == "folder/target"
    assert target.read_bytes() == rewrite(RICH)


@pytest.mark.parametrize("rewrite", REWRITES)
def test_a_pipe_is_written_in_place(tmp_path, rewrite):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found = []
    # Waits until the pipe is opened for writing.
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()), daemon=True)
    reader.start()
    rewrite(UPDATE, pipe)
    reader.join(10)
    assert found == [rewrite(UPDATE)]
    assert pipe.is_fifo() and os.listdir(tmp_path) == ["pipe"]


@pytest.mark.parametrize("rewrite", REWRITES)
def test_an_output_that_is_an_input_is_refused(tmp_path, monkeypatch, rewrite):
    monkeypatch.chdir(tmp_path)
    plan = tmp_path / "plan.json"
    plan.write_bytes(RICH.read_bytes())
    (tmp_path / "link").symlink_to("plan.json")
    (tmp_path / "list").write_text("plan.json\n")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for inputs, output in [
        (plan, plan),
        ("plan.json", "./plan.json"),
        ("plan.json", "link"),
        ("link", "plan.json"),
        (".", "plan.json"),
        ("*.json", plan),
        ([UPDATE, plan], plan),
        ("@list", "plan.json"),
        ("@list", "list"),
    ]:
        with pytest.raises(ValueError, match=f"^{output}: this is an input: name another file"):
            rewrite(inputs, output)
    code = f"import plansift; plansift.{rewrite.__name__}('-', 'plan.json')"
    with open(plan) as stdin:
        run = subprocess.run([sys.executable, "-c", code], stdin=stdin, capture_output=True)
    assert b"ValueError: plan.json: this is an input" in run.stderr
    assert before == {path.name: path.read_bytes() for path in tmp_path.iterdir()}


@pytest.mark.parametrize("rewrite", REWRITES)
def test_documents_follow_each_other(tmp_path, rewrite):
    plans = [UPDATE, RICH]
    expected = b"".join(map(rewrite, plans))
    assert all(rewrite(plan).endswith(b"\n") for plan in plans)
    for number, plan in enumerate(plans):
        (tmp_path / f"{number}.json").write_bytes(plan.read_bytes())
    stream = b"".join(plan.read_bytes() for plan in plans)
    for inputs in [plans, tmp_path, tmp_path / "*.json", stream]:
        assert rewrite(inputs) == expected


@pytest.mark.parametrize("rewrite", REWRITES)
def test_a_failure_leaves_the_output_as_it_was(tmp_path, rewrite):
    output = tmp_path / "output"
    for before in [None, b"old"]:
        if before:
            output.write_bytes(before)
        with pytest.raises(OSError, match="^<bytes 2>: byte 148311: the document is incomplete"):
            rewrite([RICH.read_bytes(), RICH.read_bytes()[:-9]], output)
        assert os.listdir(tmp_path) == (["output"] if before else [])
    assert output.read_bytes() == b"old"
    for path in [tmp_path / "missing/output", tmp_path]:
        with pytest.raises(OSError, match=f"^{path}: "):
            rewrite(RICH, path)


@pytest.mark.parametrize("rewrite", REWRITES)
def test_a_signal_leaves_the_output_as_it_was(tmp_path, rewrite):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "output").write_text("old")
    code = f"""
import plansift
print("ready", flush=True)
plansift.{rewrite.__name__}("pipe", "output")
"""
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    # Keeps the pipe open, so that the process waits for its end.
    writer = os.open(tmp_path / "pipe", os.O_RDWR)
    try:
        assert process.stdout.readline() == b"ready\n"
        deadline = time.monotonic() + 20
        while len(os.listdir(tmp_path)) == 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        assert len(os.listdir(tmp_path)) == 3
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    finally:
        process.kill()
        os.close(writer)
    assert b"KeyboardInterrupt" in errors
    assert sorted(os.listdir(tmp_path)) == ["output", "pipe"]
    assert (tmp_path / "output").read_text() == "old"
