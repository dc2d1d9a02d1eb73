"""Measures processes: seconds, processor time, peak memory.

A small launcher (benches/peers/src/bin/launch.rs) starts each command and asks the kernel for its
resource use. Python itself would be too large: a process inherits the peak memory of its parent.
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
# A slower contestant runs at most three times.
SECONDS_SLOW = 10


class Failure(Exception):
    """A contestant gave no answer, or a wrong one."""


@dataclass(frozen=True)
class Usage:
    """The resource use of one run. `peak_kib` is the peak of the largest process."""

    seconds: float
    cpu: float
    peak_kib: int


@dataclass
class Result:
    """The runs of an entry, or the reason for their absence."""

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
        """Returns GB/s of the uncompressed plan."""
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
            # Kills the whole process group, also if this run is interrupted.
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
    """Returns the last line on standard error that is not a note."""
    lines = (SCRATCH / "stderr").read_text(errors="replace").splitlines()
    said = [line.strip() for line in lines if line.strip() and not line.startswith("note:")]
    return said[-1] if said else ""


def checked(entry):
    """Runs an entry once and checks its answer."""
    plans.warm(entry.reads)
    answer = SCRATCH / "answer"
    usage = launch(entry, answer)
    entry.check(answer)
    answer.unlink()
    return usage


def contest(entries, rounds, say):
    """Runs all entries in turn, round after round, with warm files. Returns their results."""
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
        # Every other round runs backwards, so that no entry always follows the same one.
        for result in results if turn % 2 == 0 else results[::-1]:
            if turn < wanted.get(id(result), 0) and not result.failure:
                plans.warm(result.entry.reads)
                try:
                    result.runs.append(launch(result.entry, os.devnull))
                except Failure as failure:
                    result.failure = str(failure)
    return results
