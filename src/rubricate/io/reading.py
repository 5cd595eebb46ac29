"""How to read a file of documents: every option, spelled once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, TypeVar

from rubricate import registry
from rubricate.errors import InvalidInput

__all__ = ["Reading", "takes_reading"]

_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Reading:
    """How to read a file of documents.

    The fields are also the keyword arguments of `rb.load(path, …)`, `records` and `read_files`, and the options of
    every command that reads documents; the text beside each type is its help. A column named None, or "" on a command
    line, is not read.

    >>> Reading(text="body", labels=None).separator
    ';'
    """

    text: Annotated[str, "The column of the text."] = "text"
    labels: Annotated[str | None, "The column of the labels."] = "labels"
    id: Annotated[str | None, "The column of the ids; rows are numbered where there is none."] = "id"
    title: Annotated[str | None, "A column of titles, kept apart from the text."] = None
    split: Annotated[str | None, "The column that says train or test; for a corpus, the name of a split."] = "split"
    separator: Annotated[str, "What separates the labels in a cell."] = ";"
    encoding: Annotated[str, "The encoding of text files."] = "utf-8"
    format: Annotated[
        str | None, f"The format: {', '.join(registry.names('readers'))}. By default the file name decides."
    ] = None
    delimiter: Annotated[str | None, "The character between the cells of a row."] = None
    query: Annotated[str | None, "The SELECT that gives the rows of a database."] = None

    def __post_init__(self) -> None:
        if not self.separator:
            raise InvalidInput("separator='': labels need a sign between them; give ';' or another")
        for role in ("text", "labels", "id", "title", "split"):
            name = getattr(self, role)
            if not isinstance(name, str) and (name is not None or role == "text"):
                raise InvalidInput(f"{role}={name!r}: a column is named by a string; give its name as the file has it")

    @classmethod
    def of(cls, reading: Reading | None, options: Mapping[str, Any]) -> Reading:
        """Return a reading (the default one for None) with some fields replaced."""
        return replace(reading or cls(), **options)


def takes_reading(function: _Function) -> _Function:
    """Show the fields of `Reading` in the signature of a function instead of its `**options`."""
    signature = inspect.signature(function)
    own = [parameter for parameter in signature.parameters.values() if parameter.kind is not parameter.VAR_KEYWORD]
    fields = inspect.signature(Reading).parameters.values()
    options = [field.replace(kind=inspect.Parameter.KEYWORD_ONLY) for field in fields]
    function.__signature__ = signature.replace(parameters=[*own, *options])  # type: ignore[attr-defined]
    return function
