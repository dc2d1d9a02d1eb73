"""Makes the plans with the project's generator, which also writes their counts and changes.

A plan is made once, and stays in target/bench/plans until the generator's sources change.
"""

import hashlib
import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path("target/bench/plans")
GENERATOR = "target/release/examples/generate"


@dataclass(frozen=True)
class Plan:
    """One plan, or several for one command."""

    name: str
    shape: str
    size: str
    paths: tuple[Path, ...]

    @property
    def path(self):
        return self.paths[0]

    @property
    def bytes(self):
        return sum(path.stat().st_size for path in self.paths)

    @property
    def lists(self):
        return [Path(f"{path}.list") for path in self.paths]

    def counts(self):
        """Returns the `summary` records that plansift must write."""
        return [json.loads(Path(f"{path}.counts.json").read_text()) for path in self.paths]

    def resource_changes(self):
        return sum(sum(it["resource_changes"].values()) for it in self.counts())


# The options of each compressor, and the suffix of its files.
COMPRESSORS = {"zstd": (["-q", "-T0"], "zst"), "gzip": (["-1"], "gz")}


def compressed(plan, tool):
    """Returns the compressed plan, and makes it if it is missing."""
    options, suffix = COMPRESSORS[tool]
    path = Path(f"{plan.path}.{suffix}")
    if not path.exists() or path.stat().st_mtime < plan.path.stat().st_mtime:
        part = Path(f"{path}.part")
        with open(part, "wb") as out:
            subprocess.run([tool, *options, "-c", str(plan.path)], stdout=out, check=True)
        part.rename(path)
    return path


# Number of changes that differ between a plan and its changed copy.
CHANGED = 1000

UPDATE, DELETE = b'"actions":["update"]', b'"actions":["delete"]'


def changed(plan, order):
    """Returns a copy of the plan in which 1 000 updates delete; in the order "sorted" or "reversed".

    Makes the copy if it is missing."""
    path = Path(f"{plan.path}.{order}")
    if path.exists() and path.stat().st_mtime >= plan.path.stat().st_mtime:
        return path
    text = plan.path.read_bytes()
    start = text.index(b'"resource_changes":[') + len(b'"resource_changes":[')
    end = re.compile(rb'\],"(?:deferred|output)_changes"').search(text, start).start()
    changes = text[start:end].split(b',{"address":')
    updates = [at for at, change in enumerate(changes) if UPDATE in change]
    for at in updates[:: len(updates) // CHANGED][:CHANGED]:
        changes[at] = changes[at].replace(UPDATE, DELETE, 1)
    if order == "reversed":
        changes = [changes[0].removeprefix(b'{"address":'), *changes[1:]]
        changes = [b'{"address":' + changes[-1], *changes[-2::-1]]
    part = Path(f"{path}.part")
    part.write_bytes(text[:start] + b',{"address":'.join(changes) + text[end:])
    part.rename(path)
    return path


def make(name, shape, size, *flags, copies=1):
    """Makes a plan of this shape and size, or several with different seeds."""
    paths = tuple(place(name, size, seed, copies) for seed in range(1, copies + 1))
    for seed, path in enumerate(paths, 1):
        arguments = ["--size", size, "--shape", shape, "--seed", str(seed), *flags]
        generate(path, arguments)
    return Plan(name, shape, size, paths)


def place(name, size, seed, copies):
    if copies == 1:
        return FOLDER / f"{name}-{size}.json"
    return FOLDER / f"{name}-{copies}x{size}" / f"{seed:04}.json"


def generate(path, arguments):
    stamp = Path(f"{path}.stamp")
    wanted = " ".join(arguments) + " " + sources()
    if path.exists() and stamp.exists() and stamp.read_text() == wanted:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    stamp.unlink(missing_ok=True)
    command = [GENERATOR, "--many-marks", *arguments, "-o", str(path), "--list", f"{path}.list"]
    subprocess.run(command, check=True)
    stamp.write_text(wanted)


def sources(known=[]):
    """Returns a digest of the generator's sources."""
    if not known:
        digest = hashlib.sha256()
        for path in sorted(Path("benches/generate").glob("*.rs")):
            digest.update(path.read_bytes())
        known.append(digest.hexdigest())
    return known[0]


def settle(paths):
    """Makes the page cache read files again, from the first byte to the last.

    Otherwise the cache may hold a file in small pages, which take four times as long to map, and
    the speed of a mapping would depend on earlier runs."""
    for path in paths:
        with open(path, "rb") as file:
            os.fsync(file.fileno())
            if hasattr(os, "posix_fadvise"):
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    warm(paths)


def warm(paths):
    """Reads files into the page cache."""
    buffer = memoryview(bytearray(1 << 20))
    for path in paths:
        with open(path, "rb", buffering=0) as file:
            while file.readinto(buffer):
                pass
