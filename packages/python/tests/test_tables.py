"""The tables have the rows and the cells of the records that the program writes."""

import gzip
import http.server
import itertools
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import warnings

import duckdb
import fleets
import pandas
import plansift
import polars
import pyarrow
import pytest

ROOT = pathlib.Path(__file__).parents[3]
RICH = ROOT / "corpus/plans/rich/plan.json"
PLANS = sorted((ROOT / "corpus/plans").glob("*/plan.json"))
STATES = [ROOT / "corpus/states/secrets.json", ROOT / "corpus/native-states/modules.tfstate"]
PLANTED = [plan for plan in PLANS if b"CANARY-" in plan.read_bytes()] + STATES
# Attributes that are secret in some of the planted documents.
SELECT = ["password", "input", "output", "id", "tags", "text", "result"]


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


# The columns of filters. The types of outputs and variables are JSON, not types of resources.
FILTERS = {
    "actions": ["action"],
    "types": ["type"],
    "modules": ["module_address", "module"],
    "addresses": ["address"],
}
UNFILTERED = {("output_values", "types"), ("variables", "types")}
TABLES = ["plans", "resource_changes", "drift", "outputs", "checks", "invocations", "paths"]
TABLES += ["relevant_attributes", "documents", "resources", "output_values", "variables"]
TABLES += ["check_results", "elements", "references", "findings"]


@pytest.mark.parametrize(
    ("table", "option"),
    # The rows of `paths` have no module, but their changes do: see the next test.
    [pair for pair in itertools.product(TABLES, FILTERS) if pair != ("paths", "modules")],
)
def test_a_filter_selects_rows_by_its_column_or_is_an_error(table, option):
    options = {"references": "module.dns"} if table == "references" else {"all": True}
    inputs = [RICH, ROOT / "corpus/plans/secret-modules/plan.json"]
    records = plansift.table(table, inputs, **options)
    columns = [name for name in FILTERS[option] if name in records.columns]
    if not columns or (table, option) in UNFILTERED:
        with pytest.raises(ValueError, match=f"^{option} cannot filter the table {table}: "):
            plansift.table(table, inputs, **options, **{option: "delete"})
        return
    everything = rows(records)
    cells = {row[columns[0]] for row in everything}
    assert cells
    for cell in cells:
        if cell is None and option != "modules":
            continue
        # A pattern with a leading `=` matches only this text. The root module has no address.
        pattern = cell if option == "actions" else "=" + (cell or "")
        found = rows(plansift.table(table, inputs, **options, **{option: pattern}))
        assert found == [row for row in everything if row[columns[0]] == cell]


def test_paths_are_filtered_by_the_modules_of_their_changes():
    for module in ["module.database", ""]:
        found = rows(plansift.paths(RICH, modules=module))
        changes = rows(plansift.changes(RICH, modules=module)) + rows(
            plansift.drift(RICH, modules=module)
        )
        assert found and {row["address"] for row in found} <= {row["address"] for row in changes}
        assert {row["module_address"] for row in changes} == {module or None}


@pytest.mark.parametrize(
    ("records", "message"),
    [
        (plansift.changes(RICH, types="aws_instanc"), "types: aws_instanc matches nothing.*ance?"),
        (plansift.drift(RICH, addresses=["aws_eip.a"]), "addresses: aws_eip.a matches nothing"),
        (plansift.paths(RICH, modules="module.databas"), "modules: .* in such a module: did you"),
        (plansift.resources(RICH, modules="module.databas"), "modules: .* in such a module"),
        (plansift.resources(RICH, select=["tags", "tagz"]), "select: tagz matches nothing"),
        (plansift.checks(RICH, addresses="check.a"), "addresses: .* no check has such an address"),
        (plansift.invocations(RICH, types="a"), "types: a matches nothing, no action is invoked"),
        (plansift.references(RICH, "aws_vpc.a"), "no configuration has anything named aws_vpc.a"),
        (plansift.dependents(RICH, "aws_vpc.a"), "no configuration has anything named aws_vpc.a"),
    ],
)
def test_what_matches_nothing_is_a_warning(records, message):
    with pytest.warns(plansift.UnmatchedWarning, match=f"^{message}") as warned:
        rows(records)
    assert len(warned) == 1 and issubclass(plansift.UnmatchedWarning, UserWarning)
    with warnings.catch_warnings():
        warnings.simplefilter("error", plansift.UnmatchedWarning)
        with pytest.raises(pyarrow.ArrowException, match=f"UnmatchedWarning: {message}"):
            rows(records)


def test_what_matches_in_one_input_is_no_warning(tmp_path):
    (tmp_path / "plan.json").write_text('{"format_version":"1.2"}')
    (tmp_path / "rich.json").write_bytes(RICH.read_bytes())
    (unchanged,) = [
        row["type"] for row in rows(plansift.changes(RICH, all=True)) if row["action"] == "no-op"
    ][:1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rows(plansift.changes(tmp_path, types=["aws_db_*", unchanged]))
        assert rows(plansift.resources(tmp_path, modules="module.database", select="tags"))
        assert rows(plansift.dependents(tmp_path, "module.dns"))
        assert rows(plansift.checks(tmp_path, addresses="check.certificate"))
        # An unfinished read cannot know.
        stream = pyarrow.RecordBatchReader.from_stream(plansift.changes([RICH, b"{"], types="a"))
        with pytest.raises(pyarrow.ArrowException, match="bytes 1"):
            stream.read_all()


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


def test_the_workspace_does_not_depend_on_other_inputs():
    for inputs in [RICH, [RICH, PLANS[0]]]:
        assert rows(plansift.changes(inputs))[0]["workspace"] == str(RICH.parent)
        assert plansift.summary(inputs)[0]["workspace"] == str(RICH.parent)


def test_a_folder_has_states_for_the_tables_that_read_them(tmp_path):
    (tmp_path / "plan.json").write_bytes(RICH.read_bytes())
    (tmp_path / "state.json").write_bytes(STATES[0].read_bytes())
    for table in ["resources", "output_values", "check_results", "findings", "documents"]:
        sources = {row["source"] for row in rows(plansift.table(table, tmp_path))}
        assert str(tmp_path / "state.json") in sources, table
        assert len(plansift.expand(tmp_path, table)) == 2
    for table in ["plans", "variables", "elements"]:
        sources = {row["source"] for row in rows(plansift.table(table, tmp_path))}
        assert sources == {str(tmp_path / "plan.json")}, table
    assert [name for name, _ in plansift.expand(tmp_path)] == [str(tmp_path / "plan.json")]


def test_names_of_expand_select_the_same_inputs(tmp_path):
    (tmp_path / os.fsdecode(b"\xe9.json")).write_bytes(RICH.read_bytes())
    ((name, size),) = plansift.expand(tmp_path)
    assert size == RICH.stat().st_size
    assert len(rows(plansift.changes(name))) == 45
    assert plansift.expand([RICH.read_bytes(), name]) == [(name, size)]


def test_names_of_expand_have_the_query_of_an_address():
    class Signed(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            text = RICH.read_bytes() if self.path == "/plan.json?key=secret" else b""
            self.send_response(200 if text else 403)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text if self.command == "GET" else b"")

        do_HEAD = do_GET

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Signed)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    place = f"http://127.0.0.1:{server.server_port}/plan.json"
    try:
        ((name, _),) = plansift.expand(f"{place}?key=secret")
        found = rows(plansift.changes(name))
    finally:
        server.shutdown()
    assert len(found) == 45 and {row["source"] for row in found} == {place}


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


def test_limits_have_the_names_of_the_messages():
    (row,) = rows(plansift.plans(RICH, on_error="row", limits={"change": 100}))
    assert row["error"].endswith(': raise it with limits={"change": ...}')
    for limits in [{"change": "1M"}, {"change": 1 << 20, "string-kept": "1M"}]:
        (row,) = rows(plansift.plans(RICH, on_error="row", limits=limits))
        assert row["error"] is None
    for call in [plansift.summary, plansift.redact, plansift.slim]:
        with pytest.raises(OSError, match=r'raise it with limits=\{"change": \.\.\.\}$'):
            call(RICH, limits={"change": 100})
        assert call(RICH, limits={"change": "1M"}) == call(RICH)
    with pytest.raises(pyarrow.ArrowException, match='raise it with limits={"change": ...}'):
        rows(plansift.changes(RICH, limits={"change": 100}))


@pytest.mark.parametrize("table", ["plans", "resource_changes", "paths", "resources", "elements"])
def test_the_row_of_an_error_needs_no_column(table):
    records = plansift.table(table, b"{", columns=["workspace"], on_error="row")
    assert records.columns == ["workspace", "error"]
    (row,) = rows(records)
    assert row["workspace"] == "<bytes 1>" and row["error"]
    assert plansift.table(table, b"{", columns=["workspace"]).columns == ["workspace"]


@pytest.mark.parametrize(
    "call",
    [
        lambda: plansift.changes([]),
        lambda: plansift.changes(RICH, columns=["adress"]),
        lambda: plansift.changes(RICH, actions="destory"),
        lambda: plansift.changes(RICH, on_error="ignore"),
        lambda: plansift.changes(RICH, workspace_from="plans"),
        lambda: plansift.changes(RICH, threads=0),
        lambda: plansift.changes(RICH, limits={"path": "64M"}),
        lambda: plansift.changes(RICH, limits={"paths": "64MB"}),
        lambda: plansift.changes(RICH, limits={"paths": -1}),
        lambda: plansift.redact(RICH, limits={"path": "64M"}),
        lambda: plansift.slim(RICH, limits={"paths": "64MB"}),
        lambda: plansift.table("change", RICH),
        lambda: plansift.outputs(RICH, types="a"),
        lambda: plansift.resources(RICH, select="tags[a]"),
        lambda: plansift.changes(RICH, select="tags"),
        lambda: plansift.outputs(RICH, values=True),
        lambda: plansift.table("references", RICH),
        lambda: plansift.references(RICH, "aws_vpc.main", dependents="aws_vpc.main"),
        lambda: plansift.elements(RICH, references="aws_vpc.main"),
    ],
)
def test_wrong_arguments_are_value_errors(call):
    with pytest.raises(ValueError):
        call()


def test_types_are_those_that_spark_and_athena_read():
    allowed = {"string", "int64", "bool", "list<item: string>", "timestamp[us, tz=UTC]"}
    tables = ["plans", "resource_changes", "paths", "resources", "checks", "outputs"]
    for name in [*tables, "output_values", "variables", "check_results", "elements", "findings"]:
        schema = pyarrow.schema(plansift.table(name, RICH))
        assert schema == pyarrow.table(plansift.table(name, RICH)).schema
        assert {str(field.type) for field in schema} <= allowed
        assert all(field.nullable for field in schema)


@pytest.mark.skipif(not pathlib.Path(fleets.PROGRAM).exists(), reason="needs the program")
@pytest.mark.parametrize(
    ("table", "options", "command"),
    [
        ("resources", {"all": True}, ["resources", "--all"]),
        ("resources", {"select": "id"}, ["resources", "--select", "id"]),
        ("output_values", {"values": True}, ["outputs", "--values"]),
        ("variables", {"values": True}, ["variables", "--values"]),
        ("check_results", {}, ["checks"]),
        ("elements", {}, ["config"]),
        ("references", {"references": "module.dns"}, ["config", "--references", "module.dns"]),
        ("references", {"dependents": "module.dns"}, ["config", "--dependents", "module.dns"]),
        ("findings", {}, ["audit"]),
    ],
)
def test_rows_are_the_records_of_the_program(table, options, command):
    inputs = [RICH, ROOT / "corpus/plans/secret-modules/plan.json"]
    found = rows(plansift.table(table, inputs, **options))
    lines = fleets.run(*command, "--quiet", "--format", "ndjson", *inputs).stdout.splitlines()
    head, *records = map(json.loads, lines)
    expected = []
    for record in records:
        if record["kind"] == head["kind"]:
            head = record
        elif record["kind"] != "summary":
            expected.append((head, record))
    assert len(found) == len(expected) > 0
    for row, (head, record) in zip(found, expected):
        assert (row["source"], row["workspace"]) == (head["source"], head["workspace"])
        for name, value in record.pop("of", {}).items():
            record[f"of_{name}"] = value
        if "schema_version" in record:
            record["resource_schema_version"] = record["schema_version"]
        of_document = {"source", "workspace", "schema_version"}
        cells = {name: cell for name, cell in row.items() if cell is not None}
        assert cells.keys() - of_document == record.keys() - of_document
        for name in record.keys() - of_document:
            assert cells[name] == record[name] or json.loads(cells[name]) == record[name]


def test_no_table_has_a_planted_secret():
    assert len(PLANTED) >= 7
    tables = ["plans", "resource_changes", "drift", "outputs", "checks", "invocations", "paths"]
    tables += ["documents", "check_results", "elements", "findings"]
    calls = [(name, {"all": True}) for name in tables]
    calls += [("resources", {"all": True, "select": SELECT})]
    calls += [(name, {"values": True}) for name in ["output_values", "variables"]]
    text = {}
    for table, options in calls:
        text[table] = str(rows(plansift.table(table, PLANTED, on_error="row", **options)))
        assert "CANARY-" not in text[table], table
    for table in ["resources", "output_values", "variables"]:
        assert "(sensitive value" in text[table]


def test_messages_of_checks_are_masked():
    plan = {
        "format_version": "1.2",
        "output_changes": {
            "key": {"actions": ["create"], "after": "a planted secret", "after_sensitive": True}
        },
        "checks": [
            {
                "address": {"kind": "check", "to_display": "check.key"},
                "status": "fail",
                "instances": [
                    {
                        "address": {"to_display": "check.key"},
                        "status": "fail",
                        "problems": [{"message": "a planted secret"}],
                    }
                ],
            }
        ],
    }
    text = json.dumps(plan).encode()
    (row,) = rows(plansift.table("check_results", text))
    assert "planted" not in row["instances"]
    assert json.loads(row["instances"])[0]["problems"] == ["(repeats a sensitive value)"]
    for columns in [None, ["problems"]]:
        (row,) = rows(plansift.checks(text, columns=columns))
        assert row["problems"] == ["(repeats a sensitive value)"]


def test_an_unread_stream_ends():
    stream = pyarrow.RecordBatchReader.from_stream(plansift.changes(PLANS, on_error="row"))
    stream.read_next_batch()
    stream.close()


@pytest.fixture
def pipe(tmp_path):
    """A pipe that never ends while the test runs."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = os.open(path, os.O_RDWR)
    yield path
    os.close(writer)


@pytest.mark.parametrize(
    "call", ["plansift.summary(path)", "pyarrow.table(plansift.changes(path))", "list(stream)"]
)
def test_a_signal_interrupts_a_wait(pipe, call):
    code = f"""
import plansift, pyarrow
path = {str(pipe)!r}
stream = pyarrow.RecordBatchReader.from_stream(plansift.changes(path))
print("ready", flush=True)
{call}
"""
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    finally:
        process.kill()
    assert "KeyboardInterrupt" in errors and process.returncode


def test_a_summary_ends_at_the_first_error(pipe, tmp_path):
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    raised = []

    def summary():
        with pytest.raises(OSError, match="broken.json") as error:
            plansift.summary([RICH, broken, pipe])
        raised.append(error)

    # It would wait for the pipe.
    thread = threading.Thread(target=summary, daemon=True)
    thread.start()
    thread.join(20)
    assert raised


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
