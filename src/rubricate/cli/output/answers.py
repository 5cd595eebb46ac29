"""Answers of the commands that put documents under categories: options, and writing them batch by batch."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from rubricate.cli.options.printing import Json
from rubricate.cli.output.answer_files import PARQUET, open_answers
from rubricate.cli.output.file_names import names_other_format
from rubricate.errors import InvalidInput
from rubricate.files.answers import AnswerFormat
from rubricate.readers.reading import Reading

if TYPE_CHECKING:
    from rubricate.text.evidence import Located
    from rubricate.training.answer_columns import AnswerColumns
    from rubricate.types import Documents, Evidence

__all__ = ["Answering"]

CSV = (".csv",)
JSON_LINES = (".jsonl", ".ndjson", ".json")
REASONS = 5
"""Pieces of evidence written per category."""

Locate: TypeAlias = "Callable[[Documents, Sequence[Mapping[str, Sequence[Evidence]]]], Sequence[Located]]"
_Answered: TypeAlias = "tuple[Sequence[str], AnswerColumns, Sequence[Located]]"

_Top = Annotated[int | None, typer.Option(help="Also write the scores of the K best categories.", min=1, metavar="K")]
_Explain = Annotated[
    bool,
    typer.Option("--explain", help="Also write what led to each decision: words, neighbours, or rules."),
]
_Disarm = Annotated[
    bool, typer.Option("--disarm", help="CSV for a spreadsheet: put ' before cells that it would run as a formula.")
]
_Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="Write to this file; .gz is compressed, .parquet is Parquet.",
    ),
]


@dataclass(frozen=True)
class Answering:
    """What the answers contain, and where and how they are written."""

    top: _Top = None
    explain: _Explain = False
    separator: Annotated[str, "What separates the labels in a cell."] = Reading.separator
    disarm: _Disarm = False
    output: _Output = None
    as_json: Json = False

    @property
    def reasons(self) -> int:
        """Pieces of evidence to ask for."""
        return REASONS if self.explain else 0

    @property
    def _is_parquet(self) -> bool:
        return self.output is not None and self.output.suffix.lower() in PARQUET

    def check_output(self) -> None:
        """Refuse a file whose name promises another format than the one that would be written."""
        if self._is_parquet and self.as_json:
            raise InvalidInput(f"--json with -o {self.output}: that name asks for Parquet; leave out --json")
        if self.output is None or self._is_parquet:
            return
        if names_other_format(self.output, JSON_LINES if self.as_json else CSV):
            written = "JSON lines" if self.as_json else "CSV"
            raise InvalidInput(
                f"-o {self.output}: {written} would be written under a name of another format. Fix: give a name that "
                "ends in .csv, .csv.gz or .parquet, or with --json in .jsonl or .jsonl.gz"
            )

    def check(self, categories: Sequence[str]) -> None:
        """Refuse a separator that occurs in a category, where labels are written in one cell."""
        if self._is_parquet:
            return
        odd = next((name for name in categories if self.separator and self.separator in name), None)
        if odd is not None and not (self.as_json or self.top):
            raise InvalidInput(
                f"the category {odd!r} holds {self.separator!r}, the separator of labels; give --separator or --json"
            )

    @property
    def _on_terminal(self) -> bool:
        """Whether the answers themselves appear on a terminal, where a progress bar would run into them."""
        return self.output is None and sys.stdout.isatty()

    def write(
        self,
        batches: Iterator[Documents],
        answers: Callable[[Documents], AnswerColumns],
        progress: AbstractContextManager[Callable[[int], None]],
        *,
        abstaining: bool = False,
        threads: int | None = None,
        engine: str = "threads",
        watch: Callable[[AnswerColumns], AnswerColumns] = lambda answers: answers,
        locate: Locate | None = None,
    ) -> None:
        """Write the answers for all documents; a file appears when all is written, lines when their batch is done.

        While a batch is answered, by one thread per core, the next is read and the one before is written; with
        `threads=0` one after the other. Another engine answers batches where its workers are, which `answers` must
        then be able to travel to. `locate` finds the evidence in the texts, for JSON. Answers on a terminal show the
        progress themselves; there is no bar.
        """
        from rubricate.engines import pipeline

        form = AnswerFormat(
            as_json=self.as_json,
            top=bool(self.top),
            explain=self.explain,
            abstaining=abstaining,
            separator=self.separator,
            escape_formulas=self.disarm,
        )
        # The target first: progress on a terminal takes over whatever is standard output when it begins.
        with (
            open_answers(self.output, form) as write,
            nullcontext(_ignore) if self._on_terminal else progress as advance,
        ):

            def finish(answered: _Answered) -> None:
                ids, columns, evidence = answered
                write(ids, watch(columns), evidence)
                advance(len(ids))

            work = partial(_answer, answers, locate if self.explain and self.as_json else None)
            pipeline(batches, work, finish, threads=threads, engine=engine)


def _ignore(steps: int) -> None:
    """Take the number of documents done, and show nothing."""


def _answer(answers: Callable[[Documents], AnswerColumns], locate: Locate | None, batch: Documents) -> _Answered:
    """Return the ids of a batch, its answers, and where the evidence is."""
    columns = answers(batch)
    return batch.ids, columns, () if locate is None else locate(batch, columns.evidence)
