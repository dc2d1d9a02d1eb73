"""Checks the answers of the contestants. Each check takes the file with a contestant's output.

The generator is the reference: it writes the list of changes and the counts with the plan, from
its own state and not by parsing the plan. In addition, all contestants must agree on whole
records. On plans that the serde_json program can read, plansift must therefore agree with it.
"""

import hashlib
import itertools
import json
from collections import Counter

from .measure import Failure


def nothing(answer):
    """Accepts any answer, for contestants that only read."""


def same_for_all():
    """For the roof and the limit: all runs must print the same sum, or the same length."""
    sums = set()

    def check(answer):
        sums.add(answer.read_text())
        if len(sums) > 1:
            raise Failure(f"{len(sums)} different sums")

    return check


def lists(plan):
    """Compares the list of changes, line by line."""

    def check(answer):
        with open(answer, "rb") as found:
            wrong = first_difference(found, list_of(plan))
        if wrong is not None:
            raise Failure(f"line {wrong} of the list is wrong")

    return check


def list_of(plan):
    for path in plan.lists:
        with open(path, "rb") as lines:
            yield from lines


def first_difference(found, wanted):
    for number, (ours, theirs) in enumerate(itertools.zip_longest(found, wanted), 1):
        if ours != theirs:
            return number
    return None


def counts(plan):
    """Checks the number of resource changes, no-ops included, of each of two passes."""

    def check(answer):
        numbers = answer.read_text().split()
        if numbers != [str(plan.resource_changes())] * 2:
            raise Failure(f"{plan.resource_changes()} resource changes, not {numbers}")

    return check


def compared(differing):
    """Checks that a comparison found this number of objects, and all of them with more."""

    def check(answer):
        summary = json.loads(answer.read_text().splitlines()[-1])
        if summary["differing"] != {"more": differing, "less": 0, "resolved": 0}:
            raise Failure(f"{differing} objects with more, not {summary['differing']}")

    return check


def tables(plan, folder):
    """Checks that a batch read all plans, and that the tables in the folder are complete."""

    def check(answer):
        if not answer.read_text().startswith(f"{len(plan.paths)} workspaces: "):
            raise Failure("not every plan was read")
        files = list(folder.glob("*/dt=*/part-1-of-1.parquet"))
        if not files or any(file.read_bytes()[-4:] != b"PAR1" for file in files):
            raise Failure("a table is missing or incomplete")

    return check


class Records:
    """Checks the record streams that any contestants make of one plan."""

    def __init__(self, plan):
        self.plan = plan
        # Digests of correct streams. One digest covers the bytes without the first record, which
        # names the input. The other covers the decoded records.
        self.bytes_seen = set()
        self.meaning = None

    def __call__(self, answer):
        as_bytes = digest_of_lines(answer)
        if as_bytes in self.bytes_seen:
            return
        listing, summaries, meaning = self.read(answer)
        if summaries != self.plan.counts():
            raise Failure("the counts of the summary are wrong")
        wrong = first_difference(iter(listing), list_of(self.plan))
        if wrong is not None:
            raise Failure(f"record {wrong} of what changes is wrong")
        if self.meaning not in (None, meaning):
            raise Failure("the records are not those of the first contestant")
        self.meaning = meaning
        self.bytes_seen.add(as_bytes)

    def read(self, answer):
        """Returns the list of changes, the summaries, and a digest of all decoded records."""
        digest = hashlib.sha256()
        listing, summaries = [], []
        with open(answer, "rb") as lines:
            for line in lines:
                record = json.loads(line)
                record.pop("source", None)
                if record["kind"] == "resource_change" and record["actions"] != ["no-op"]:
                    actions = ",".join(record["actions"])
                    listing.append(f"{actions}\t{record['address']}\n".encode())
                elif record["kind"] == "summary":
                    summaries.append(record)
                digest.update(json.dumps(record, sort_keys=True).encode())
        return listing, summaries, digest.digest()


# The counts of paths in a summary; absent in a run without paths.
PATHS = ("unknown_paths", "sensitive_paths", "changed_paths")


def listing(plan):
    """Checks a record stream without paths."""

    def check(answer):
        listing, summaries, _ = Records(plan).read(answer)
        wanted = [{k: v for k, v in it.items() if k not in PATHS} for it in plan.counts()]
        if summaries != wanted:
            raise Failure("the counts of the summary are wrong")
        wrong = first_difference(iter(listing), list_of(plan))
        if wrong is not None:
            raise Failure(f"record {wrong} of what changes is wrong")

    return check


def digest_of_lines(answer):
    """Returns the digest of all lines, except those that name the input."""
    digest = hashlib.sha256()
    with open(answer, "rb") as lines:
        for line in lines:
            if not line.startswith(b'{"kind":"plan"'):
                digest.update(line)
    return digest.digest()


# The groups in the output of tf-summarize, by action.
GROUPS = {
    "create": "add",
    "update": "update",
    "delete": "delete",
    "delete,create": "recreate",
    "create,delete": "recreate",
    "create,forget": "recreate",
    "forget,create": "recreate",
}


def summarized(plan):
    """Checks the Markdown table of tf-summarize: addresses below the name of their group."""

    def check(answer):
        wanted = Counter()
        for line in list_of(plan):
            actions, address = line.decode().rstrip("\n").split("\t")
            if actions in GROUPS:
                wanted[GROUPS[actions], address] += 1
        found = Counter()
        group = None
        # An empty line separates the table of outputs.
        for line in itertools.takewhile(str.strip, answer.read_text().splitlines()):
            cells = [cell.strip() for cell in line.strip("| ").split("|", 1)]
            word, address = cells if len(cells) == 2 else ("", cells[0])
            group = word or group
            if group in GROUPS.values():
                found[group, address.strip("`| ")] += 1
        if found != wanted:
            missing, more = (wanted - found).total(), (found - wanted).total()
            raise Failure(f"{missing} missing, {more} too many")

    return check


def policy(plan):
    """Checks the output of `opa eval`: the list of changes, and those that destroy."""

    def check(answer):
        value = json.loads(answer.read_text())["result"][0]["expressions"][0]["value"]
        wanted = [line.decode().rstrip("\n") for line in list_of(plan)]
        destroys = [it.split("\t")[1] for it in wanted if "delete" in it.split("\t")[0].split(",")]
        if value["changes"] != wanted or value["destroys"] != destroys:
            raise Failure("the answers of the rules are wrong")

    return check
