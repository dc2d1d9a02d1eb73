"""The tables have the rows and the cells of the records that the program writes."""

import gzip
import json
import pathlib

import duckdb
import pandas
import plansift
import polars
import pyarrow
import pytest

ROOT = pathlib.Path(__file__).parents[3]
RICH = ROOT / "corpus/plans/rich/plan.json"
PLANS = sorted((ROOT / "corpus/plans").glob("*/plan.json"))


def rows(records):
    return pyarrow.table(records).to_pylist()


def test_every_library_reads_the_same_rows():
    changes = plansift.changes(RICH)
    expected = rows(changes)
    assert len(expected) == 45
    assert duckdb.sql("select count(*) from changes").fetchall() == [(45,)]
    assert polars.DataFrame(changes).to_dicts() == expected
    assert len(pyarrow.table(changes).to_pandas(types_mapper=pandas.ArrowDtype)) == 45


def test_a_stream_can_be_opened_again():
    changes = plansift.changes(RICH)
    assert rows(changes) == rows(changes)


def test_columns_and_filters():
    deleted = plansift.changes(RICH, columns=["address", "action"], actions="delete")
    assert deleted.columns == ["address", "action"]
    assert rows(deleted) and {row["action"] for row in rows(deleted)} == {"delete"}
    everything = rows(plansift.changes(RICH))
    for option, column in [("types", "type"), ("addresses", "address")]:
        some = everything[0][column]
        found = rows(plansift.changes(RICH, **{option: some}))
        assert [row for row in everything if row[column] == some] == [
            row for row in found if row[column] == some
        ]


def test_inputs_may_be_paths_bytes_and_folders(tmp_path):
    text = RICH.read_bytes()
    expected = len(rows(plansift.changes(str(RICH))))
    for given in [RICH, text, bytearray(text), gzip.compress(text), [RICH], (text,)]:
        assert len(rows(plansift.changes(given))) == expected
    both = rows(plansift.changes([RICH, text]))
    assert {row["source"] for row in both} == {str(RICH), "<bytes 1>"}
    for number in range(3):
        (tmp_path / f"{number}.json").write_bytes(text)
    plans = rows(plansift.plans(tmp_path))
    assert [row["workspace"] for row in plans] == [str(tmp_path / str(number)) for number in range(3)]


def test_errors_are_exceptions_or_rows(tmp_path):
    broken = tmp_path / "broken.json"
    broken.write_text('{"format_version":"1.2","resource_changes":[{]')
    inputs = [RICH, broken, tmp_path / "missing.json"]
    with pytest.raises(Exception, match="broken.json: byte 45"):
        rows(plansift.changes(inputs))
    plans = rows(plansift.plans(inputs, on_error="row"))
    assert [row["status"] for row in plans] == ["done", "failed", "failed"]
    changes = rows(plansift.changes(inputs, on_error="row"))
    errors = [row for row in changes if row["error"]]
    assert [row["source"] for row in errors] == [str(each) for each in inputs[1:]]
    assert len(changes) == 47


@pytest.mark.parametrize(
    "call",
    [
        lambda: plansift.changes([]),
        lambda: plansift.changes(RICH, columns=["adress"]),
        lambda: plansift.changes(RICH, actions="destory"),
        lambda: plansift.changes(RICH, on_error="ignore"),
        lambda: plansift.changes(RICH, workspace_from="plans"),
        lambda: plansift.table("change", RICH),
        lambda: plansift.outputs(RICH, types="a"),
    ],
)
def test_wrong_arguments_are_value_errors(call):
    with pytest.raises(ValueError):
        call()


def test_types_are_those_that_spark_and_athena_read():
    allowed = {"string", "int64", "bool", "list<item: string>", "timestamp[us, tz=UTC]"}
    for name in ["plans", "resource_changes", "paths", "resources", "checks", "outputs"]:
        schema = pyarrow.schema(plansift.table(name, RICH))
        assert schema == pyarrow.table(plansift.table(name, RICH)).schema
        assert {str(field.type) for field in schema} <= allowed
        assert all(field.nullable for field in schema)


def test_an_unread_stream_ends():
    stream = pyarrow.RecordBatchReader.from_stream(plansift.changes(PLANS, on_error="row"))
    stream.read_next_batch()
    stream.close()


def test_summary_redact_and_slim(tmp_path):
    (summary,) = plansift.summary(RICH)
    assert summary["source"] == str(RICH) and summary["terraform"]["add"] == 15
    secret = ROOT / "corpus/states/secrets.json"
    text = plansift.redact(secret)
    marked = json.loads(text)
    assert marked.keys() == json.loads(secret.read_bytes()).keys()
    output = tmp_path / "redacted.json"
    assert plansift.redact(secret, output) is None
    assert output.read_bytes() == text != secret.read_bytes()
    assert len(plansift.slim(RICH)) < RICH.stat().st_size
    with pytest.raises(OSError, match="missing.json"):
        plansift.redact(tmp_path / "missing.json")
