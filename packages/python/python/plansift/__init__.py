"""Terraform and OpenTofu plans as Arrow tables.

Each function returns :class:`Records`, a table that any library with the Arrow C stream interface
reads: DuckDB, Polars, pyarrow, pandas. The inputs are read in one pass while the table is read, and
again each time it is read. Values that a plan marks sensitive never reach a table, with the limits in
docs/secrets.md.

    import duckdb, plansift

    changes = plansift.changes("plans/")
    duckdb.sql("select type, count(*) from changes where list_contains(actions, 'delete') group by 1")
"""

import json as _json

from ._plansift import Records, UnmatchedWarning, __version__
from ._plansift import expand as _expand
from ._plansift import records as _records
from ._plansift import rewrite as _rewrite
from ._plansift import summaries as _summaries

__all__ = [
    "Records",
    "UnmatchedWarning",
    "__version__",
    "changes",
    "checks",
    "dependents",
    "drift",
    "elements",
    "expand",
    "findings",
    "invocations",
    "output_values",
    "outputs",
    "paths",
    "plans",
    "redact",
    "references",
    "resources",
    "slim",
    "summary",
    "table",
    "variables",
]

_IN_MEMORY = (bytes, bytearray, memoryview)


def _listed(inputs):
    if isinstance(inputs, (str, *_IN_MEMORY)) or hasattr(inputs, "__fspath__"):
        inputs = [inputs]
    listed = [bytes(each) if isinstance(each, _IN_MEMORY) else each for each in inputs]
    if not listed:
        raise ValueError("inputs: name at least one plan, folder or address")
    return listed


def _texts(given):
    return [given] if isinstance(given, str) else list(given)


def _amounts(limits):
    return [(name, str(amount)) for name, amount in (limits or {}).items()]


def table(
    name,
    inputs,
    *,
    columns=None,
    actions=(),
    types=(),
    modules=(),
    addresses=(),
    select=(),
    values=False,
    references=None,
    dependents=None,
    all=False,
    on_error="raise",
    threads=None,
    limits=None,
    workspace_from=None,
):
    """Return the rows of a table by its name, such as ``resource_changes``.

    ``inputs`` is one input or a list of inputs: the path of a plan (JSON, possibly compressed, or a
    binary plan file), a folder, a glob, the address of an object such as ``s3://bucket/key``, or the
    bytes of a plan. The rows of bytes come after those of other inputs.

    ``columns`` are the columns to build, by default all. ``actions``, ``types``, ``modules`` and
    ``addresses`` select rows by the columns ``action``, ``type``, ``module_address`` (``module`` in
    ``check_results``) and ``address``; ``*`` in a pattern matches any text. A row must match one
    pattern of each argument. An argument is an error if the table has no such column, but ``paths``
    takes ``modules``. ``all`` adds what does not change, and data sources to ``resources``.

    ``select`` adds the column ``values`` to ``resources``: a JSON object with the values of these
    attributes, such as ``tags.Name`` or ``ingress[0].cidr_blocks``, by path. ``values`` adds the
    column ``value`` to ``output_values`` and ``variables``, as JSON text. Sensitive values and their
    copies are masked, for which the inputs are read twice.

    ``references`` or ``dependents`` is the address of the element that the table ``references`` is
    about.

    An :class:`UnmatchedWarning` says which of these arguments matches nothing in any input, after
    the last row of ``resource_changes``, ``drift``, ``paths``, ``resources``, ``checks``,
    ``invocations`` or ``references``. There is no warning if a library reads the end of the stream
    on a thread of its own, as DuckDB may do.

    With ``on_error="raise"``, the stream fails at the first document that cannot be read. With
    ``on_error="row"``, such a document is a row with its message in the column ``error``, which is
    then in the table whatever ``columns`` are. The rows that were read before the error come before
    it.

    ``threads`` is the number of threads, by default one for each processor. ``limits`` raises limits,
    such as ``limits={"paths": "64M"}``. Messages name the limit to raise, and docs/limits.md lists
    all, as options of the program. An amount is a number, or text with the suffix K, M, G or T.
    ``workspace_from`` is a pattern for paths, such as ``plans/{workspace}/plan.json``.
    """
    given = {"actions": actions, "types": types, "modules": modules, "addresses": addresses}
    # An empty text is the pattern for the root module.
    filters = [(name, texts) for name, patterns in given.items() if (texts := _texts(patterns))]
    return _records(
        name,
        _listed(inputs),
        columns=None if columns is None else list(columns),
        filters=filters,
        select=_texts(select),
        values=values,
        references=references,
        dependents=dependents,
        all=all,
        on_error=on_error,
        threads=threads,
        limits=_amounts(limits),
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
    """Return one row for each check that does not pass. Options: see :func:`table`.

    A message that repeats a sensitive value is masked, for which the inputs are read twice.
    """
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


def output_values(inputs, **options):
    """Return one row for each output in the values of plans or states. Options: see :func:`table`."""
    return table("output_values", inputs, **options)


def variables(inputs, **options):
    """Return one row for each variable of the root module. Options: see :func:`table`."""
    return table("variables", inputs, **options)


def elements(inputs, **options):
    """Return one row for each element of a configuration. Options: see :func:`table`.

    The elements are provider configurations, module calls, resources, outputs, variables and actions.
    They have names and references, and no values.
    """
    return table("elements", inputs, **options)


def references(inputs, address, **options):
    """Return one row for each expression that refers to an element. Options: see :func:`table`.

    ``address`` names the element, such as ``aws_vpc.main``, ``module.dns`` or ``module.dns.var.zone``.
    """
    return table("references", inputs, references=address, **options)


def dependents(inputs, address, **options):
    """Return one row for each element that depends on an element. Options: see :func:`table`.

    ``distance`` is the number of references between the two.
    """
    return table("references", inputs, dependents=address, **options)


def findings(inputs, **options):
    """Return one row for each place where a secret is, or may be. Options: see :func:`table`.

    A row has the path of the place and its ``offset`` in bytes, and never a value.
    """
    return table("findings", inputs, **options)


def expand(inputs, table="resource_changes"):
    """Return the name and the size in bytes of each input that ``inputs`` selects.

    Folders, globs and prefixes of stores become inputs of their own. A size of 0 is unknown. States
    in folders count only for a ``table`` that has rows of them, such as ``resources``.

    A name is for reading, not for showing: the query of an address, which may be secret, is in it.
    The column ``source`` has no queries.
    """
    return _expand(_listed(inputs), table)


def summary(inputs, *, limits=None):
    """Return a list with a dictionary for each plan: its versions and counts.

    The keys are those of the records ``plan`` and ``summary``. Fails at the first plan that cannot
    be read. ``limits`` are those of :func:`table`.
    """
    found = []
    for text in _summaries(_listed(inputs), _amounts(limits)):
        record = _json.loads(text)
        if record.pop("kind") == "plan":
            found.append(record)
        else:
            found[-1].update(record)
    return found


def redact(input, output=None, *, limits=None):
    """Write plans and states without their secrets to ``output``, or return the bytes.

    Masks every value that a document marks sensitive, and its copies in the same document. Several
    documents follow each other, in the order of the inputs. Fails at the first one that cannot be
    read.

    A file appears only when it is complete. It keeps the mode of the file that it replaces, and a
    symbolic link stays a link. A pipe or device is written in place. An output that is an input is
    refused with a ``ValueError``. ``limits`` are those of :func:`table`.
    """
    return _rewrite("redact", _listed(input), output, _amounts(limits))


def slim(input, output=None, *, limits=None):
    """Write the changed parts of plans, without their secrets, to ``output``, or return the bytes.

    Inputs, outputs and limits: see :func:`redact`.
    """
    return _rewrite("slim", _listed(input), output, _amounts(limits))
