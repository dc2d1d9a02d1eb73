"""Processes: how long they took, their processor time, their peak memory.

A small launcher (benches/peers/src/bin/launch.rs) starts each command and asks the kernel what it
used: a process inherits the peak memory of the one it was forked from, and Python is large.
"""

import os
import signal
import statistics
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from . import plans

LAUNCHER = "target/peers/release/launch"
SCRATCH = Path("target/bench/scratch")
SECONDS_MAX = 600
# A contestant slower than this is run three times at most.
SECONDS_SLOW = 10


class Failure(Exception):
    """A contestant did not answer, or wrongly."""


@dataclass(frozen=True)
class Usage:
    """What one run took. Of several processes, `peak_kib` is that of the largest."""

    seconds: float
    cpu: float
    peak_kib: int


@dataclass
class Result:
    """The runs of an entry, or why there are none."""

    entry: object
    runs: list[Usage] = field(default_factory=list)
    failure: str = ""

    @property
    def seconds(self):
        return statistics.median(run.seconds for run in self.runs)

    @property
    def fastest(self):
        return min(run.seconds for run in self.runs)

    @property
    def slowest(self):
        return max(run.seconds for run in self.runs)

    @property
    def cpu(self):
        return statistics.median(run.cpu for run in self.runs)

    @property
    def peak_mib(self):
        return max(run.peak_kib for run in self.runs) / 1024

    @property
    def speed(self):
        """GB/s of the plan as it is when it is not compressed."""
        return self.entry.plan.bytes / self.seconds / 1e9


def launch(entry, stdout):
    """Runs the command of an entry once."""
    SCRATCH.mkdir(parents=True, exist_ok=True)
    report = SCRATCH / "usage"
    report.unlink(missing_ok=True)
    with open(SCRATCH / "stderr", "wb") as stderr:
        process = subprocess.Popen(
            [LAUNCHER, str(report), str(stdout), *entry.command],
            env=os.environ | {"RUST_BACKTRACE": "0"} | entry.environment,
            stderr=stderr,
            start_new_session=True,
        )
        try:
            process.wait(SECONDS_MAX)
        except subprocess.TimeoutExpired:
            raise Failure(f"no answer within {SECONDS_MAX} s") from None
        finally:
            # Whatever the command has started, also when this run is being ended from outside.
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    if not report.exists():
        raise Failure(last_words() or "could not be started")
    seconds, user, system, peak, status = report.read_text().split()
    if status != "0":
        raise Failure(f"status {status}: {last_words()}")
    return Usage(float(seconds), float(user) + float(system), int(peak))


def last_words():
    """The last line on standard error that is not advice."""
    lines = (SCRATCH / "stderr").read_text(errors="replace").splitlines()
    said = [line.strip() for line in lines if line.strip() and not line.startswith("note:")]
    return said[-1] if said else ""


def checked(entry):
    """One run whose answer is looked at."""
    plans.warm(entry.reads)
    answer = SCRATCH / "answer"
    usage = launch(entry, answer)
    entry.check(answer)
    answer.unlink()
    return usage


def contest(entries, rounds, say):
    """Runs all entries in turn, round after round, their files warm. One result for each."""
    results = [Result(entry) for entry in entries]
    plans.settle({path for entry in entries for path in entry.reads})
    wanted = {}
    for result in results:
        entry = result.entry
        try:
            usage = checked(entry)
            slow = usage.seconds > SECONDS_SLOW
            wanted[id(result)] = min(rounds, 3) if slow else max(rounds, entry.rounds_min)
            say(f"{entry.plan.name}: {entry.who}: right, {usage.seconds:.3f} s")
        except Failure as failure:
            result.failure = str(failure)
            say(f"{entry.plan.name}: {entry.who}: {failure}")
    for turn in range(max(wanted.values(), default=0)):
        # Every other round backwards: nobody always follows the same one.
        for result in results if turn % 2 == 0 else results[::-1]:
            if turn < wanted.get(id(result), 0) and not result.failure:
                plans.warm(result.entry.reads)
                try:
                    result.runs.append(launch(result.entry, os.devnull))
                except Failure as failure:
                    result.failure = str(failure)
    return results
