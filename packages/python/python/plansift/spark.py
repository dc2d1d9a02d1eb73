"""Plans as a data source of Apache Spark 4.

    from plansift.spark import PlansiftDataSource

    spark.dataSource.register(PlansiftDataSource)
    frame = spark.read.format("plansift").option("table", "resource_changes").load("plans/*.json")

Options:

``path``
    A plan, a folder, a glob, or the address of an object or of a prefix. ``load`` also takes a list
    of these. Executors must be able to read them.
``table``
    The table to read, by default ``resource_changes``.
``columns``
    The columns to read, with commas between them, by default all. The column ``error`` is always
    there.
``partitions``
    The largest number of partitions, by default 64. A partition is a group of inputs of about equal
    size; an input is never split.
``all``
    ``true`` adds what does not change.
``select``
    The attributes in the column ``values`` of ``resources``, with commas between them.
``values``
    ``true`` adds the values of ``output_values`` and ``variables``.
``limits``
    Limits to raise, such as ``paths=64M,change=1G``. Their names are those of the messages.
``references``, ``dependents``
    The address of the element that the table ``references`` is about.

A document that cannot be read is a row with its message in the column ``error``, after the rows that
were read before the error. It does not fail its task.

Spark passes filters by ``action``, ``type`` and ``address`` to the reader if the setting
``spark.sql.python.filterPushdown.enabled`` is ``true``.
"""

import json
import sys
import warnings

import pyarrow
from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    EqualTo,
    In,
    InputPartition,
)
from pyspark.sql.pandas.types import from_arrow_schema

from . import UnmatchedWarning, expand, table

__all__ = ["PlansiftDataSource"]

# The columns whose values a filter can select.
_FILTERS = {"action": "actions", "type": "types", "address": "addresses"}
_ACTIONS = {"no-op", "create", "read", "update", "replace", "delete", "forget"}


class PlansiftDataSource(DataSource):
    """The data source ``plansift``."""

    @classmethod
    def name(cls):
        return "plansift"

    def schema(self):
        empty = _table(self.options, [b"{}"])
        return from_arrow_schema(pyarrow.schema(empty))

    def reader(self, schema):
        # Spark refuses a reader with `pushFilters` unless its setting is on. It then makes the reader
        # in a process of this module.
        pushes = "pyspark.sql.worker.data_source_pushdown_filters" in sys.modules
        return (_FilteringReader if pushes else _Reader)(self.options)


class _Inputs(InputPartition):
    def __init__(self, inputs):
        super().__init__(0)
        self.inputs = inputs


class _Reader(DataSourceReader):
    def __init__(self, options):
        self.options = dict(options)
        self.table = options.get("table", "resource_changes")
        self.filters = {}

    def partitions(self):
        most = self.options.get("partitions", "64")
        if not most.isdecimal() or int(most) == 0:
            raise ValueError(f"the option partitions is a number from 1, not {most!r}")
        inputs = expand(_paths(self.options), self.table)
        return [_Inputs(inputs) for inputs in _bins(inputs, int(most))]

    def read(self, partition):
        # What matches nothing in one partition may match in another.
        warnings.simplefilter("ignore", UnmatchedWarning)
        records = _table(self.options, partition.inputs, **self.filters)
        yield from pyarrow.RecordBatchReader.from_stream(records)


class _FilteringReader(_Reader):
    def pushFilters(self, filters):
        """Take the filters that a reader can apply, and return the others.

        Spark checks all filters again: a row of a document that cannot be read passes here.
        """
        for each in filters:
            values = _values(each)
            # The column `type` of these two tables is JSON. It is not the type of a resource.
            if values and self.table not in {"output_values", "variables"}:
                self.filters.setdefault(_FILTERS[each.attribute[0]], values)
            yield each


def _paths(options):
    """Return the names of the inputs. Spark writes several paths as a JSON list."""
    paths = [options["path"]] if "path" in options else json.loads(options.get("paths", "[]"))
    if not paths:
        raise ValueError("load needs a path: a plan, a folder, a glob or an address")
    return paths


def _names(text):
    return [name.strip() for name in text.split(",") if name.strip()]


def _table(options, inputs, **filters):
    return table(
        options.get("table", "resource_changes"),
        inputs,
        columns=_names(options.get("columns", "")) or None,
        select=_names(options.get("select", "")),
        references=options.get("references"),
        dependents=options.get("dependents"),
        values=options.get("values", "false").lower() == "true",
        all=options.get("all", "false").lower() == "true",
        on_error="row",
        limits=dict(limit.partition("=")[::2] for limit in _names(options.get("limits", ""))),
        threads=1,
        **filters,
    )


def _values(condition):
    """Return the values that a condition allows; ``None`` if a filter cannot select them."""
    if isinstance(condition, EqualTo):
        values = [condition.value]
    elif isinstance(condition, In):
        values = list(condition.value)
    else:
        return None
    column = ".".join(condition.attribute)
    if column not in _FILTERS or not all(isinstance(value, str) and value for value in values):
        return None
    if column == "action":
        return values if _ACTIONS.issuperset(values) else None
    # A pattern with a leading `=` matches only this text.
    return ["=" + value for value in values]


def _bins(inputs, most):
    """Divide inputs into at most ``most`` groups of about equal size, the largest input first."""
    bins = [(0, number, []) for number in range(min(most, len(inputs)))]
    for name, size in sorted(inputs, key=lambda each: (-each[1], each[0])):
        least = min(range(len(bins)), key=lambda at: bins[at][:2])
        total, number, names = bins[least]
        bins[least] = (total + size, number, names + [name])
    return [names for _, _, names in bins]
