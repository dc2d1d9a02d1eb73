"""Builds or installs the programs, and lists the missing ones.

plansift and the peers are built from this repository, with packages pinned by its lock files. The
versions of other crates, modules and wheels are pinned here, except for tf-summarize, whose version
is in benches/peers/go/go.mod. Debian packages are not pinned, and one that is already installed is
used. Other programs are always installed below target/bench/tools.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path("target/bench/tools")
PLANSIFT = "target/release/plansift"
PEERS = Path("target/peers/release")
ON_DEMAND = FOLDER / "bin/on_demand"
PYTHON = FOLDER / "venv/bin/python"

CRATES = {"rq": ("rsonpath", "0.10.1"), "jaq": ("jaq", "3.1.2")}
MODULES = {"opa": "github.com/open-policy-agent/opa@v1.22.0"}
# Built in a Go module of this repository, whose go.sum pins all packages.
GO_TOOLS = {"tf-summarize": "github.com/dineshba/tf-summarize"}
WHEELS = {"orjson": "3.13.0", "ijson": "3.6.0"}
# The program or file that shows that a Debian package is installed.
PACKAGES = {
    "jq": "jq",
    "zstd": "zstd",
    "gzip": "gzip",
    "g++": "g++",
    "simdjson.h": "libsimdjson-dev",
}


@dataclass
class Tools:
    """The paths of programs, and the reasons why others are missing."""

    programs: dict[str, str]
    missing: dict[str, str]
    versions: dict[str, str]

    def path(self, name):
        return self.programs.get(name)


def prepare(installs, say):
    """Builds and installs everything. A failed build of plansift or the peers is an error.

    Any other failure is recorded as the reason for a missing program.
    """
    tools = Tools({}, {}, {})
    say("building plansift, the generator and the peers")
    ours = ["--features", "tables", "--bin", "plansift", "--example", "generate"]
    cargo("build", "--release", "--locked", *ours)
    # Cargo finds the configuration of the peers only from their folder.
    cargo("build", "--release", "--locked", folder="benches/peers")
    tools.programs["plansift"] = PLANSIFT
    for path in sorted(Path("benches/peers/src/bin").glob("*.rs")):
        tools.programs[path.stem] = str(PEERS / path.stem)
    steps = [
        *((name, debian) for name in PACKAGES),
        *((name, crate) for name in CRATES),
        *((name, module) for name in MODULES),
        *((name, go_tool) for name in GO_TOOLS),
        *((name, wheel) for name in WHEELS),
        ("on_demand", on_demand),
    ]
    for name, step in steps:
        try:
            tools.programs[name] = step(name, installs, say)
        except (subprocess.CalledProcessError, OSError, LookupError) as error:
            tools.missing[name] = reason(error)
            say(f"{name} is missing: {tools.missing[name]}")
    tools.versions = versions(tools)
    return tools


def reason(error):
    said = getattr(error, "stderr", None)
    return said.strip().splitlines()[-1] if said else str(error)


def cargo(*arguments, folder="."):
    subprocess.run(["cargo", *arguments, "--quiet"], cwd=folder, check=True)


def quietly(command, **options):
    subprocess.run(command, check=True, capture_output=True, text=True, **options)


def installing(name, what, installs, say):
    if not installs:
        raise LookupError("not installed, and nothing is to be installed")
    say(f"installing {what} for {name}")


def debian(name, installs, say):
    def found():
        if name.endswith(".h"):
            return next((str(it) for it in Path("/usr").glob(f"*/{name}")), None) or next(
                (str(it) for it in Path("/usr/local").glob(f"*/{name}")), None
            )
        return name if shutil.which(name) else None

    if not found():
        package = PACKAGES[name]
        installing(name, package, installs, say)
        if os.geteuid() != 0 or not shutil.which("apt-get"):
            raise LookupError(f"needs the Debian package {package}, and root to install it")
        quietly(["apt-get", "update", "-qq"])
        quietly(["apt-get", "install", "-y", "-qq", package])
    return found() or missing_still(name)


def missing_still(name):
    raise LookupError(f"{name} was installed and is not there")


def crate(name, installs, say):
    package, version = CRATES[name]
    path = FOLDER / "bin" / name
    if path.exists():
        return str(path)
    installing(name, package, installs, say)
    native = os.environ | {"RUSTFLAGS": "-C target-cpu=native"}
    root = ["--root", str(FOLDER), "--target-dir", "target/install"]
    quietly(["cargo", "install", "--quiet", "--locked", *root, f"{package}@{version}"], env=native)
    return str(path)


def module(name, installs, say):
    path = FOLDER / "bin" / name
    if path.exists():
        return str(path)
    installing(name, MODULES[name], installs, say)
    if not shutil.which("go"):
        raise LookupError("needs Go")
    place = os.environ | {"GOBIN": str(path.parent.resolve())}
    quietly(["go", "install", MODULES[name]], env=place)
    return str(path)


def go_tool(name, installs, say):
    path = FOLDER / "bin" / name
    if path.exists():
        return str(path)
    installing(name, GO_TOOLS[name], installs, say)
    if not shutil.which("go"):
        raise LookupError("needs Go")
    quietly(["go", "build", "-o", str(path.resolve()), GO_TOOLS[name]], cwd="benches/peers/go")
    return str(path)


def wheel(name, installs, say):
    """Returns the Python of a virtual environment that has the package."""
    pinned = f"{name}=={WHEELS[name]}"
    there = PYTHON.exists() and not subprocess.run(
        [PYTHON, "-c", f"import {name}"], capture_output=True
    ).returncode
    if not there:
        installing(name, pinned, installs, say)
        if not PYTHON.exists():
            quietly([sys.executable, "-m", "venv", str(FOLDER / "venv")])
        quietly([str(PYTHON), "-m", "pip", "install", "--quiet", pinned])
    return str(PYTHON)


def on_demand(name, installs, say):
    source = "benches/peers/others/on_demand.cpp"
    flags = ["-std=c++17", "-O3", "-march=native", "-DNDEBUG"]
    ON_DEMAND.parent.mkdir(parents=True, exist_ok=True)
    quietly(["g++", *flags, source, "-lsimdjson", "-o", str(ON_DEMAND)])
    return str(ON_DEMAND)


def versions(tools):
    """Returns the versions of the programs, by name."""
    lock = tomllib.loads(Path("benches/peers/Cargo.lock").read_text())
    crates = {it["name"]: it["version"] for it in lock["package"]}
    found = {name: crates[name] for name in ("serde_json", "simd-json", "sonic-rs")}
    asked = {"plansift": "--version", "rq": "--version", "jq": "--version", "jaq": "--version"}
    asked |= {"zstd": "--version", "gzip": "--version", "g++": "-dumpfullversion"}
    for name, argument in asked.items():
        if tools.path(name):
            found[name] = first_version([tools.path(name), argument])
    found |= {name: MODULES[name].rsplit("@", 1)[1] for name in MODULES if tools.path(name)}
    modules = Path("benches/peers/go/go.mod").read_text()
    for name in filter(tools.path, GO_TOOLS):
        found[name] = re.search(rf"{GO_TOOLS[name]} (v\S+)", modules).group(1)
    found |= {name: WHEELS[name] for name in WHEELS if tools.path(name)}
    if tools.path("on_demand"):
        package = ["dpkg-query", "-W", "-f", "${Version}", "libsimdjson-dev"]
        found["simdjson"] = first_version(package)
    found["rustc"] = first_version(["rustc", "--version"])
    found["python"] = sys.version.split()[0]
    return found


def first_version(command):
    try:
        said = subprocess.run(command, capture_output=True, text=True).stdout
    except OSError:
        said = ""
    number = re.search(r"\d+(\.\d+)+[^\s,]*", said)
    return number.group() if number else "unknown"
