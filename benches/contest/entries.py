"""The entries of the bench: which contestant runs on which plan, with its whole command.

Task A is the list of changes, with address and actions; task B is the whole record stream. For
task A, plansift leaves out paths and writes everything else in a record. `rq` can only count, so it
counts the addresses and the actions of all elements, unchanged ones included. Timed runs discard
the output.
"""

import os
import shlex
from dataclasses import dataclass, field, replace
from pathlib import Path

from . import answers, measure, plans, tools
from .plans import Plan

OTHERS = Path("benches/peers/others")
# The contestant that all others are compared with.
ONE_THREAD = "plansift --threads 1"
# The contestant for task A on all processors.
LISTING = "plansift --no-paths"
# The contestants that compare a plan with a copy that has 1 000 other changes.
COMPARE = "plansift compare"
COMPARE_REVERSED = "plansift compare, unsorted"
# The contestant that writes tables.
TABLES = "plansift batch --tables"
ROOF_MODES = ("fault", "drop", "populate", "both", "prefetch")


@dataclass(frozen=True)
class Entry:
    """One contestant on one plan."""

    plan: Plan
    # "roof", "limit", "A", "B", "AB", or "-" for an entry that serves comparison only.
    task: str
    who: str
    command: list[str]
    check: object
    environment: dict = field(default_factory=dict)
    # The files to keep in the page cache, if not the plan's.
    files: tuple = ()
    # Minimum number of rounds, for short processes that need many.
    rounds_min: int = 1

    @property
    def reads(self):
        return self.files or self.plan.paths


def shell(text):
    return ["sh", "-c", text]


class Field:
    """Makes the entries of plans from the installed programs."""

    def __init__(self, found, only):
        self.found = found
        self.only = only

    def wanted(self, entries):
        """Selects the requested entries, and those that others are compared with."""
        always = ("plansift", "roof", "limit")
        return [
            it
            for it in entries
            if not self.only or any(it.who.startswith(name) for name in (*always, *self.only))
        ]

    def roof(self, plan):
        """Reads every byte, on one thread and on all."""
        check = answers.same_for_all()
        paths = [str(path) for path in plan.paths]
        program = self.found.path("roof")
        for threads in sorted({1, os.cpu_count() or 1}):
            for mode in ROOF_MODES:
                who = f"roof, {threads} thread{'s' * (threads > 1)}, {mode}"
                yield Entry(plan, "roof", who, [program, str(threads), mode, *paths], check)

    def limits(self, plan, _):
        """Measures the lower bound of plansift on one thread, without visitor and output."""
        check = answers.same_for_all()
        for level in ("scan", "structure", "full"):
            command = [self.found.path("limit"), level, str(plan.path)]
            yield Entry(plan, "limit", f"limit, {level}", command, check)

    def plansift(self, plan, check, options=(), **environment):
        settings = [f"{name}={value}" for name, value in environment.items()]
        who = " ".join(["plansift", *options, *settings])
        paths = [str(path) for path in plan.paths]
        command = [tools.PLANSIFT, "changes", *options, *paths]
        return Entry(plan, "AB", who, command, check, environment)

    def threads(self, plan, check, *numbers):
        for number in numbers:
            yield self.plansift(plan, check, ("--threads", number))

    def modes(self, plan, check):
        """Runs plansift in every mode on one plan."""
        yield from self.threads(plan, check, "1", "2", "4")
        for options in (("--check", "structure"), ("--no-mmap",)):
            for number in ("1", "2"):
                yield self.plansift(plan, check, (*options, "--threads", number))
        pipe = f"cat {plan.path} | {tools.PLANSIFT} changes -"
        yield Entry(plan, "AB", "plansift, pipe", shell(pipe), check)
        yield from self.compressed(plan, check)

    def compressed(self, plan, check):
        for tool in ("zstd", "gzip"):
            if self.found.path(tool):
                path = plans.compressed(plan, tool)
                command = [tools.PLANSIFT, "changes", str(path)]
                yield Entry(plan, "AB", f"plansift, {tool}", command, check, files=(path,))
        if self.found.path("zstd"):
            path = plans.compressed(plan, "zstd")
            alone = shell(f"zstd -dc {path} > /dev/null")
            yield Entry(plan, "-", "zstd -dc", alone, answers.nothing, files=(path,))

    def instructions(self, plan, check):
        """Runs plansift with each instruction set of the machine, on one thread and on two."""
        flags = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
        for name, flag in (("avx2", " avx2 "), ("avx512", " avx512bw ")):
            for number in ("1", "2") if flag in flags else ():
                threads = ("--threads", number)
                yield self.plansift(plan, check, threads, PLANSIFT_ISA=name)
                structure = ("--check", "structure", *threads)
                yield self.plansift(plan, check, structure, PLANSIFT_ISA=name)
                listing = self.plansift(
                    plan, answers.listing(plan), ("--no-paths", *threads), PLANSIFT_ISA=name
                )
                yield replace(listing, task="A")

    def fast(self, plan):
        """Runs task A with programs that read a gigabyte in a few seconds."""
        for options in (("--no-paths", "--threads", "1"), ("--no-paths",)):
            entry = self.plansift(plan, answers.listing(plan), options)
            yield replace(entry, task="A")
        check = answers.lists(plan)
        path = str(plan.path)
        if rq := self.found.path("rq"):
            passes = ("$.resource_changes[*].address", "$.resource_changes[*].change.actions")
            # The output lacks the final line feed.
            text = " && echo && ".join(f"{rq} -r count {shlex.quote(it)} {path}" for it in passes)
            yield Entry(plan, "A", "rq, two passes", shell(text), answers.counts(plan))
        programs = [
            ("simdjson On-Demand", "on_demand", []),
            ("sonic-rs lazy", "sonic_lazy", []),
            ("sonic-rs lazy, unchecked", "sonic_lazy", ["unchecked"]),
            ("serde_json typed", "serde_typed", []),
            ("simd-json tape", "simd_tape", []),
        ]
        for who, name, options in programs:
            if program := self.found.path(name):
                yield Entry(plan, "A", who, [program, path, *options], check)

    def slow(self, plan):
        """Runs task A with the tools in common use."""
        check = answers.lists(plan)
        path = str(plan.path)
        for name in ("jq", "jaq"):
            if program := self.found.path(name):
                command = [program, "-r", "-f", str(OTHERS / "list.jq"), path]
                yield Entry(plan, "A", name, command, check)
        for name in ("orjson", "ijson"):
            if python := self.found.path(name):
                yield Entry(plan, "A", name, [python, str(OTHERS / f"with_{name}.py"), path], check)
        if program := self.found.path("tf-summarize"):
            yield Entry(plan, "A", "tf-summarize", [program, "-md", path], answers.summarized(plan))
        if program := self.found.path("opa"):
            rules = ["-d", str(OTHERS / "policy.rego"), "data.plan"]
            command = [program, "eval", "--format", "json", "-i", path, *rules]
            yield Entry(plan, "A", "opa eval", command, answers.policy(plan))

    def records(self, plan, check):
        """Runs task B with other programs."""
        programs = (("serde_json values", "records_serde"), ("simd-json tape", "records_tape"))
        for who, name in programs:
            if program := self.found.path(name):
                yield Entry(plan, "B", f"{who}, records", [program, str(plan.path)], check)

    def records_of_jq(self, plan, check):
        if program := self.found.path("jq"):
            path = str(plan.path)
            given = ["--arg", "source", path, "--argjson", "bytes", str(plan.bytes)]
            command = [program, "-c", *given, "-f", str(OTHERS / "records.jq"), path]
            yield Entry(plan, "B", "jq, records", command, check)

    def tiny(self, plan, check):
        """Runs plansift on a tiny plan, in many rounds because each is short."""
        for entry in (self.plansift(plan, check), *self.threads(plan, check, "1")):
            yield replace(entry, rounds_min=21)

    def compare(self, plan):
        """Compares a plan with a changed copy, and with one in another order."""
        check = answers.compared(plans.CHANGED)
        for who, order in ((COMPARE, "sorted"), (COMPARE_REVERSED, "reversed")):
            copy = plans.changed(plan, order)
            options = ["--format", "ndjson", "--threads", "2"]
            command = [tools.PLANSIFT, "compare", *options, str(plan.path), str(copy)]
            yield Entry(plan, "-", who, command, check, files=(plan.path, copy))

    def tables(self, plan):
        """Writes the records and the tables of a fleet. Removing those of the last run counts."""
        folder = measure.SCRATCH / "fleet"
        paths = " ".join(str(path) for path in plan.paths)
        batch = f"{tools.PLANSIFT} batch --quiet --out {folder}/out --tables {folder}/tables"
        text = f"rm -rf {folder} && {batch} {paths}"
        return Entry(plan, "-", TABLES, shell(text), answers.tables(plan, folder / "tables"))

    def each(self, plan, check):
        """Reads many plans, in one process and in one process per plan."""
        folder = plan.path.parent
        yield from self.threads(plan, check, "1", "2")
        yield self.plansift(plan, check)
        yield self.tables(plan)
        found = f"printf '%s\\n' {folder}/????.json"
        text = f"{found} | xargs -n 1 {tools.PLANSIFT} changes --threads 1"
        yield Entry(plan, "AB", "plansift, a process each", shell(text), check)
        lists = answers.lists(plan)
        for who, name in (("simdjson On-Demand", "on_demand"), ("serde_json typed", "serde_typed")):
            if program := self.found.path(name):
                text = f"{found} | xargs -n 1 {program}"
                yield Entry(plan, "A", f"{who}, a process each", shell(text), lists)
