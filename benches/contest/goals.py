"""What is to be reached, computed from one run. A goal whose contestants did not run is not measured."""

from dataclasses import dataclass

from .entries import ONE_THREAD

STRICT = "plansift --strict --threads 1"
MEMORY_MIB = 64


class NotMeasured(Exception):
    """A run that a goal needs is not there."""


@dataclass(frozen=True)
class Verdict:
    what: str
    goal: str
    reached: str
    met: str


class Run:
    """The results by plan and contestant."""

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
        """GB/s of the fastest way to read every byte on one thread."""
        return max(it.speed for it in self.all_of(plan, "roof, 1 thread,"))

    def speed(self, plan, who=ONE_THREAD):
        return self.get(plan, who).speed

    def share(self, plan, who=ONE_THREAD):
        return self.speed(plan, who) / self.roof(plan)

    def times(self, plan, who):
        """How many times faster plansift is on one thread."""
        return self.get(plan, who).seconds / self.get(plan, ONE_THREAD).seconds


def usable(result):
    return bool(result.runs) and not result.failure


def verdicts(run, names):
    """A line for each goal, met or not. `names` are the plans' names by their part in the bench."""
    made = []

    def judge(what, goal, figures, text="{:.2f}"):
        """`figures` makes pairs of a figure and whether it will do; all have to."""
        try:
            pairs = list(figures())
        except NotMeasured as error:
            made.append(Verdict(what, goal, f"not measured: {error}", "?"))
            return
        reached = ", ".join(text.format(figure) for figure, _ in pairs)
        made.append(Verdict(what, goal, reached, "met" if all(ok for _, ok in pairs) else "not met"))

    def at_least(limit, *figures):
        return [(figure, figure >= limit) for figure in figures]

    def at_most(limit, *figures):
        return [(figure, figure <= limit) for figure in figures]

    estate, slow, large = names["estate"], names["slow"], names["large"]
    judge(
        "task B, estate, one thread, of the roof",
        "at least 0.75",
        lambda: at_least(0.75, run.share(estate)),
    )
    judge(
        "the same with two threads, of the one-thread roof",
        "more than 1",
        lambda: [(it, it > 1) for it in [run.share(estate, "plansift --threads 2")]],
    )
    judge(
        "two threads against one",
        "at least 1.3",
        lambda: at_least(1.3, 1 / run.times(estate, "plansift --threads 2")),
    )
    judge(
        "task B, busy, one thread, of the roof",
        "at least 0.35",
        lambda: at_least(0.35, run.share(names["busy"])),
    )
    judge(
        "task B, first run, indented, policy, of the roof",
        "at least 0.5 each",
        lambda: at_least(0.5, *(run.share(names[it]) for it in ("first-run", "indented", "policy"))),
    )
    judge(
        "task A against rq, two passes",
        "at least 3 times faster",
        lambda: at_least(3, run.times(estate, "rq, two passes")),
    )
    judge(
        "task A against simdjson On-Demand, sonic-rs lazy (the faster of two)",
        "at least 4 times faster",
        lambda: at_least(
            4,
            run.times(estate, "simdjson On-Demand"),
            min(run.times(estate, it.entry.who) for it in run.all_of(estate, "sonic-rs lazy")),
        ),
    )
    judge(
        "task B against jq",
        "at least 100 times faster",
        lambda: at_least(100, run.times(names["slowest"], "jq, records")),
        "{:.0f}",
    )
    judge(
        "task B against the serde_json program",
        "at least 10 times faster",
        lambda: at_least(10, run.times(slow, "serde_json values, records")),
        "{:.1f}",
    )
    judge(
        "task A against tf-summarize, opa",
        "at least 100 times faster",
        lambda: at_least(100, run.times(slow, "tf-summarize"), run.times(slow, "opa eval")),
        "{:.0f}",
    )
    judge(
        "their memory",
        "at least 20 times plansift's",
        lambda: at_least(
            20,
            *(
                run.get(slow, it).peak_mib / run.get(slow, ONE_THREAD).peak_mib
                for it in ("tf-summarize", "opa eval")
            ),
        ),
        "{:.0f}",
    )
    judge(
        "--strict, one thread, GB/s",
        "at least 2.5",
        lambda: at_least(2.5, run.speed(estate, STRICT)),
    )
    judge(
        "--strict against simdjson On-Demand",
        "at least 1.3 times faster",
        lambda: at_least(
            1.3, run.speed(estate, STRICT) / run.speed(estate, "simdjson On-Demand")
        ),
    )
    judge(
        "pipe, of the mapped run",
        "at least 0.6",
        lambda: at_least(0.6, 1 / run.times(estate, "plansift, pipe")),
    )
    judge(
        "zstd, against zstd -dc alone",
        "at most 1.1 of its time",
        lambda: at_most(
            1.1, run.get(estate, "plansift, zstd").seconds / run.get(estate, "zstd -dc").seconds
        ),
    )
    judge(
        "peak memory of all modes, MiB (highest, estate and large)",
        f"at most {MEMORY_MIB}",
        lambda: at_most(MEMORY_MIB, peak(run, estate), peak(run, large)),
        "{:.1f}",
    )
    judge(
        "growth of peak memory from estate to large, MiB (most of any mode)",
        "none (at most 2)",
        lambda: at_most(2, growth(run, estate, large)),
        "{:.1f}",
    )
    judge(
        "time of large against estate, for one of eight times the bytes",
        "at most 8.2",
        lambda: at_most(8.2, per_byte(run, estate, large) * 8),
    )
    judge(
        "tiny plan, whole process, ms of processor time",
        "at most 3",
        lambda: at_most(3, run.get(names["tiny"], "plansift").cpu * 1000),
    )
    judge(
        "AVX2 against AVX-512",
        "at least 0.7",
        lambda: at_least(
            0.7,
            run.speed(estate, f"{ONE_THREAD} PLANSIFT_ISA=avx2")
            / run.speed(estate, f"{ONE_THREAD} PLANSIFT_ISA=avx512"),
        ),
    )
    judge("allocations for each further record", "none", lambda: allocations(run), "{:.3f}")
    return made


def peak(run, plan):
    return max(it.peak_mib for it in run.all_of(plan, "plansift"))


def growth(run, small, large):
    """The most that any mode has grown."""
    pairs = [
        (run.results[small, it.entry.who], it)
        for it in run.all_of(large, "plansift")
        if (small, it.entry.who) in run.results
    ]
    if not pairs:
        raise NotMeasured(f"a mode on {small} and on {large}")
    return max(after.peak_mib - before.peak_mib for before, after in pairs)


def per_byte(run, small, large):
    return run.speed(small) / run.speed(large)


def allocations(run):
    if run.allocations_per_record is None:
        raise NotMeasured("allocations")
    return [(run.allocations_per_record, run.allocations_per_record < 0.01)]
