"""Answers of the commands that put documents under categories: options, and writing them batch by batch."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from rubricate.cli.options import documents as inputs
from rubricate.cli.options.printing import Json
from rubricate.errors import InvalidInput
from rubricate.readers.reading import Reading

if TYPE_CHECKING:
    from rubricate.readers.record import Record
    from rubricate.training.ranked import Answer
    from rubricate.types import Documents

__all__ = ["Answering"]

REASONS = 5
"""Pieces of evidence written per category."""

_Top = Annotated[int | None, typer.Option(help="Also write the scores of the K best categories.", min=1, metavar="K")]
_Explain = Annotated[
    bool,
    typer.Option("--explain", help="Also write what led to each decision: words, neighbours, or rules."),
]
_Disarm = Annotated[
    bool, typer.Option("--disarm", help="CSV for a spreadsheet: put ' before cells that it would run as a formula.")
]
_Output = Annotated[Path | None, typer.Option("--output", "-o", help="Write here instead of to standard output.")]
Write: TypeAlias = "Callable[[str, Answer], None]"


@dataclass(frozen=True)
class Answering:
    """What the answers contain, and where and how they are written."""

    top: _Top = None
    explain: _Explain = False
    separator: Annotated[str, "The sign between the labels in a cell."] = Reading.separator
    disarm: _Disarm = False
    output: _Output = None
    as_json: Json = False

    @property
    def reasons(self) -> int:
        """Pieces of evidence to ask for."""
        return REASONS if self.explain else 0

    def check(self, categories: Sequence[str]) -> None:
        """Refuse a separator that occurs in a category, where labels are written in one cell."""
        odd = next((name for name in categories if self.separator and self.separator in name), None)
        if odd is not None and not (self.as_json or self.top):
            raise InvalidInput(
                f"the category {odd!r} holds {self.separator!r}, the separator of labels; give --separator or --json"
            )

    def write(
        self,
        batches: Iterator[list[Record]],
        answers: Callable[[Documents], Sequence[Answer]],
        progress: AbstractContextManager[Callable[[int], None]],
        *,
        abstaining: bool = False,
    ) -> None:
        """Write the answers for all documents; a file appears when all is written, lines when their batch is done."""
        # The target first: progress on a terminal takes over whatever is standard output when it begins.
        with _target(self.output) as target, progress as advance:
            write = self._json(target) if self.as_json else self._csv(target, abstaining)
            for batch in batches:
                documents = inputs.as_documents(batch)
                for name, answer in zip(documents.ids, answers(documents), strict=True):
                    write(name, answer)
                target.flush()
                advance(len(batch))

    def _json(self, target: IO[str]) -> Write:
        def write(name: str, answer: Answer) -> None:
            row: dict[str, Any] = {"id": name, "labels": None if answer.labels is None else list(answer.labels)}
            if answer.confidence is not None:
                row["confidence"] = round(answer.confidence, 6)
            row["scores"] = {category: score if math.isfinite(score) else None for category, score in answer.scores}
            if self.explain:
                row["evidence"] = {
                    category: [[e.source, e.weight, *([e.detail] if e.detail else [])] for e in evidence]
                    for category, evidence in answer.evidence.items()
                }
            target.write(json.dumps(row, ensure_ascii=False) + "\n")

        return write

    def _csv(self, target: IO[str], abstaining: bool) -> Write:
        from rubricate.files.spreadsheets import inert

        rows = csv.writer(target, lineterminator="\n")

        def add(*cells: Any) -> None:
            rows.writerow(map(inert, cells) if self.disarm else cells)

        header = ["id", "category", "score", "decision"] if self.top else ["id", "labels"]
        header += ["confidence", "abstained"] if abstaining else []
        rows.writerow(header + (["evidence"] if self.explain else []))

        def more(answer: Answer, categories: Any) -> list[str]:
            cells = [f"{answer.confidence:.4f}", str(int(answer.labels is None))] if abstaining else []
            return [*cells, _reasons(answer, categories)] if self.explain else cells

        def write(name: str, answer: Answer) -> None:
            labels = answer.labels or ()
            if not self.top:
                add(name, self.separator.join(labels), *more(answer, answer.evidence))
                return
            for category, score in answer.scores:
                add(name, category, score, int(category in labels), *more(answer, (category,)))

        return write


@contextmanager
def _target(output: Path | None) -> Iterator[IO[str]]:
    """Open standard output, or a file that appears when all is written."""
    from rubricate.atomic import atomic

    if output is None:
        try:
            yield sys.stdout
        except BrokenPipeError:  # the reader of the pipe has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit from None
        return
    with atomic(output) as raw:
        text = io.TextIOWrapper(raw, encoding="utf-8", newline="", write_through=True)
        yield text
        text.flush()
        text.detach()


def _reasons(answer: Answer, categories: Any) -> str:
    """Format evidence as `grain: wheat +0.556, export +0.147; trade: …`."""
    return "; ".join(
        f"{name}: " + ", ".join(f"{e.source} {e.weight:+.3f}" for e in answer.evidence[name])
        for name in categories
        if name in answer.evidence
    )
