"""The data source gives the rows of one process, also if executors are killed."""

import contextlib
import itertools
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading

import plansift
import pyarrow
import pyarrow.parquet
import pytest

pyspark = pytest.importorskip("pyspark", reason="needs pyspark 4 and Java 17")

ROOT = pathlib.Path(__file__).parents[3]
RICH = ROOT / "corpus/plans/rich/plan.json"
SETTING = "spark.sql.python.filterPushdown.enabled"


@pytest.fixture(scope="module")
def spark():
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        pyspark.sql.SparkSession.builder.master(os.environ.get("SPARK_MASTER", "local[2]"))
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.executor.memory", "700m")
        .config("spark.task.maxFailures", "8")
        .config("spark.ui.enabled", "false")
        .config(SETTING, "true")
        .getOrCreate()
    )
    from plansift.spark import PlansiftDataSource

    session.dataSource.register(PlansiftDataSource)
    yield session
    session.stop()


def load(spark, path, **options):
    return spark.read.format("plansift").options(**options).load(str(path))


def in_one_process(path, **options):
    records = plansift.changes(path, on_error="row", **options)
    return sorted(map(repr, pyarrow.table(records).to_pylist()))


def rows(frame):
    return sorted(map(repr, frame.toArrow().to_pylist()))


def test_rows_are_those_of_one_process(spark, tmp_path):
    for number in range(20):
        (tmp_path / f"{number}.json").write_bytes(RICH.read_bytes())
    (tmp_path / "broken.json").write_text('{"format_version":"1.2","resource_changes":[{]')
    expected = in_one_process(tmp_path)
    assert rows(load(spark, tmp_path, partitions=4)) == expected
    assert len(expected) == 20 * 45 + 1


def test_filters_and_columns_are_pushed_down(spark, tmp_path):
    frame = load(spark, RICH, columns="address,action,type,error")
    assert frame.columns == ["address", "action", "type", "error"]
    deleted = frame.filter(frame.action == "delete")
    expected = pyarrow.table(plansift.changes(RICH, actions="delete", columns=["address"]))
    assert deleted.count() == expected.num_rows > 0
    some = frame.first().type
    assert frame.filter(frame.type == some).count() == sum(
        row["type"] == some for row in pyarrow.table(plansift.changes(RICH)).to_pylist()
    )


def test_unread_plans_are_rows_whatever_the_columns(spark, tmp_path):
    for number in range(3):
        (tmp_path / f"{number}.json").write_text("{")
    found = load(spark, tmp_path, columns="address,action").toArrow().to_pylist()
    assert len(found) == 3 and all(row["error"] for row in found)


def test_names_may_have_any_bytes_and_commas(spark, tmp_path):
    (tmp_path / os.fsdecode(b"a,\xe9.json")).write_bytes(RICH.read_bytes())
    (tmp_path / "b,c.json").write_bytes(RICH.read_bytes())
    assert load(spark, tmp_path).filter("error is null").count() == 90
    assert load(spark, tmp_path / "b,c.json").filter("error is null").count() == 45


def test_errors_name_the_option(spark):
    with pytest.raises(Exception, match="the option partitions is a number from 1, not '0'"):
        load(spark, RICH, partitions=0).count()
    with pytest.raises(Exception, match="limits: change: not a number"):
        load(spark, RICH, limits="change").count()
    with pytest.raises(Exception, match="the limits are depth, change"):
        load(spark, RICH, limits="chnage=1M").count()
    (row,) = load(spark, RICH, limits="change=100, paths=1M").collect()
    assert row.error.endswith('raise it with limits={"change": ...}')
    with pytest.raises(Exception, match="load needs a path"):
        spark.read.format("plansift").load().count()


def read_rows(frame):
    """Return the number of rows that the data source reads for a frame."""
    plan = frame._jdf.queryExecution().executedPlan()
    plan.executeCollect()
    return plan.collectLeaves().head().metrics().apply("numOutputRows").value()


@pytest.mark.parametrize("pushes", [True, False])
def test_filters_need_no_setting(spark, pushes):
    if not pushes:
        spark.conf.unset(SETTING)
    try:
        frame = load(spark, RICH)
        deleted = frame.filter(frame.action == "delete")
        assert deleted.count() == 6
        assert read_rows(deleted) == (6 if pushes else 45)
    finally:
        spark.conf.set(SETTING, "true")


@pytest.mark.parametrize(
    ("table", "column"),
    [
        *itertools.product(["resource_changes", "drift", "paths"], ["action", "type", "address"]),
        *itertools.product(["resources", "elements"], ["type", "address"]),
        ("outputs", "action"),
        ("checks", "address"),
        ("check_results", "address"),
        ("output_values", "type"),
    ],
)
def test_pushed_filters_keep_every_row_that_matches(table, column):
    """A reader may return rows that do not match, because Spark checks them again."""
    from plansift.spark import _FilteringReader
    from pyspark.sql.datasource import EqualTo, In

    plans = [str(RICH.parents[1] / name / "plan.json") for name in ["rich", "deferred", "deposed"]]
    options = {"paths": json.dumps(plans), "table": table, "all": "true", "partitions": "1"}

    def read(*conditions):
        reader = _FilteringReader(options)
        assert list(reader.pushFilters(conditions)) == list(conditions)
        (partition,) = reader.partitions()
        return [row for batch in reader.read(partition) for row in batch.to_pylist()]

    everything = read()
    values = sorted({row[column] for row in everything if row[column]})
    assert len(values) > 1
    conditions = [(EqualTo((column,), value), [value]) for value in values]
    for condition, allowed in [*conditions, (In((column,), tuple(values[1:])), values[1:])]:
        found = [row for row in read(condition) if row[column] in allowed]
        assert found == [row for row in everything if row[column] in allowed], condition


@pytest.mark.parametrize(
    ("table", "options"),
    [
        ("elements", {}),
        ("references", {"dependents": "module.dns"}),
        ("findings", {}),
        ("resources", {"select": "instance_class,password"}),
        ("variables", {"values": True}),
    ],
)
def test_other_tables(spark, table, options):
    state = ROOT / "corpus/states/secrets.json"
    frame = spark.read.format("plansift").options(table=table, **options)
    found = rows(frame.load([str(RICH), str(state)]))
    if "select" in options:
        options = options | {"select": options["select"].split(",")}
    records = plansift.table(table, [RICH, state], on_error="row", **options)
    assert found == sorted(map(repr, pyarrow.table(records).to_pylist()))


class Killer(threading.Thread):
    """Kills executors of a job at random moments, until one of its tasks has failed."""

    def __init__(self, spark, group):
        super().__init__(daemon=True)
        self.tracker = spark.sparkContext.statusTracker()
        # The executors are children of the driver.
        self.driver = str(spark._jvm.java.lang.ProcessHandle.current().pid())
        self.group = group
        self.is_done = threading.Event()

    def run(self):
        while not self.is_done.wait(random.uniform(0.2, 3)) and not self.failed_tasks():
            command = ["pgrep", "-P", self.driver, "-f", "CoarseGrainedExecutorBackend"]
            found = subprocess.run(command, capture_output=True)
            if alive := [int(pid) for pid in found.stdout.split()]:
                os.kill(random.choice(alive), signal.SIGKILL)

    def failed_tasks(self):
        jobs = map(self.tracker.getJobInfo, self.tracker.getJobIdsForGroup(self.group))
        stages = [stage for job in jobs if job for stage in job.stageIds]
        found = map(self.tracker.getStageInfo, stages)
        return sum(stage.numFailedTasks for stage in found if stage)


@contextlib.contextmanager
def killed_executors(spark, group):
    """Kills executors while the jobs of this context run. Fails if no task failed."""
    spark.sparkContext.setJobGroup(group, group)
    killer = Killer(spark, group)
    killer.start()
    yield
    killer.is_done.set()
    killer.join()
    assert killer.failed_tasks() > 0, "no executor was killed during a task"


@pytest.mark.skipif(
    not os.environ.get("SPARK_MASTER", "").startswith("local-cluster"),
    reason="kills executors: set SPARK_MASTER=local-cluster[3,1,1024]",
)
def test_killed_executors_lose_no_rows(spark, tmp_path):
    plans, written = tmp_path / "plans", tmp_path / "written"
    plans.mkdir()
    for number in range(500):
        (plans / f"{number:03}.json").write_bytes(RICH.read_bytes())
    expected = in_one_process(plans)
    for attempt in range(int(os.environ.get("SPARK_ATTEMPTS", "10"))):
        frame = load(spark, plans, partitions=50)
        with killed_executors(spark, f"read {attempt}"):
            found = rows(frame)
        assert found == expected, f"attempt {attempt}"
        with killed_executors(spark, f"write {attempt}"):
            frame.write.mode("overwrite").parquet(str(written))
        found = pyarrow.parquet.read_table(written).to_pylist()
        assert sorted(map(repr, found)) == expected, f"attempt {attempt}"
