"""The performance goals, computed from one run.

A goal is not measured if its contestants did not run."""

from dataclasses import dataclass
from typing import Callable

from .entries import COMPARE, COMPARE_REVERSED, LISTING, ONE_THREAD, TABLES

TWO_THREADS = "plansift --threads 2"
WITH_AVX2 = "PLANSIFT_ISA=avx2"
AVX2 = f"{ONE_THREAD} {WITH_AVX2}"
STRUCTURE = "plansift --check structure --threads"
RSONPATH = "rq, two passes"
# The names of the plans.
ESTATE, SLOW, SLOWEST, LARGE = "estate", "estate-slow", "estate-slowest", "estate-large"


class NotMeasured(Exception):
    """Raised if a run that a goal needs is missing."""


@dataclass(frozen=True)
class Goal:
    """A goal: each of its figures must be within the bound."""

    what: str
    bound: str
    within: Callable[[float], bool]
    figures: Callable[["Run"], list[float]]
    digits: int = 2

    def verdict(self, run):
        try:
            figures = self.figures(run)
        except NotMeasured as error:
            return Verdict(self.what, self.bound, f"not measured: {error}", "?")
        reached = ", ".join(f"{it:.{self.digits}f}" for it in figures)
        met = "met" if all(map(self.within, figures)) else "not met"
        return Verdict(self.what, self.bound, reached, met)


def at_least(limit):
    return f"at least {limit}", lambda figure: figure >= limit


def at_most(limit):
    return f"at most {limit}", lambda figure: figure <= limit


def times_faster(limit):
    return f"at least {limit} times faster", lambda figure: figure >= limit


@dataclass(frozen=True)
class Verdict:
    what: str
    goal: str
    reached: str
    met: str


class Run:
    """The results, by plan and contestant."""

    def __init__(self, results, allocations_per_record):
        self.results = {(it.entry.plan.name, it.entry.who): it for it in results if usable(it)}
        self.allocations_per_record = allocations_per_record

    def get(self, plan, who):
        if (plan, who) not in self.results:
            raise NotMeasured(f"{who} on {plan}")
        return self.results[plan, who]

    def all_of(self, plan, beginning):
        found = [
            it for (on, who), it in self.results.items() if on == plan and who.startswith(beginning)
        ]
        if not found:
            raise NotMeasured(f"{beginning} on {plan}")
        return found

    def roof(self, plan):
        """Returns the GB/s of the fastest way to read every byte on one thread."""
        return max(it.speed for it in self.all_of(plan, "roof, 1 thread,"))

    def speed(self, plan, who=ONE_THREAD):
        return self.get(plan, who).speed

    def share(self, plan, who=ONE_THREAD):
        return self.speed(plan, who) / self.roof(plan)

    def times(self, plan, who):
        """Returns how many times faster plansift is on one thread."""
        return self.get(plan, who).seconds / self.get(plan, ONE_THREAD).seconds

    def times_of_list(self, plan, who):
        """Returns how many times faster plansift does task A on all processors."""
        return self.get(plan, who).seconds / self.get(plan, LISTING).seconds


def usable(result):
    return bool(result.runs) and not result.failure


def peak(run, plan):
    return max(it.peak_mib for it in run.all_of(plan, "plansift"))


def growth(run):
    """Returns the largest growth in MiB of any mode, from the estate to the large plan."""
    pairs = [
        (run.results[ESTATE, it.entry.who], it)
        for it in run.all_of(LARGE, "plansift")
        if (ESTATE, it.entry.who) in run.results
    ]
    if not pairs:
        raise NotMeasured(f"a mode on {ESTATE} and on {LARGE}")
    return max(after.peak_mib - before.peak_mib for before, after in pairs)


def memory_of(run, who):
    """Returns the peak memory of a contestant as a multiple of plansift's."""
    return run.get(SLOW, who).peak_mib / run.get(SLOW, LISTING).peak_mib


def fastest_lazy(run):
    """Compares with the faster of the two modes of sonic-rs."""
    return min(run.times_of_list(ESTATE, it.entry.who) for it in run.all_of(ESTATE, "sonic-rs lazy"))


def allocations(run):
    if run.allocations_per_record is None:
        raise NotMeasured("allocations")
    return run.allocations_per_record


GOALS = [
    Goal(
        "task B, estate, one thread, of the roof",
        *at_least(0.75),
        lambda run: [run.share(ESTATE)],
    ),
    Goal(
        "the same with two threads, of the one-thread roof",
        "more than 1",
        lambda figure: figure > 1,
        lambda run: [run.share(ESTATE, TWO_THREADS)],
    ),
    Goal(
        "two threads against one",
        *times_faster(1.3),
        lambda run: [1 / run.times(ESTATE, TWO_THREADS)],
    ),
    Goal(
        "task B, busy, one thread, of the roof",
        *at_least(0.35),
        lambda run: [run.share("busy")],
    ),
    Goal(
        "task B, first run, indented, policy, of the roof",
        *at_least(0.5),
        lambda run: [run.share(it) for it in ("first-run", "indented", "policy")],
    ),
    Goal(
        "task A against rsonpath's two passes",
        *times_faster(3),
        lambda run: [run.times_of_list(ESTATE, RSONPATH)],
    ),
    Goal(
        "task A against simdjson On-Demand, sonic-rs lazy",
        *times_faster(4),
        lambda run: [run.times_of_list(ESTATE, "simdjson On-Demand"), fastest_lazy(run)],
    ),
    Goal(
        "task B against jq",
        *times_faster(100),
        lambda run: [run.times(SLOWEST, "jq, records")],
        digits=0,
    ),
    Goal(
        "task B against the serde_json program",
        *times_faster(10),
        lambda run: [run.times(SLOW, "serde_json values, records")],
        digits=1,
    ),
    Goal(
        "task A against tf-summarize, opa",
        *times_faster(100),
        lambda run: [run.times_of_list(SLOW, "tf-summarize"), run.times_of_list(SLOW, "opa eval")],
        digits=0,
    ),
    Goal(
        "their memory in plansift's",
        *at_least(20),
        lambda run: [memory_of(run, "tf-summarize"), memory_of(run, "opa eval")],
        digits=0,
    ),
    Goal(
        "task B against rsonpath's two passes, one thread",
        *times_faster(1.2),
        lambda run: [run.times(ESTATE, RSONPATH)],
    ),
    Goal(
        "task B against rsonpath's two passes, two threads",
        *times_faster(2.2),
        lambda run: [run.speed(ESTATE, TWO_THREADS) / run.speed(ESTATE, RSONPATH)],
    ),
    Goal(
        "task B with AVX2 against rsonpath's two passes, one thread",
        *times_faster(0.9),
        lambda run: [run.speed(ESTATE, AVX2) / run.speed(ESTATE, RSONPATH)],
    ),
    Goal(
        "task B with AVX2 against rsonpath's two passes, two threads",
        *times_faster(1.7),
        lambda run: [run.speed(ESTATE, f"{TWO_THREADS} {WITH_AVX2}") / run.speed(ESTATE, RSONPATH)],
    ),
    Goal(
        "task B against simdjson On-Demand, one thread",
        *times_faster(1.3),
        lambda run: [run.times(ESTATE, "simdjson On-Demand")],
    ),
    Goal(
        "time in that of --check structure, one and two threads",
        *at_most(1.2),
        lambda run: [
            run.speed(ESTATE, f"{STRUCTURE} 1") / run.speed(ESTATE),
            run.speed(ESTATE, f"{STRUCTURE} 2") / run.speed(ESTATE, TWO_THREADS),
        ],
    ),
    Goal(
        "speed of the pipe in that of the mapped run",
        *at_least(0.6),
        lambda run: [1 / run.times(ESTATE, "plansift, pipe")],
    ),
    Goal(
        "time of zstd input in that of zstd -dc alone",
        *at_most(1.1),
        lambda run: [
            run.get(ESTATE, "plansift, zstd").seconds / run.get(ESTATE, "zstd -dc").seconds
        ],
    ),
    Goal(
        "peak memory in MiB, any mode, estate and large",
        *at_most(64),
        lambda run: [peak(run, ESTATE), peak(run, LARGE)],
        digits=1,
    ),
    Goal(
        "its growth from estate to large, in MiB",
        *at_most(2),
        lambda run: [growth(run)],
        digits=1,
    ),
    Goal(
        "time of large in that of estate, for eight times the bytes",
        *at_most(8.2),
        lambda run: [8 * run.speed(ESTATE) / run.speed(LARGE)],
    ),
    Goal(
        "time of compare in that of changes, two threads, 1 000 changes differ",
        *at_most(2.5),
        lambda run: [run.get(ESTATE, COMPARE).seconds / run.get(ESTATE, TWO_THREADS).seconds],
    ),
    Goal(
        "the same with a copy in another order",
        *at_most(6),
        lambda run: [
            run.get(ESTATE, COMPARE_REVERSED).seconds / run.get(ESTATE, TWO_THREADS).seconds
        ],
    ),
    Goal(
        "time of batch --tables in that of changes, many plans",
        *at_most(1.5),
        lambda run: [run.get("many", TABLES).seconds / run.get("many", "plansift").seconds],
    ),
    Goal(
        "its peak memory in MiB",
        *at_most(256),
        lambda run: [run.get("many", TABLES).peak_mib],
        digits=0,
    ),
    Goal(
        "tiny plan, whole process, ms of processor time",
        *at_most(3),
        lambda run: [run.get("tiny", "plansift").cpu * 1000],
    ),
    Goal(
        "speed with AVX2 in that with AVX-512",
        *at_least(0.7),
        lambda run: [
            run.speed(ESTATE, AVX2)
            / run.speed(ESTATE, f"{ONE_THREAD} PLANSIFT_ISA=avx512")
        ],
    ),
    Goal(
        "allocations for each further record, one thread",
        "none",
        # Structures that grow with the plan but not per record, such as a list of types, may
        # allocate.
        lambda figure: figure < 0.01,
        lambda run: [allocations(run)],
        digits=3,
    ),
]


def verdicts(run):
    return [goal.verdict(run) for goal in GOALS]
