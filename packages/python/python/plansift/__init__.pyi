from collections.abc import Iterable
from os import PathLike
from typing import Any, Literal, TypeAlias, overload

__version__: str

Input: TypeAlias = str | PathLike[str] | bytes | bytearray | memoryview

class Records:
    """The rows of one table. Each Arrow stream reads the inputs again."""

    @property
    def columns(self) -> list[str]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...

def table(
    name: str,
    inputs: Input | Iterable[Input],
    *,
    columns: Iterable[str] | None = None,
    actions: str | Iterable[str] = (),
    types: str | Iterable[str] = (),
    modules: str | Iterable[str] = (),
    addresses: str | Iterable[str] = (),
    all: bool = False,
    on_error: Literal["raise", "row"] = "raise",
    threads: int | None = None,
    workspace_from: str | None = None,
) -> Records: ...

def plans(
    inputs: Input | Iterable[Input],
    *,
    columns: Iterable[str] | None = None,
    actions: str | Iterable[str] = (),
    types: str | Iterable[str] = (),
    modules: str | Iterable[str] = (),
    addresses: str | Iterable[str] = (),
    all: bool = False,
    on_error: Literal["raise", "row"] = "raise",
    threads: int | None = None,
    workspace_from: str | None = None,
) -> Records: ...

def changes(
    inputs: Input | Iterable[Input],
    *,
    columns: Iterable[str] | None = None,
    actions: str | Iterable[str] = (),
    types: str | Iterable[str] = (),
    modules: str | Iterable[str] = (),
    addresses: str | Iterable[str] = (),
    all: bool = False,
    on_error: Literal["raise", "row"] = "raise",
    threads: int | None = None,
    workspace_from: str | None = None,
) -> Records: ...

def drift(
    inputs: Input | Iterable[Input],
    *,
    columns: Iterable[str] | None = None,
    actions: str | Iterable[str] = (),
    types: str | Iterable[str] = (),
    modules: str | Iterable[str] = (),
    addresses: str | Iterable[str] = (),
    all: bool = False,
    on_error: Literal["raise", "row"] = "raise",
    threads: int | None = None,
    workspace_from: str | None = None,
) -> Records: ...

def outputs(
    inputs: Input | Iterable[Input],
    *,
    columns: Iterable[str] | None = None,
    actions: str | Iterable[str] = (),
    types: str | Iterable[str] = (),
    modules: str | Iterable[str] = (),
    addresses: str | Iterable[str] = (),
    all: bool = False,
    on_error: Literal["raise", "row"] = "raise",
    threads: int | None = None,
    workspace_from: str | None = None,
) -> Records: ...

def checks(
    inputs: Input | Iterable[Input],
    *,
    columns: Iterable[str] | None = None,
    actions: str | Iterable[str] = (),
    types: str | Iterable[str] = (),
    modules: str | Iterable[str] = (),
    addresses: str | Iterable[str] = (),
    all: bool = False,
    on_error: Literal["raise", "row"] = "raise",
    threads: int | None = None,
    workspace_from: str | None = None,
) -> Records: ...

def invocations(
    inputs: Input | Iterable[Input],
    *,
    columns: Iterable[str] | None = None,
    actions: str | Iterable[str] = (),
    types: str | Iterable[str] = (),
    modules: str | Iterable[str] = (),
    addresses: str | Iterable[str] = (),
    all: bool = False,
    on_error: Literal["raise", "row"] = "raise",
    threads: int | None = None,
    workspace_from: str | None = None,
) -> Records: ...

def paths(
    inputs: Input | Iterable[Input],
    *,
    columns: Iterable[str] | None = None,
    actions: str | Iterable[str] = (),
    types: str | Iterable[str] = (),
    modules: str | Iterable[str] = (),
    addresses: str | Iterable[str] = (),
    all: bool = False,
    on_error: Literal["raise", "row"] = "raise",
    threads: int | None = None,
    workspace_from: str | None = None,
) -> Records: ...

def resources(
    inputs: Input | Iterable[Input],
    *,
    columns: Iterable[str] | None = None,
    actions: str | Iterable[str] = (),
    types: str | Iterable[str] = (),
    modules: str | Iterable[str] = (),
    addresses: str | Iterable[str] = (),
    all: bool = False,
    on_error: Literal["raise", "row"] = "raise",
    threads: int | None = None,
    workspace_from: str | None = None,
) -> Records: ...

def expand(inputs: Input | Iterable[Input]) -> list[tuple[str, int]]: ...
def summary(inputs: Input | Iterable[Input]) -> list[dict[str, Any]]: ...
@overload
def redact(input: Input, output: None = None) -> bytes: ...
@overload
def redact(input: Input, output: str | PathLike[str]) -> None: ...
@overload
def slim(input: Input, output: None = None) -> bytes: ...
@overload
def slim(input: Input, output: str | PathLike[str]) -> None: ...
