"""The commands of docs/fleet.md run, one after the other, and agree with each other."""

import re
import sys
import textwrap

import duckdb
import fleets
import plansift
import pyarrow
import pytest

QUERIES = fleets.ROOT / "docs/queries"
PAGE = (fleets.ROOT / "docs/fleet.md").read_text()
BLOCKS = [
    (language, textwrap.dedent(code))
    for language, code in re.findall(r"^ *```(bash|sql|python)\n(.*?)^ *```$", PAGE, re.M | re.S)
]
ACCOUNTS = ["blue", "red"]


def blocks(language):
    """Return the blocks of a language that need no cluster."""
    return [code for found, code in BLOCKS if found == language and "spark" not in code]


@pytest.fixture
def plans(tmp_path, monkeypatch):
    """Change to a folder with the plans of the page. No plan of these nights is broken."""
    nights = fleets.NIGHTS[2:4]
    fleets.write_plans({dt: fleets.planted()[dt] for dt in nights}, tmp_path / "plans")
    fleets.write_plans(
        {account: fleets.planted()[night] for account, night in zip(ACCOUNTS, nights)},
        tmp_path / "accounts",
    )
    monkeypatch.chdir(tmp_path)


def rows(files):
    """Return the rows of the changes in some tables, without the names of workspaces."""
    found = duckdb.sql(f"select * exclude workspace from read_parquet('{files}')")
    return sorted(map(repr, found.fetchall()))


@pytest.mark.skipif(not fleets.has_tables(), reason="needs a program with the feature tables")
def test_nights_tables_and_shards(plans, tmp_path):
    since, _, merged, accounts = [fleets.run_block(code) for code in blocks("bash")]
    assert re.search("New destroys +1\n", since), since
    assert "</html>" in (tmp_path / "fleet.html").read_text()
    nights, in_accounts = [duckdb.sql(query).fetchall() for query in blocks("sql")]
    destroyed = [(str(dt), type, count) for dt, type, count in nights]
    assert destroyed == [
        ("2026-11-26", "aws_instance", 1),
        ("2026-11-26", "aws_lb", 1),
        ("2026-11-27", "aws_db_instance", 2),
        ("2026-11-27", "aws_lb", 1),
    ]
    assert in_accounts == [("blue", 2), ("red", 3)]
    assert "\n6 workspaces: " in merged, merged
    assert "\n12 workspaces: " in accounts, accounts
    # The page about queries says how to ask about all accounts. These have no configurations.
    database = duckdb.connect()
    views = (QUERIES / "views.sql").read_text().replace("'tables/", "'all/*/")
    for view in re.findall(r"create view (?!elements).*?;", views, re.DOTALL):
        database.execute(view)
    blast_radius = database.sql((QUERIES / "blast-radius.sql").read_text()).fetchall()
    assert [row[:2] for row in blast_radius[:2]] == [("red/billing", 2), ("blue/billing", 1)]
    shards = rows("shards/resource_changes/*/*.parquet")
    assert shards == rows("tables/resource_changes/dt=2026-11-27/*.parquet") != []


def test_the_package_needs_no_files(plans, capsys):
    (code,) = blocks("python")
    exec(code, {})
    printed = capsys.readouterr().out
    assert re.search(r"aws_db_instance +│ +2 ", printed), printed


def test_spark_writes_what_one_process_reads(plans, tmp_path, monkeypatch, capsys):
    pyspark = pytest.importorskip("pyspark", reason="needs pyspark 4 and Java 17")
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    for account in ACCOUNTS:
        night = {"2026-11-27": tmp_path / "accounts" / account}
        fleets.tables_of_package(night, tmp_path / f"all/account={account}")
    builder = pyspark.sql.SparkSession.builder.master("local[2]")
    spark = builder.config("spark.ui.enabled", "false").getOrCreate()
    try:
        for code in [code for language, code in BLOCKS if "spark" in code]:
            exec(code, {"spark": spark})
    finally:
        spark.stop()
    printed = capsys.readouterr().out
    assert re.search(r"\| +blue\|2026-11-27\| +1\|\n", printed), printed
    assert re.search(r"\| +red\|2026-11-27\| +3\|\n", printed), printed
    deleted = plansift.changes("plans/2026-11-27", actions="delete")
    expected = sorted(map(repr, pyarrow.table(deleted)["address"].to_pylist()))
    found = duckdb.sql("select address from read_parquet('deleted/*.parquet')").fetchall()
    assert sorted(repr(address) for (address,) in found) == expected != []
