"""Fleets for the tests of the queries: nights of plans, their tables, and their records.

A fleet is a dictionary: for each night, for each workspace, the text of a plan. ``planted`` is
small and has answers that a reader can see in it. ``generated`` is larger and random. ``real`` has
the plans that Terraform and OpenTofu wrote.
"""

import collections
import datetime
import json
import os
import pathlib
import random
import subprocess

import plansift
import pyarrow
import pyarrow.compute
import pyarrow.parquet

ROOT = pathlib.Path(__file__).parents[3]
PROGRAM = os.environ.get("PLANSIFT", str(ROOT / "target/debug/plansift"))
WORKSPACES = int(os.environ.get("WORKSPACES", "36"))
NIGHTS = [datetime.date(2026, 11, 24) + datetime.timedelta(days=number) for number in range(5)]
TABLES = ["plans", "resource_changes", "drift", "outputs", "checks", "paths", "elements"]
BROKEN = '{"format_version":"1.2","resource_changes":[{]'


# Plans.


def change(address, *actions, before=None, after=None, **keys):
    """Return a resource change. Its type and name are the end of its address.

    The keys ``unknown``, ``marked_before``, ``marked_after``, ``replace_paths`` and ``importing``
    are about the values. Other keys, such as ``action_reason``, are about the resource.
    """
    *module, type, name = address.rsplit(".", 2)
    values = {
        "actions": list(actions),
        "before": None if actions == ("create",) else before or {},
        "after": None if actions == ("delete",) else after or {},
        "after_unknown": keys.pop("unknown", {}),
        "before_sensitive": keys.pop("marked_before", {}),
        "after_sensitive": keys.pop("marked_after", {}),
    }
    for key in ["replace_paths", "importing"]:
        if key in keys:
            values[key] = keys.pop(key)
    if module:
        keys["module_address"] = module[0]
    return {
        "address": address,
        "mode": "managed",
        "type": type,
        "name": name,
        "provider_name": "registry.terraform.io/hashicorp/aws",
        "change": values,
        **keys,
    }


def replacement(address, *paths, **keys):
    """Return a change that replaces a resource because of some attributes."""
    keys = {"action_reason": "replace_because_cannot_update"} | keys
    return change(address, "delete", "create", replace_paths=[[path] for path in paths], **keys)


def update(address, path="size", **keys):
    """Return a change of one attribute."""
    return change(address, "update", before={path: 1}, after={path: 2}, **keys)


def output(*actions, marked_before=False, marked_after=False):
    """Return a change of an output."""
    return {
        "actions": list(actions),
        "before": None if actions == ("create",) else "a",
        "after": None if actions == ("delete",) else "b",
        "after_unknown": False,
        "before_sensitive": marked_before,
        "after_sensitive": marked_after,
    }


def check(address, status):
    """Return the result of a check."""
    return {"address": {"kind": "check", "to_display": address}, "status": status, "instances": []}


def plan(
    *changes,
    drift=(),
    deferred=(),
    outputs=None,
    checks=(),
    version="1.12.1",
    providers=None,
    modules=None,
    errored=False,
):
    """Return the text of a plan.

    ``providers`` has the version constraint of each provider. ``modules`` has the source of each
    called module, which may end with ``@`` and a version constraint.
    """
    calls = {}
    for name, source in (modules or {}).items():
        source, *versions = source.split("@")
        calls[name] = {"source": source, "module": {}}
        if versions:
            calls[name]["version_constraint"] = versions[0]
    configured = {}
    for name, constraint in (providers or {"aws": "~> 6.0"}).items():
        configured[name] = {"name": name, "full_name": f"registry.terraform.io/hashicorp/{name}"}
        if constraint:
            configured[name]["version_constraint"] = constraint
    return json.dumps(
        {
            "format_version": "1.2",
            "terraform_version": version,
            "resource_drift": list(drift),
            "resource_changes": list(changes),
            "deferred_changes": [
                {"reason": "instance_count_unknown", "resource_change": each} for each in deferred
            ],
            "output_changes": outputs or {},
            "checks": list(checks),
            "configuration": {
                "provider_config": configured,
                "root_module": {"module_calls": calls},
            },
            "errored": errored,
        },
        separators=(",", ":"),
    )


# Fleets.


def planted():
    """Return the fleet whose answers are in ``QUERIES`` of ``test_queries``."""
    return {dt: _planted(number) for number, dt in enumerate(NIGHTS)}


def _planted(night):
    is_latest = night == 4
    role = "aws_iam_role.ci"
    no_module = {"action_reason": "delete_because_no_module"}
    by_request = {"action_reason": "replace_by_request", "unknown": {"arn": True}}
    red = replacement("aws_instance.red", "ami", "type", **by_request)
    billing = [
        # The same update in every night.
        update("aws_db_instance.main"),
        # A replacement in three nights, also in the latest.
        *[replacement("module.web.aws_instance.blue", "ami")] * (night in (0, 2, 4)),
        # Two destroys in two nights, and one that is new.
        *[change(f"aws_db_instance.{name}", "delete", **no_module) for name in ["old", "older"]]
        * (night >= 3),
        *[change('module.web2.module.logs["x"].aws_s3_bucket.logs', "delete")] * is_latest,
    ]
    search = [
        # An action that comes and goes.
        *[update("aws_sqs_queue.jobs")] * (night in (0, 2)),
        # A new resource: what is unknown of it is in no answer.
        change("aws_instance.new", "create", unknown={"id": True}),
        *[
            update("aws_sqs_queue.mails", unknown={"policy": True}),
            update("aws_sqs_queue.letters", unknown={"policy": True}),
            # A data source is no existing resource, and a replacement makes a new one.
            change("aws_iam_policy_document.who", "read", mode="data", unknown={"json": True}),
        ]
        * is_latest,
        *[red] * (night in (0, 4)),
    ]
    tidy = [
        change("aws_vpc.main", "no-op", importing={"id": "vpc-1"}),
        change("aws_vpc.other", "no-op", previous_address="aws_vpc.old"),
        change("aws_vpc.gone", "forget"),
        update("aws_vpc.open", "key", marked_before={"key": True}),
    ]
    is_errored = night in (1, 3)
    shaky = [
        # No errored plan has these changes, but every complete one.
        *[update("aws_lb.front"), change("aws_lb.old", "delete")] * (not is_errored),
        # Only errored plans have this destroy, and the latest one.
        *[change("aws_lb.older", "delete")] * (is_errored or is_latest),
    ]
    return {
        "billing": plan(
            *billing,
            drift=[update(role, "policy")] * (night in (0, 2, 4)),
            version="1.9.8",
            modules={"web": "./web", "mail": "hashicorp/mail/aws@~> 2.0"},
            checks=[
                check("check.certificate", "fail" if night >= 2 else "pass"),
                # A check that fails, passes, and fails again.
                check("check.quota", "fail" if night in (0, 3, 4) else "pass"),
            ],
        ),
        "search": plan(
            *search,
            drift=[update(role, "policy")] * (night in (0, 1)),
            # A deferred change is in no answer.
            deferred=[replacement("aws_instance.later", "ami", unknown={"id": True})],
            version="1.10.0-rc1",
            providers={"aws": "~> 5.0", "random": None},
            outputs={"url": output("update"), "token": output("create", marked_after=True)},
            checks=[check("check.health", "error"), check("check.later", "unknown")],
        ),
        "tidy": plan(
            *tidy * is_latest,
            version="1.10.0",
            drift=[
                change("aws_vpc.other", "no-op", previous_address="aws_vpc.old"),
                *[update("aws_eip.nat", "domain")] * is_latest,
            ],
            outputs={
                "key": output("update", marked_before=True),
                # No answer has an output that stays as it is.
                "same": output("no-op", marked_before=True, marked_after=True),
            },
        ),
        "shaky": plan(
            *shaky,
            checks=[check("check.front", "fail")] * (not is_errored),
            errored=is_errored,
        ),
        "broken": BROKEN if night in (1, 4) else plan(),
        "stuck": plan(
            drift=[update(role, "policy")],
            errored=is_latest,
            modules={"mail": "hashicorp/mail/aws@~> 1.0"},
        ),
    }


def generated():
    """Return a fleet with random changes, the same each time. WORKSPACES is its size."""
    chance = random.Random(46)
    names = [f"team{number % 4}-{number:02}" for number in range(WORKSPACES)]
    return {dt: {name: _random_plan(chance) for name in names} for dt in NIGHTS}


def _random_plan(chance):
    if chance.random() < 0.06:
        return BROKEN
    actions = ["create", "update", "delete", "no-op"]
    modules = {"web": "./web", "db": "hashicorp/db/aws@~> 2.0", "dns": "hashicorp/dns/aws"}
    return plan(
        # A resource may occur twice, like one that has a deposed object.
        *[_random_change(chance, number) for number in chance.choices(range(8), k=6)],
        drift=[_random_change(chance, number) for number in chance.choices(range(4), k=2)],
        deferred=[_random_change(chance, number) for number in chance.choices(range(8), k=2)],
        outputs={
            name: output(
                chance.choice(actions),
                marked_before=chance.random() < 0.4,
                marked_after=chance.random() < 0.4,
            )
            for name in "abc"
        },
        checks=[
            check(f"check.{name}", chance.choice(["pass", "fail", "error", "unknown"]))
            for name in ["one", "two"]
        ],
        version=chance.choice(["0.15.5", "1.9.8", "1.9.10", "1.10.0-beta1", "1.10.0", "1.12.1"]),
        providers={"aws": chance.choice(["~> 5.0", "~> 6.0", None]), "random": "3.7.2"},
        modules={name: modules[name] for name in chance.sample(list(modules), 2)},
        errored=chance.random() < 0.1,
    )


def _random_change(chance, number):
    # The number gives the address, so a resource has changes in many nights.
    modules = ["", "module.web.", "module.db[0].", 'module.dns["a.b"].module.zone.', ""]
    type = ["aws_instance", "aws_s3_bucket", "aws_db_instance"][number % 3]
    address = f"{modules[number % 5]}{type}.r{number}"
    actions = "no-op create update update delete forget read delete+create create+delete"
    actions += " create+forget delete+forget"
    keys = {}
    if chance.random() < 0.2:
        keys["importing"] = {"id": "i-1"}
    if chance.random() < 0.2:
        keys["previous_address"] = chance.choice([address, "aws_instance.before"])
    if chance.random() < 0.5:
        keys["action_reason"] = chance.choice(["replace_by_request", "delete_because_count_index"])
    if chance.random() < 0.1:
        keys["deposed"] = "0a1b2c3d"
    if chance.random() < 0.1:
        keys["mode"] = "data"

    def some(share):
        return [name for name in "abcd" if chance.random() < share]

    return change(
        address,
        *chance.choice(actions.split()).split("+"),
        before={name: chance.randrange(3) for name in some(0.8)},
        after={name: chance.randrange(3) for name in some(0.8)},
        unknown=dict.fromkeys(some(0.2), True),
        marked_before=dict.fromkeys(some(0.2), True),
        marked_after=dict.fromkeys(some(0.2), True),
        replace_paths=[[name] for name in some(0.2)],
        **keys,
    )


def real():
    """Return the plans that Terraform and OpenTofu wrote, a night for each release."""
    releases = sorted((ROOT / "corpus/real").iterdir())
    return {
        dt: {
            path.name.removesuffix(".plan.json"): path.read_text()
            for path in sorted(release.glob("*.plan.json"))
        }
        for dt, release in zip(NIGHTS, releases)
    }


# Tables.


def write_plans(fleet, folder):
    """Write the plans of a fleet to files. Return the folder of each night."""
    nights = {dt: folder / str(dt) for dt in fleet}
    for dt, night in nights.items():
        night.mkdir(parents=True)
        for workspace, text in fleet[dt].items():
            (night / f"{workspace}.json").write_text(text)
    return nights


def run(*arguments):
    """Run the program. Some inputs may fail."""
    found = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    assert found.returncode in (0, 4), found.stderr
    return found


def run_block(code):
    """Run commands of a page. Return their standard output."""
    folder = pathlib.Path(PROGRAM).resolve().parent
    environment = os.environ | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    run = {"capture_output": True, "text": True, "env": environment}
    done = subprocess.run(["bash", "-euc", code], **run)
    assert done.returncode == 0, done.stderr
    return done.stdout


def has_tables():
    """Tell whether the program was built with the feature ``tables``."""
    # With the feature, the message is that the folder is missing.
    command = [PROGRAM, "config", "--format", "parquet"]
    found = subprocess.run(command, capture_output=True, text=True)
    return "--features tables" not in found.stderr


def workspaces_of(night):
    """Return the pattern for the workspaces in a folder."""
    return f"{night}/{{workspace}}.json"


def tables_of_package(nights, folder):
    """Write the tables with the Python package."""
    for dt, night in nights.items():
        options = {"on_error": "row", "workspace_from": workspaces_of(night)}
        plans = pyarrow.table(plansift.plans(night, **options))
        failed = plans.filter(pyarrow.compute.field("status") == "failed")["source"]
        for name in TABLES:
            rows = pyarrow.table(plansift.table(name, night, **options))
            if name != "plans":
                # A plan that fails has no rows in the other tables, as in `batch`.
                is_failed = pyarrow.compute.is_in(rows["source"], value_set=failed)
                rows = rows.filter(pyarrow.compute.invert(is_failed))
            path = f"{name}/dt={dt}/part-1-of-1.parquet"
            if name == "elements":
                path = f"config/dt={dt}/elements.parquet"
            (folder / path).parent.mkdir(parents=True)
            pyarrow.parquet.write_table(rows, folder / path)


def tables_of_batch(nights, folder):
    """Write the tables with ``batch --tables``, and ``elements`` with ``config``."""
    for dt, night in nights.items():
        options = ["--tables", folder, "--date", dt, "--workspace-from", workspaces_of(night)]
        run("batch", "--quiet", "--out", folder.with_name(f"records-{dt}"), *options, night)
        (folder / "config").mkdir(exist_ok=True)
        options = ["--format", "parquet", "-o", folder / f"config/dt={dt}"]
        run("config", *options, "--workspace-from", workspaces_of(night), night)


# Records.


class Records:
    """The records that the program writes as NDJSON, each with its night and its workspace."""

    def __init__(self, nights):
        self.rows = collections.defaultdict(list)
        self.nights = sorted(nights)
        for dt, night in nights.items():
            self._changes(dt, night)
            self._elements(dt, night)

    def __call__(self, *kinds):
        """Return the records of some kinds in all nights."""
        return [record for kind in kinds for record in self.rows[kind]]

    def latest(self, *kinds):
        """Return the records of some kinds in the latest night."""
        return [record for record in self(*kinds) if record["dt"] == self.nights[-1]]

    def _changes(self, dt, night):
        found = ndjson("changes", night)
        done = set()
        for plan, records, summary in _streams(found.stdout, "plan"):
            place = {"dt": dt, "workspace": plan["workspace"]}
            done.add(plan["source"])
            self.rows["plan"].append(plan | summary | place | {"status": "done"})
            for record in records:
                self.rows[record["kind"]].append(record | place)
        errors = dict(line.split(": ", 2)[1:] for line in found.stderr.splitlines())
        for path in sorted(night.iterdir()):
            if str(path) not in done:
                failure = {"status": "failed", "error": errors[str(path)]}
                self.rows["plan"].append({"dt": dt, "workspace": path.stem} | failure)

    def _elements(self, dt, night):
        found = ndjson("config", night)
        for head, records, _ in _streams(found.stdout, "configuration"):
            for record in records:
                place = {"dt": dt, "workspace": head["workspace"]}
                self.rows[record["kind"]].append(record | place)


def ndjson(command, night):
    """Write the records of a command."""
    return run(command, "--format", "ndjson", "--workspace-from", workspaces_of(night), night)


def _streams(text, head):
    """Return the first record, the rows and the summary of each complete stream."""
    for line in text.splitlines():
        record = json.loads(line)
        if record["kind"] == head:
            first, rows = record, []
        elif record["kind"] == "summary":
            yield first, rows, record
        else:
            rows.append(record)
