"""Terraform and OpenTofu plans as Arrow tables.

Each function returns :class:`Records`, a table that any library with the Arrow C stream interface
reads: DuckDB, Polars, pyarrow, pandas. The inputs are read in one pass while the table is read, and
again each time it is read. Values that a plan marks sensitive never reach a table.

    import duckdb, plansift

    changes = plansift.changes("plans/")
    duckdb.sql("select type, count(*) from changes where list_contains(actions, 'delete') group by 1")
"""

import json as _json

from ._plansift import Records, __version__
from ._plansift import expand as _expand
from ._plansift import records as _records
from ._plansift import rewrite as _rewrite
from ._plansift import summaries as _summaries

__all__ = [
    "Records",
    "__version__",
    "changes",
    "checks",
    "drift",
    "expand",
    "invocations",
    "outputs",
    "paths",
    "plans",
    "redact",
    "resources",
    "slim",
    "summary",
    "table",
]

_IN_MEMORY = (bytes, bytearray, memoryview)


def _listed(inputs):
    if isinstance(inputs, (str, *_IN_MEMORY)) or hasattr(inputs, "__fspath__"):
        inputs = [inputs]
    listed = [bytes(each) if isinstance(each, _IN_MEMORY) else each for each in inputs]
    if not listed:
        raise ValueError("inputs: name at least one plan, folder or address")
    return listed


def table(
    name,
    inputs,
    *,
    columns=None,
    actions=(),
    types=(),
    modules=(),
    addresses=(),
    all=False,
    on_error="raise",
    threads=None,
    workspace_from=None,
):
    """Return the rows of a table by its name, such as ``resource_changes``.

    ``inputs`` is one input or a list of inputs: the path of a plan (JSON, possibly compressed, or a
    binary plan file), a folder, a glob, the address of an object such as ``s3://bucket/key``, or the
    bytes of a plan.

    ``columns`` are the columns to build, by default all. ``actions``, ``types``, ``modules`` and
    ``addresses`` select resource changes; ``*`` in a pattern matches any text. A change must match
    one pattern of each argument. ``all`` adds what does not change.

    With ``on_error="raise"``, the stream fails at the first document that cannot be read. With
    ``on_error="row"``, such a document is a row with its message in the column ``error``. The rows
    that were read before the error come before it.

    ``threads`` is the number of threads, by default one for each processor. ``workspace_from`` is a
    pattern for paths, such as ``plans/{workspace}/plan.json``.
    """
    given = {"actions": actions, "types": types, "modules": modules, "addresses": addresses}
    filters = [
        (name, [patterns] if isinstance(patterns, str) else list(patterns))
        for name, patterns in given.items()
        if patterns
    ]
    return _records(
        name,
        _listed(inputs),
        columns=None if columns is None else list(columns),
        filters=filters,
        all=all,
        on_error=on_error,
        threads=threads,
        workspace_from=workspace_from,
    )


def plans(inputs, **options):
    """Return one row for each plan: its versions, counts and status. Options: see :func:`table`."""
    return table("plans", inputs, **options)


def changes(inputs, **options):
    """Return one row for each change of a resource. Options: see :func:`table`."""
    return table("resource_changes", inputs, **options)


def drift(inputs, **options):
    """Return one row for each resource that changed outside the tool. Options: see :func:`table`."""
    return table("drift", inputs, **options)


def outputs(inputs, **options):
    """Return one row for each change of an output. Options: see :func:`table`."""
    return table("outputs", inputs, **options)


def checks(inputs, **options):
    """Return one row for each check that does not pass. Options: see :func:`table`."""
    return table("checks", inputs, **options)


def invocations(inputs, **options):
    """Return one row for each action that a plan invokes. Options: see :func:`table`."""
    return table("invocations", inputs, **options)


def paths(inputs, **options):
    """Return one row for each path that a change touches. Options: see :func:`table`."""
    return table("paths", inputs, **options)


def resources(inputs, **options):
    """Return one row for each resource in the values of plans or states. Options: see :func:`table`."""
    return table("resources", inputs, **options)


def expand(inputs):
    """Return the name and the size in bytes of each input that ``inputs`` selects.

    Folders, globs and prefixes of stores become inputs of their own. A size of 0 is unknown.
    """
    return _expand(_listed(inputs))


def summary(inputs):
    """Return a list with a dictionary for each plan: its versions and counts.

    The keys are those of the records ``plan`` and ``summary``. Fails at the first plan that cannot
    be read.
    """
    found = []
    for text in _summaries(_listed(inputs)):
        record = _json.loads(text)
        if record.pop("kind") == "plan":
            found.append(record)
        else:
            found[-1].update(record)
    return found


def redact(input, output=None):
    """Write a plan or state without its secrets to the file ``output``, or return its bytes.

    Masks every value that the document marks sensitive, and its copies in other places. ``output``
    appears only when it is complete.
    """
    return _rewrite("redact", _listed(input), output)


def slim(input, output=None):
    """Write the changed parts of a plan, without its secrets, to ``output``, or return their bytes.

    ``output`` appears only when it is complete.
    """
    return _rewrite("slim", _listed(input), output)
