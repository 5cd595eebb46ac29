"""Answers by a model that goes to other processes as data: arrays and JSON, opened where it is used."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from rubricate.cli.answer_files import PARQUET, open_answers
from rubricate.cli.options import Json
from rubricate.cli.output import names_other_format
from rubricate.errors import InvalidInput
from rubricate.io.reading import Reading
from rubricate.training.answer_files import AnswerFormat

if TYPE_CHECKING:
    from rubricate.text.evidence import EvidenceLocator, Located
    from rubricate.training.answers import AnswerColumns
    from rubricate.training.model import Model
    from rubricate.training.model_file import StoredModel
    from rubricate.types import Documents, Evidence

__all__ = ["Answering", "ModelAnswers", "Watch"]


class ModelAnswers:
    """A function from documents to answers. In another process the model is opened when the first batch comes.

    Parameters
    ----------
    stored
        The model file that was read.
    options
        Those of `Model.answer_columns`.
    """

    def __init__(self, stored: StoredModel, options: dict[str, Any], model: Model | None = None) -> None:
        self.stored, self.options = stored, options
        self._model, self._lock = model, Lock()

        self._locator: EvidenceLocator | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return ModelAnswers, (self.stored, self.options)

    def __call__(self, batch: Documents) -> AnswerColumns:
        """Answer a batch of documents."""
        return self.model().answer_columns(batch, **self.options)

    def locate(self, batch: Documents, evidence: Sequence[Mapping[str, Sequence[Evidence]]]) -> list[Located]:
        """Find evidence in the texts of a batch."""
        from rubricate.text.evidence import EvidenceLocator

        model = self.model()
        with self._lock:
            self._locator = self._locator or EvidenceLocator(model.representation)
        return self._locator.locate(batch, evidence)

    def model(self) -> Model:
        """Return the model, opened once."""
        with self._lock:
            if self._model is None:
                self._model = self.stored.model(estimators=bool(self.options.get("explain")))
            return self._model


STRANGE = 0.05
"""As in `training.confidence_scores`: one in twenty of the training documents is as strange."""
FEWEST = 20
"""Documents below which nothing is said of their distribution."""
ERRORS = 4
"""Standard errors above which a surplus of strange documents is no accident."""


class Watch:
    """Removes the labels of documents outside the categories, and counts unfamiliar documents."""

    def __init__(self, outside: float | None = None) -> None:
        self.outside = outside
        self.documents = self.strange = self.refused = self.total = self.abstained = 0

    def seen(self, answers: AnswerColumns) -> AnswerColumns:
        """Return the answers, without labels where a document is outside."""
        self.total += len(answers)
        self.abstained += int(answers.withheld.sum())
        near = answers.familiarity
        if near is None:
            return answers
        self.documents += len(answers)
        self.strange += int((near < STRANGE).sum())
        if self.outside is None:
            return answers
        refused = near < self.outside
        self.refused += int(refused.sum())
        return answers.without_labels(refused)

    def lines(self) -> list[str]:
        """Say what was refused, and whether the documents look unlike those for training."""
        lines = [] if self.outside is None else [f"{self.refused:,} of {self.documents:,} documents are outside"]
        if self.abstained:
            answered = self.total - self.abstained
            lines.append(
                f"{answered:,} of {self.total:,} documents answered ({answered / self.total:.0%}), the others not"
            )
        if self.documents < FEWEST:
            return lines
        share, error = self.strange / self.documents, math.sqrt(STRANGE * (1 - STRANGE) / self.documents)
        if share > 2 * STRANGE and share > STRANGE + ERRORS * error:
            lines.append(
                f"{share:.0%} of the documents look unlike those for training ({STRANGE:.0%} expected): their best "
                "scores are low, so confidences and the figures of the training may be too high for them"
            )
        return lines


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
