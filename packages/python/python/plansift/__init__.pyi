from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any, Literal, TypeAlias, TypedDict, overload

from typing_extensions import Unpack

__version__: str

Input: TypeAlias = str | PathLike[str] | bytes | bytearray | memoryview
Limits: TypeAlias = Mapping[str, int | str]

class UnmatchedWarning(UserWarning):
    """A filter, a selected path or the address of an element matches nothing in any input."""

class Records:
    """The rows of one table. Each Arrow stream reads the inputs again."""

    @property
    def columns(self) -> list[str]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...

class Options(TypedDict, total=False):
    """The options of :func:`table`."""

    columns: Iterable[str] | None
    actions: str | Iterable[str]
    types: str | Iterable[str]
    modules: str | Iterable[str]
    addresses: str | Iterable[str]
    select: str | Iterable[str]
    values: bool
    references: str | None
    dependents: str | None
    all: bool
    on_error: Literal["raise", "row"]
    threads: int | None
    limits: Limits | None
    workspace_from: str | None

def table(name: str, inputs: Input | Iterable[Input], **options: Unpack[Options]) -> Records: ...
def plans(inputs: Input | Iterable[Input], **options: Unpack[Options]) -> Records: ...
def changes(inputs: Input | Iterable[Input], **options: Unpack[Options]) -> Records: ...
def drift(inputs: Input | Iterable[Input], **options: Unpack[Options]) -> Records: ...
def outputs(inputs: Input | Iterable[Input], **options: Unpack[Options]) -> Records: ...
def checks(inputs: Input | Iterable[Input], **options: Unpack[Options]) -> Records: ...
def invocations(inputs: Input | Iterable[Input], **options: Unpack[Options]) -> Records: ...
def paths(inputs: Input | Iterable[Input], **options: Unpack[Options]) -> Records: ...
def resources(inputs: Input | Iterable[Input], **options: Unpack[Options]) -> Records: ...
def output_values(inputs: Input | Iterable[Input], **options: Unpack[Options]) -> Records: ...
def variables(inputs: Input | Iterable[Input], **options: Unpack[Options]) -> Records: ...
def elements(inputs: Input | Iterable[Input], **options: Unpack[Options]) -> Records: ...
def references(
    inputs: Input | Iterable[Input], address: str, **options: Unpack[Options]
) -> Records: ...
def dependents(
    inputs: Input | Iterable[Input], address: str, **options: Unpack[Options]
) -> Records: ...
def findings(inputs: Input | Iterable[Input], **options: Unpack[Options]) -> Records: ...
def expand(
    inputs: Input | Iterable[Input], table: str = "resource_changes"
) -> list[tuple[str, int]]: ...
def summary(
    inputs: Input | Iterable[Input], *, limits: Limits | None = None
) -> list[dict[str, Any]]: ...
@overload
def redact(
    input: Input | Iterable[Input], output: None = None, *, limits: Limits | None = None
) -> bytes: ...
@overload
def redact(
    input: Input | Iterable[Input], output: str | PathLike[str], *, limits: Limits | None = None
) -> None: ...
@overload
def slim(
    input: Input | Iterable[Input], output: None = None, *, limits: Limits | None = None
) -> bytes: ...
@overload
def slim(
    input: Input | Iterable[Input], output: str | PathLike[str], *, limits: Limits | None = None
) -> None: ...
