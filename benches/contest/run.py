"""Runs the bench: programs, then plan after plan, then the tables."""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

from . import answers, entries, goals, measure, plans, report, tools

ROOT = Path(__file__).resolve().parent.parent.parent
QUICK = {"size": "20M", "slow": "4M", "slowest": "1M", "large": "80M", "many": 20, "rounds": 3}
FULL = {"size": "1G", "slow": "200M", "slowest": "20M", "large": "8G", "many": 2000, "rounds": 5}


def main(doc):
    options = arguments(doc)
    os.chdir(ROOT)
    say(report.machine())
    found = tools.prepare(not options.no_install, say)
    results = []
    for plan, runners in schedule(options, entries.Field(found, options.only)):
        if options.plans and plan not in options.plans:
            continue
        try:
            results += measure.contest(list(runners()), options.rounds, say)
        except (OSError, subprocess.CalledProcessError) as error:
            # A full disk, for example. The results so far still get their table.
            found.missing[f"plan {plan}"] = str(error)
            say(f"{plan}: {error}")
    counted = allocations(found, options) if not options.plans else None
    run = goals.Run(results, counted)
    return finish(options, found, results, run)


def arguments(doc):
    words = argparse.ArgumentParser(
        prog="scripts/bench", description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    words.add_argument("--quick", action="store_true", help="small plans, few runs")
    words.add_argument("--size", help="of the plans of fast contestants (1G)")
    words.add_argument("--slow", metavar="SIZE", help="of the plan of slow ones (200M)")
    words.add_argument("--slowest", metavar="SIZE", help="of that of jq's records (20M)")
    words.add_argument("--large", metavar="SIZE", help="of the large plan (8G)")
    words.add_argument("--many", type=int, metavar="N", help="how many plans of 1 MB (2000)")
    words.add_argument("--rounds", type=int, metavar="N", help="runs of each contestant (5)")
    words.add_argument("--plans", type=listed, default=[], help="only these: estate,busy,…")
    words.add_argument("--only", type=listed, default=[], help="only contestants that begin so")
    words.add_argument("--no-install", action="store_true", help="install nothing")
    words.add_argument("-o", "--output", type=Path, help="the file, if not in benches/results")
    options = words.parse_args()
    for name, value in (QUICK if options.quick else FULL).items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    if options.output:
        options.output = options.output.absolute()
    return options


def listed(text):
    return [word for word in text.split(",") if word]


def schedule(options, field):
    """Yields each plan's name and a function that makes its entries, and the plan on demand."""

    def entries_of(make, *parts):
        def runners():
            plan = make()
            check = answers.Records(plan)
            made = [entry for part in parts for entry in part(plan, check)]
            return field.wanted(made)

        return runners

    def plan_of(name, size, shape=None, *flags):
        return lambda: plans.make(name, shape or name, size, *flags)

    def roof(plan, _):
        return field.roof(plan)

    def fast(plan, _):
        return field.fast(plan)

    def slow(plan, _):
        return field.slow(plan)

    def threads(plan, check):
        return field.threads(plan, check, "1", "2")

    def one(plan, check):
        return field.threads(plan, check, "1")

    def many():
        return plans.make("many", "estate", "1M", copies=options.many)

    def compare(plan, _):
        return field.compare(plan)

    yield "estate", entries_of(
        plan_of("estate", options.size),
        roof,
        field.limits,
        field.modes,
        compare,
        field.instructions,
        fast,
    )
    for name in ("busy", "first-run", "policy"):
        parts = roof, field.limits, threads, field.instructions, fast
        yield name, entries_of(plan_of(name, options.size), *parts)
    indented = plan_of("indented", options.size, "estate", "--indent")
    yield "indented", entries_of(
        indented, roof, field.limits, threads, field.instructions, fast
    )
    slow_plan = plan_of("estate-slow", options.slow, "estate")
    yield "estate-slow", entries_of(slow_plan, roof, one, fast, slow, field.records)
    slowest_plan = plan_of("estate-slowest", options.slowest, "estate")
    yield "estate-slowest", entries_of(slowest_plan, roof, one, field.records, field.records_of_jq)
    yield "tiny", entries_of(plan_of("tiny", "5K", "estate"), field.tiny, fast, slow)
    yield "many", entries_of(many, roof, field.each)
    large = plan_of("estate-large", options.large, "estate")
    yield "estate-large", entries_of(large, roof, field.modes)


def allocations(found, options):
    """Returns the allocations per additional record, from two plans of the bench.

    The shorter plan is long enough for all caches and buffers to reach their full size."""
    counted = []
    for name, size in (("estate-slow", options.slow), ("estate", options.size)):
        plan = plans.make(name, "estate", size)
        said = subprocess.run(
            [found.path("allocations"), str(plan.path)], capture_output=True, text=True
        )
        if said.returncode != 0:
            return None
        counted.append([int(word) for word in said.stdout.split()])
    [fewer, records], [more, more_records] = counted
    return (more - fewer) / (more_records - records)


def finish(options, found, results, run):
    rows = report.rows(results, run)
    verdicts = goals.verdicts(run)
    missing = [f"missing: {name} ({why})" for name, why in found.missing.items()]
    versions = ", ".join(f"{name} {version}" for name, version in found.versions.items())
    command = " ".join(["scripts/bench", *sys.argv[1:]])
    notes = [report.machine(), command, versions, *missing]
    print("\n".join(report.table(rows)))
    print("\n" + "\n".join(missing) if missing else "")
    if options.quick:
        print("  These plans are small: what follows shows that all of it runs, not how fast.")
    print("\n".join(report.goals_table(verdicts)))
    output = options.output or default_output(options)
    report.write(output, rows, verdicts, notes)
    say(f"written to {output}")
    # A missed goal is a finding; a missing or wrong contestant is a fault.
    faults = found.missing or any(result.failure for result in results)
    return 1 if faults else 0


def default_output(options):
    """Returns the file of published results for a full run, and a scratch file otherwise."""
    part = options.quick or options.plans or options.only
    return Path("target/bench/part.csv") if part else Path("benches/results") / report.file_name()


STARTED = time.monotonic()


def say(text):
    print(f"[{time.monotonic() - STARTED:6.1f} s] {text}", file=sys.stderr, flush=True)
