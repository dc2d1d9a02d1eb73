"""Writes the tables: to standard output, and to a file with machine, versions and commands."""

import csv
import os
import platform
import re
import shlex
from datetime import date
from pathlib import Path

from .entries import ONE_THREAD
from .goals import NotMeasured, usable

COLUMNS = (
    "plan",
    "bytes",
    "task",
    "contestant",
    "runs",
    "seconds",
    "fastest",
    "slowest",
    "gb_per_s",
    "cpu_seconds",
    "peak_mib",
    "times_plansift",
    "of_roof",
    "command",
)
# The columns that fit a terminal.
SHOWN = slice(2, -1)
LEFT = {"contestant", "task"}
MEMORY_NOTE = "peak_mib counts resident pages of mapped files; of several processes, the largest"
CACHE_NOTE = "plans were read into the page cache from first to last, which makes mapping them cheap"


def rows(results, run):
    """Returns a row for each result, in the order of the runs."""
    return [row(result, run) for result in results]


def row(result, run):
    entry = result.entry
    plan = entry.plan
    environment = "".join(f"{name}={value} " for name, value in entry.environment.items())
    head = [plan_label(plan), plan.bytes, entry.task, entry.who, len(result.runs)]
    command = environment + shortened(shlex.join(entry.command))
    if not usable(result):
        return [*head, *[""] * 8, f"{command} # failed: {result.failure}"]
    return [
        *head,
        *(f"{it:.4f}" for it in (result.seconds, result.fastest, result.slowest)),
        f"{result.speed:.3f}",
        f"{result.cpu:.4f}",
        f"{result.peak_mib:.1f}",
        ratio(lambda: result.seconds / run.get(plan.name, ONE_THREAD).seconds),
        ratio(lambda: result.speed / run.roof(plan.name)),
        command,
    ]


def plan_label(plan):
    many = f", {len(plan.paths)} files" if len(plan.paths) > 1 else ""
    return f"{plan.name} {plan.size}{many}"


def ratio(compute):
    try:
        return f"{compute():.3f}"
    except NotMeasured:
        return ""


def shortened(command):
    """Replaces a list of many file names by a pattern."""
    return re.sub(r"(\S+/)\d{4}\.json( \1\d{4}\.json)+", r"\1????.json", command)


def table(all_rows, columns=COLUMNS):
    """Returns aligned lines, grouped by plan. Of the roof, only the fastest modes are listed."""
    shown = [it for it in all_rows if it[2] != "roof"] + fastest_roofs(all_rows)
    plans = dict.fromkeys(it[0] for it in all_rows)
    names = columns[SHOWN]
    lines = []
    for plan in plans:
        of_plan = [it for it in shown if it[0] == plan]
        of_plan.sort(key=lambda it: (it[2] != "roof",))
        bytes_of_plan = of_plan[0][1]
        lines += ["", f"{plan} ({bytes_of_plan} bytes)"]
        lines += aligned([names, *(it[SHOWN] for it in of_plan)], names)
        lines += [f"  {it[3]}: {it[-1].split(' # ')[1]}" for it in of_plan if " # failed" in it[-1]]
    return lines


def fastest_roofs(all_rows):
    """Returns the fastest mode for each plan and number of threads."""
    best = {}
    for it in all_rows:
        if it[2] == "roof" and it[5]:
            key = (it[0], it[3].rsplit(",", 1)[0])
            if key not in best or float(it[5]) < float(best[key][5]):
                best[key] = it
    return list(best.values())


def aligned(lines, names):
    cells = [[str(cell) for cell in line] for line in lines]
    widths = [max(len(line[place]) for line in cells) for place in range(len(names))]
    return [
        "  "
        + "  ".join(
            cell.ljust(width) if name in LEFT else cell.rjust(width)
            for cell, width, name in zip(line, widths, names)
        ).rstrip()
        for line in cells
    ]


def goals_table(verdicts):
    lines = [(it.what, it.goal, it.reached, it.met) for it in verdicts]
    head = ("to reach", "goal", "reached", "")
    widths = [max(len(it[place]) for it in [head, *lines]) for place in range(4)]
    return [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(it, widths)).rstrip()
        for it in [head, *lines]
    ]


def machine():
    """Describes processor, cores, memory and system, without the machine's name."""
    cpuinfo = Path("/proc/cpuinfo")
    text = cpuinfo.read_text() if cpuinfo.exists() else ""
    model = re.search(r"model name\s*: (.*)", text)
    model = model.group(1) if model else platform.processor() or platform.machine()
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / (1 << 30)
    vectors = "AVX-512" if "avx512bw" in text else "AVX2" if "avx2" in text else "no AVX2"
    release = ".".join(platform.release().split(".")[:2])
    system = f"{platform.system()} {release}"
    return f"{model}, {os.cpu_count()} cores, {vectors}, {memory:.0f} GiB, {system}"


def file_name():
    """Names the file after the day and the machine, like earlier results."""
    words = re.findall(r"[a-z0-9]+", machine().split(",")[0].lower())
    words = [it for it in words if it not in ("amd", "intel", "r", "tm", "cpu", "processor")]
    return f"{date.today()}-{'-'.join(words[:3])}-{os.cpu_count()}-cores-side-by-side.csv"


def write(path, all_rows, verdicts, notes):
    """Writes the file: `#` lines about the run and the goals, then the rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as file:
        for note in [*notes, MEMORY_NOTE, CACHE_NOTE]:
            file.write(f"# {note}\n")
        for it in verdicts:
            file.write(f"# {it.what} | {it.goal} | {it.reached} | {it.met}\n")
        out = csv.writer(file, lineterminator="\n")
        out.writerow(COLUMNS)
        out.writerows(all_rows)
