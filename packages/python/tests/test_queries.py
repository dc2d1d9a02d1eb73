"""The queries of docs/queries give the planted answers, and the answers of Python over NDJSON.

``WORKSPACES`` is the number of workspaces of the generated fleet, by default 36. ``SPARK_MASTER``
is the cluster of Spark, by default ``local[1]``.
"""

import collections
import itertools
import os
import pathlib
import re
import shutil
import sys

import fleets
import plansift
import pytest

FOLDER = fleets.ROOT / "docs/queries"
VIEWS = (FOLDER / "views.sql").read_text()

if not pathlib.Path(fleets.PROGRAM).exists():
    reason = "needs the program: `cargo build`, or its path in PLANSIFT"
    pytest.skip(reason, allow_module_level=True)


# The answers in plain Python, in any order.


def is_managed(record):
    return record.get("mode", "managed") == "managed"


def is_destroy(record):
    return is_managed(record) and "delete" in record["actions"]


def with_paths(records, field):
    """Return a copy of the record for each different path in a list of paths."""
    return [it | {"path": path} for it in records for path in set(it.get(field, []))]


def groups(records, *keys):
    """Return the records for each value of some keys."""
    found = collections.defaultdict(list)
    for record in records:
        found[tuple(map(record.get, keys))].append(record)
    return found


def different(records, key):
    """Return how many different values a key has."""
    return len({record[key] for record in records})


def counts(records, *keys):
    """Return a row for each value of some keys: the number of records and of workspaces."""
    found = groups(records, *keys)
    return [(*key, len(each), different(each, "workspace")) for key, each in found.items()]


def nights(records, *keys, at_least):
    """Return the values of some keys that occur in enough nights, with the number of nights."""
    found = [(*key, different(each, "dt")) for key, each in groups(records, *keys).items()]
    return [row for row in found if row[-1] >= at_least]


def complete_nights(records):
    """Return the nights in which each workspace has a complete plan."""
    plans = [it for it in records("plan") if it["status"] == "done" and not it.get("errored")]
    found = {key: {it["dt"] for it in each} for (key,), each in groups(plans, "workspace").items()}
    return collections.defaultdict(set, found)


def blast_radius(records):
    done = [it for it in records.latest("plan") if it["status"] == "done"]
    kinds = ["destroy", "change", "add"]
    rows = [(it["workspace"], *map(it["terraform"].get, kinds)) for it in done]
    return [(*row, sum(row[1:])) for row in rows if any(row[1:])]


def destroy_reasons(records):
    found = filter(is_destroy, records.latest("resource_change"))
    return counts([{"action_reason": "(none)"} | it for it in found], "action", "action_reason")


def destroyed_types(records):
    return counts(filter(is_destroy, records.latest("resource_change")), "type")


def destroying_modules(records):
    calls = records.latest("module_call")
    sources = {(it["workspace"], it["address"]): it["module_source"] for it in calls}

    def source(record):
        if "module_address" not in record:
            return "(root module)"
        call = record["module_address"].partition("[")[0]
        return sources.get((record["workspace"], call), "(not in the configuration)")

    found = filter(is_destroy, records.latest("resource_change"))
    return counts([it | {"source": source(it)} for it in found], "source")


def drifting_paths(records):
    found = groups(with_paths(records("resource_drift"), "changed"), "type", "path")
    return [
        (*key, len(each), different(each, "workspace"), different(each, "dt"))
        for key, each in found.items()
    ]


def failed_workspaces(records):
    failures = [it for it in records("plan") if it["status"] == "failed" or it.get("errored")]
    errored = {"error": "Terraform marked the plan as errored"}
    latest = [errored | it for it in failures if it["dt"] == records.nights[-1]]
    of_workspace = groups(failures, "workspace")
    return [
        (it["workspace"], it["error"], different(of_workspace[(it["workspace"],)], "dt"))
        for it in latest
    ]


def failing_checks(records):
    complete = complete_nights(records)
    failing = [it for it in records("check") if it["status"] in ("fail", "error")]
    failing = groups(failing, "workspace", "address", "dt")
    rows = []
    for (workspace, address, dt), each in failing.items():
        if dt != records.nights[-1]:
            continue
        since = dt
        for earlier in reversed(records.nights):
            if (workspace, address, earlier) in failing:
                since = earlier
            elif earlier in complete[workspace]:
                break
        rows += [(workspace, address, it.get("check_kind"), it["status"], since) for it in each]
    return rows


def flapping(records):
    complete = complete_nights(records)
    planned = [it for it in records("resource_change") if is_managed(it) and "deposed" not in it]
    rows = []
    for (workspace, address), each in groups(planned, "workspace", "address").items():
        actions = {dt: min(it["action"] for it in of) for (dt,), of in groups(each, "dt").items()}
        dates = sorted(complete[workspace])
        pairs = itertools.pairwise(actions.get(dt, "no-op") for dt in dates)
        rows.append((workspace, address, sum(one != other for one, other in pairs)))
    return [row for row in rows if row[-1] >= 3]


def imports_and_moves(records):
    rows = []
    for it in records.latest("resource_change"):
        previous = it.get("previous_address")
        moved_from = previous if previous != it["address"] else None
        found = ("importing" in it, moved_from, "forget" in it["actions"])
        rows += [(it["workspace"], it["address"], *found)] * any(found)
    return rows


def lost_marks(records):
    found = with_paths(records.latest("resource_change"), "sensitive_removed")
    return [(it["workspace"], it["address"], it["path"]) for it in found]


def module_users(records):
    keys = ["workspace", "address", "module_source", "version_constraint"]
    calls = [{"version_constraint": "(any)"} | it for it in records.latest("module_call")]
    return [tuple(map(it.get, keys)) for it in calls]


def never_applied(records):
    found = [
        it
        for it in records("resource_change")
        if it["action"] != "no-op" and is_managed(it) and it["dt"] in records.nights[-3:]
    ]
    return [row[:-1] for row in nights(found, "workspace", "address", "action", at_least=3)]


def new_destroys(records):
    complete = complete_nights(records)
    known = groups(filter(is_destroy, records("resource_change")), "workspace", "dt", "address")
    rows = set()
    for it in filter(is_destroy, records.latest("resource_change")):
        workspace, address = it["workspace"], it["address"]
        before = max(complete[workspace] - {it["dt"]}, default=None)
        if (workspace, before, address) not in known:
            rows.add((workspace, address, it["action"]))
    return rows


def old_terraform(records):
    def place(version):
        numbers, _, prerelease = version.partition("-")
        return tuple(map(int, numbers.split("."))), prerelease == ""

    found = [it for it in records.latest("plan") if "terraform_version" in it]
    rows = [(it["workspace"], it["terraform_version"]) for it in found]
    return [row for row in rows if place(row[1]) < place("1.10.0")]


def provider_versions(records):
    found = [{"version_constraint": "(any)"} | it for it in records.latest("provider")]
    return [(*row[:-2], row[-1]) for row in counts(found, "full_name", "version_constraint")]


def recurring_drift(records):
    found = [it for it in records("resource_drift") if it["action"] != "no-op"]
    named = [{"address": f"{it['type']}.{it['name']}"} | it for it in found]
    recent = [it for it in named if it["dt"] in records.nights[-5:]]
    return nights(recent, "workspace", "address", at_least=3)


def replaced_most_often(records):
    found = [it for it in records("resource_change") if {"create", "delete"} <= set(it["actions"])]
    return nights(found, "workspace", "address", at_least=2)


def replacing_paths(records):
    return counts(with_paths(records.latest("resource_change"), "replace_paths"), "type", "path")


def sensitive_outputs(records):
    found = [it for it in records.latest("output_change") if "sensitive" in it]
    return [(it["workspace"], it["name"], it["action"], "sensitive_removed" in it) for it in found]


def unknown_at_apply(records):
    # Other actions have no values after the apply, or make or read an object.
    found = [it for it in records.latest("resource_change") if it["action"] == "update"]
    return counts(with_paths(found, "unknown"), "type", "path")


# Each query: its answer in plain Python, and its answer for the planted fleet.

AWS = "registry.terraform.io/hashicorp/aws"
RANDOM = "registry.terraform.io/hashicorp/random"
MAIL = "hashicorp/mail/aws"
BLUE = "module.web.aws_instance.blue"
LOGS = 'module.web2.module.logs["x"].aws_s3_bucket.logs'
BROKEN = "byte 45, at resource_changes[0]: closing bracket of the wrong kind"
QUERIES = {
    "blast-radius": (
        blast_radius,
        [
            ("billing", 4, 1, 1, 6),
            ("shaky", 2, 1, 0, 3),
            ("search", 1, 2, 2, 5),
            ("tidy", 0, 1, 0, 1),
        ],
    ),
    "destroy-reasons": (
        destroy_reasons,
        [
            ("delete", "(none)", 3, 2),
            ("delete", "delete_because_no_module", 2, 1),
            ("replace", "replace_because_cannot_update", 1, 1),
            ("replace", "replace_by_request", 1, 1),
        ],
    ),
    "destroyed-types": (
        destroyed_types,
        [
            ("aws_db_instance", 2, 1),
            ("aws_instance", 2, 2),
            ("aws_lb", 2, 1),
            ("aws_s3_bucket", 1, 1),
        ],
    ),
    "destroying-modules": (
        destroying_modules,
        [("(root module)", 5, 3), ("(not in the configuration)", 1, 1), ("./web", 1, 1)],
    ),
    "drifting-paths": (
        drifting_paths,
        [("aws_iam_role", "policy", 10, 3, 5), ("aws_eip", "domain", 1, 1, 1)],
    ),
    "failed-workspaces": (
        failed_workspaces,
        [("broken", BROKEN, 2), ("stuck", "Terraform marked the plan as errored", 1)],
    ),
    "failing-checks": (
        failing_checks,
        [
            ("billing", "check.certificate", "check", "fail", fleets.NIGHTS[2]),
            ("billing", "check.quota", "check", "fail", fleets.NIGHTS[3]),
            ("search", "check.health", "check", "error", fleets.NIGHTS[0]),
            ("shaky", "check.front", "check", "fail", fleets.NIGHTS[0]),
        ],
    ),
    "flapping": (flapping, [("billing", BLUE, 4), ("search", "aws_sqs_queue.jobs", 3)]),
    "imports-and-moves": (
        imports_and_moves,
        [
            ("tidy", "aws_vpc.gone", False, None, True),
            ("tidy", "aws_vpc.main", True, None, False),
            ("tidy", "aws_vpc.other", False, "aws_vpc.old", False),
        ],
    ),
    "lost-marks": (lost_marks, [("tidy", "aws_vpc.open", "key")]),
    "module-users": (
        module_users,
        [
            ("billing", "module.mail", MAIL, "~> 2.0"),
            ("billing", "module.web", "./web", "(any)"),
            ("stuck", "module.mail", MAIL, "~> 1.0"),
        ],
    ),
    "never-applied": (
        never_applied,
        [("billing", "aws_db_instance.main", "update"), ("search", "aws_instance.new", "create")],
    ),
    "new-destroys": (
        new_destroys,
        [
            ("billing", BLUE, "replace"),
            ("billing", LOGS, "delete"),
            ("search", "aws_instance.red", "replace"),
            ("shaky", "aws_lb.older", "delete"),
        ],
    ),
    "old-terraform": (old_terraform, [("billing", "1.9.8"), ("search", "1.10.0-rc1")]),
    "provider-versions": (
        provider_versions,
        [(AWS, "~> 6.0", 4), (AWS, "~> 5.0", 1), (RANDOM, "(any)", 1)],
    ),
    "recurring-drift": (
        recurring_drift,
        [("stuck", "aws_iam_role.ci", 5), ("billing", "aws_iam_role.ci", 3)],
    ),
    "replaced-most-often": (
        replaced_most_often,
        [("billing", BLUE, 3), ("search", "aws_instance.red", 2)],
    ),
    "replacing-paths": (
        replacing_paths,
        [("aws_instance", "ami", 2, 2), ("aws_instance", "type", 1, 1)],
    ),
    "sensitive-outputs": (
        sensitive_outputs,
        [("search", "token", "create", False), ("tidy", "key", "update", True)],
    ),
    "unknown-at-apply": (
        unknown_at_apply,
        [("aws_sqs_queue", "policy", 2, 1)],
    ),
}


@pytest.fixture(scope="module", params=["planted", "generated", "real"])
def fleet(request, tmp_path_factory):
    """The name of a fleet, the folder of each of its nights, and its records."""
    plans = getattr(fleets, request.param)()
    folders = fleets.write_plans(plans, tmp_path_factory.mktemp("plans"))
    return request.param, folders, fleets.Records(folders)


WAYS = ["package-duckdb", "batch-duckdb", "package-spark", "streams"]


@pytest.fixture(scope="module", params=WAYS)
def ask(request, fleet, tmp_path_factory):
    """A function that returns the rows of a query over the tables of a fleet."""
    _, folders, _ = fleet
    if request.param == "streams":
        return over_streams(folders)
    maker, engine = request.param.split("-")
    if maker == "batch" and not fleets.has_tables():
        pytest.skip("needs `batch --tables`: `cargo build --features tables`")
    folder = tmp_path_factory.mktemp("tables") / "tables"
    folder.mkdir()
    getattr(fleets, f"tables_of_{maker}")(folders, folder)
    return request.getfixturevalue(engine)(folder)


def over_streams(folders):
    """Run queries in DuckDB over the streams of the package, without files of tables."""
    connection = pytest.importorskip("duckdb").connect()
    for name in fleets.TABLES:
        parts = []
        for dt, night in folders.items():
            options = {"on_error": "row", "workspace_from": fleets.workspaces_of(night)}
            connection.register(f"{name} {dt}", plansift.table(name, night, **options))
            parts.append(f"select *, date '{dt}' as dt from \"{name} {dt}\"")
        connection.execute(f"create temp view {name} as {' union all '.join(parts)}")
    return lambda query: connection.execute(query).fetchall()


@pytest.fixture(scope="module")
def duckdb():
    database = pytest.importorskip("duckdb")

    def open(folder):
        connection = database.connect()
        connection.execute(VIEWS.replace("'tables/", f"'{folder}/"))
        return lambda query: connection.execute(query).fetchall()

    return open


@pytest.fixture(scope="module")
def spark():
    pyspark = pytest.importorskip("pyspark.sql", reason="needs pyspark 4 and Java 17")
    if not shutil.which("java"):
        pytest.skip("needs Java 17")
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    options = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.executor.memory": "700m",
        "spark.sql.shuffle.partitions": "1",
        "spark.ui.enabled": "false",
    }
    builder = pyspark.SparkSession.builder.master(os.environ.get("SPARK_MASTER", "local[1]"))
    session = builder.config(map=options).getOrCreate()

    def open(folder):
        for name, files in re.findall(r"create view (\w+) as .*\n  'tables/([^']+)'", VIEWS):
            reader = session.read.option("basePath", str(folder / files.split("/")[0]))
            reader.parquet(str(folder / files)).createOrReplaceTempView(name)
        return lambda query: [tuple(row) for row in session.sql(query).collect()]

    yield open
    session.stop()


@pytest.mark.parametrize("query", QUERIES)
def test_answers(query, fleet, ask):
    name, _, records = fleet
    in_python, planted = QUERIES[query]
    rows = ask((FOLDER / f"{query}.sql").read_text())
    assert sorted(rows, key=repr) == sorted(in_python(records), key=repr)
    if name == "planted":
        assert rows == planted
    if name == "generated":
        assert rows, "the fleet has something to find"


def test_every_query_is_tested_and_names_its_tables():
    files = {path.stem: path.read_text() for path in FOLDER.glob("*.sql")}
    assert files.keys() - {"views"} == QUERIES.keys()
    index = (FOLDER / "README.md").read_text()
    views = set(re.findall(r"create view (\w+)", VIEWS))
    for name in QUERIES:
        assert f"({name}.sql)" in index
        named = re.search(r"^-- Tables: ([\w, ]+)\. Parameters: ", files[name], re.MULTILINE)
        read = set(re.findall(r"\b(?:from|join) (\w+)", files[name])) & views
        assert set(named[1].split(", ")) == read, name


def test_the_page_makes_tables_whose_workspaces_fit(tmp_path, monkeypatch, duckdb):
    if not fleets.has_tables():
        pytest.skip("needs `batch --tables`: `cargo build --features tables`")
    night = fleets.planted()[fleets.NIGHTS[-1]]
    fleets.write_plans({"plans": {"billing": night["billing"]}}, tmp_path)
    monkeypatch.chdir(tmp_path)
    page = (FOLDER / "README.md").read_text()
    fleets.run_block(re.search(r"```bash\n(.*?)```", page, re.DOTALL)[1])
    rows = duckdb("tables")((FOLDER / "destroying-modules.sql").read_text())
    assert rows == [("(root module)", 2, 1), ("(not in the configuration)", 1, 1), ("./web", 1, 1)]


def test_the_page_shows_what_its_program_prints(tmp_path, monkeypatch, capsys):
    pytest.importorskip("duckdb")
    page = (FOLDER / "README.md").read_text()
    (tmp_path / "docs").symlink_to(fleets.ROOT / "docs")
    (tmp_path / "tables").mkdir()
    folders = fleets.write_plans(fleets.planted(), tmp_path / "plans")
    fleets.tables_of_package(folders, tmp_path / "tables")
    monkeypatch.chdir(tmp_path)
    exec(re.search(r"```python\n(.*?)```", page, re.DOTALL)[1], {})
    assert capsys.readouterr().out.strip() in page
