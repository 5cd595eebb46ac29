"""`rubricate classify`: a model and documents → labels, in constant memory."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from rubricate.cli import _given_documents as given
from rubricate.cli import _options as options
from rubricate.errors import InvalidInput

if TYPE_CHECKING:
    from rubricate.categorizer.answers import Answer
    from rubricate.categorizer.categorizer import Categorizer

__all__ = ["classify"]

REASONS = 5

_Model = Annotated[Path, typer.Argument(help="A file that 'rubricate train' wrote.")]
_Data = Annotated[str, typer.Argument(help="A file or folder, an .npy file of vectors, or - for standard input.")]
_Top = Annotated[int | None, typer.Option(help="Also the scores of the K best categories.", min=1, metavar="K")]
_Explain = Annotated[bool, typer.Option("--explain", help="Also the words or neighbours that made each decision.")]
_Abstain = Annotated[
    float | None, typer.Option(help="Give no labels where the chance that they are right is below P.", metavar="P")
]
_Output = Annotated[Path | None, typer.Option("--output", "-o", help="Write here instead of to standard output.")]


def classify(
    model: _Model,
    data: _Data,
    text: given.Text = "text",
    id: given.Id = "id",
    title: given.Title = None,
    encoding: given.Encoding = "utf-8",
    format: given.Format = None,
    delimiter: given.Delimiter = None,
    vectors: given.Vectors = None,
    top: _Top = None,
    explain: _Explain = False,
    abstain: _Abstain = None,
    separator: given.Separator = ";",
    output: _Output = None,
    as_json: options.Json = False,
) -> None:
    """Put documents under the categories of a model; any number of them, in constant memory.

    CSV: id,labels. With --top one row a category: id,category,score,decision. --abstain adds the columns confidence
    and abstained, --explain the column evidence. --json gives an object a line: id, labels (null where it
    abstains), confidence, scores, and with --explain evidence. 'rubricate evaluate' reads all of these.
    """
    from rubricate.categorizer._scoring import needs_whole_set
    from rubricate.categorizer.categorizer import Categorizer
    from rubricate.cli._progress import progress

    opened = Categorizer.open(model)
    _check(opened, abstain, "" if as_json or top else separator)
    reading = given.Reading(text, None, id, title, None, separator, encoding, format, delimiter, vectors)
    found = given.stream(data, reading)
    asked: dict[str, Any] = {"abstain": abstain, "top": top, "explain": REASONS if explain else 0}
    with _target(output) as target, progress("classifying", _total(data)) as advance:
        write = _json_writer(target, asked) if as_json else _csv_writer(target, asked, separator)
        for held in given.batches(found, whole=needs_whole_set(opened.cut_)):
            documents = given.as_documents(held)
            for name, answer in zip(documents.ids, opened.answers(documents, **asked), strict=True):
                write(name, answer)
            target.flush()
            advance(len(held))


def _total(data: str) -> int | None:
    return given.expected(data) if sys.stderr.isatty() and data != given.STDIN else None


def _check(model: Categorizer, abstain: float | None, separator: str) -> None:
    if abstain is not None and not 0 <= abstain <= 1:
        raise InvalidInput(f"--abstain {abstain:g}: a probability lies between 0 and 1")
    odd = next((name for name in model.categories_ if separator and separator in name), None)
    if odd is not None:
        raise InvalidInput(
            f"the category {odd!r} holds {separator!r}, which parts labels in CSV; give --separator or --json"
        )


@contextmanager
def _target(output: Path | None) -> Iterator[IO[str]]:
    """Standard output, or a file that appears when all is written."""
    from rubricate.categorizer._atomic import atomic

    if output is None:
        try:
            yield sys.stdout
        except BrokenPipeError:  # whoever read us has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit from None
        return
    with atomic(output) as raw:
        text = io.TextIOWrapper(raw, encoding="utf-8", newline="", write_through=True)
        yield text
        text.flush()
        text.detach()


def _json_writer(target: IO[str], asked: dict[str, Any]) -> Callable[[str, Answer], None]:
    def write(name: str, answer: Answer) -> None:
        row: dict[str, Any] = {"id": name, "labels": None if answer.labels is None else list(answer.labels)}
        if answer.confidence is not None:
            row["confidence"] = round(answer.confidence, 6)
        row["scores"] = {category: score if math.isfinite(score) else None for category, score in answer.scores}
        if asked["explain"]:
            row["evidence"] = {
                category: [[one.source, one.weight, *([one.detail] if one.detail else [])] for one in found]
                for category, found in answer.evidence.items()
            }
        target.write(json.dumps(row, ensure_ascii=False) + "\n")

    return write


def _csv_writer(target: IO[str], asked: dict[str, Any], separator: str) -> Callable[[str, Answer], None]:
    rows = csv.writer(target, lineterminator="\n")
    header = ["id", "category", "score", "decision"] if asked["top"] else ["id", "labels"]
    header += ["confidence", "abstained"] if asked["abstain"] is not None else []
    rows.writerow(header + (["evidence"] if asked["explain"] else []))

    def more(answer: Answer, categories: Any) -> list[str]:
        cells = []
        if asked["abstain"] is not None:
            cells = [f"{answer.confidence:.4f}", str(int(answer.labels is None))]
        return [*cells, _reasons(answer, categories)] if asked["explain"] else cells

    def write(name: str, answer: Answer) -> None:
        labels = answer.labels or ()
        if not asked["top"]:
            rows.writerow([name, separator.join(labels), *more(answer, answer.evidence)])
            return
        for category, score in answer.scores:
            rows.writerow([name, category, repr(score), int(category in labels), *more(answer, (category,))])

    return write


def _reasons(answer: Answer, categories: Any) -> str:
    """`grain: wheat +0.556, export +0.147; trade: …`"""
    return "; ".join(
        f"{name}: " + ", ".join(f"{one.source} {one.weight:+.3f}" for one in answer.evidence[name])
        for name in categories
        if name in answer.evidence
    )
