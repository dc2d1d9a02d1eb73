"""The examples of the README run."""

import pathlib
import re

import pytest

PACKAGE = pathlib.Path(__file__).parents[1]
BLOCKS = re.findall(r"```python\n(.*?)```", (PACKAGE / "README.md").read_text(), re.DOTALL)


def test_the_first_example_answers_in_sql(monkeypatch, capsys):
    monkeypatch.chdir(PACKAGE.parents[1])
    exec(BLOCKS[0], {})
    printed = capsys.readouterr().out
    assert len(BLOCKS[0].splitlines()) <= 5
    assert re.search(r"delete\s*│\s*6 ", printed), printed


def test_the_example_with_values_masks_a_password(monkeypatch, capsys):
    monkeypatch.chdir(PACKAGE.parents[1])
    exec(BLOCKS[0] + BLOCKS[1], {})
    printed = capsys.readouterr().out
    assert re.search(r"primary *│ db.r6g.large *│ \(sensitive value\)", printed), printed


def test_ray_reads_what_one_process_reads(monkeypatch, tmp_path):
    ray = pytest.importorskip("ray", reason="needs ray[data]")
    import plansift
    import pyarrow

    plan = (PACKAGE / "../../corpus/plans/rich/plan.json").read_bytes()
    (tmp_path / "plans").mkdir()
    for number in range(20):
        (tmp_path / f"plans/{number}.json").write_bytes(plan)
    (tmp_path / "plans/broken.json").write_text('{"format_version":"1.2","resource_changes":[{]')
    monkeypatch.chdir(tmp_path)
    ray.init(num_cpus=2, include_dashboard=False)
    try:
        names = {}
        exec(BLOCKS[-1].replace('"plans/"', repr(str(tmp_path / "plans"))), names)
        found = pyarrow.concat_tables(ray.get(names["changes"].to_arrow_refs())).to_pylist()
    finally:
        ray.shutdown()
    expected = pyarrow.table(plansift.changes(tmp_path / "plans", on_error="row")).to_pylist()
    assert sorted(map(repr, found)) == sorted(map(repr, expected))
