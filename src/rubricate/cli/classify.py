"""`rubricate classify`: a model and documents → labels, in constant memory."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from rubricate.cli import _given_documents as given
from rubricate.cli._answers import Answering
from rubricate.errors import InvalidInput

__all__ = ["classify"]

_Model = Annotated[Path, typer.Argument(help="A file that 'rubricate train' wrote.")]
_Data = Annotated[str, typer.Argument(help="A file or folder, an .npy file of vectors, or - for standard input.")]
_Abstain = Annotated[
    float | None, typer.Option(help="Give no labels where the chance that they are right is below P.", metavar="P")
]


def classify(
    model: _Model,
    data: _Data,
    *,
    read: given.Unlabelled,
    vectors: given.Vectors = None,
    abstain: _Abstain = None,
    answering: Answering,
) -> None:
    """Put documents under the categories of a model; any number of them, in constant memory.

    CSV: id,labels. With --top one row a category: id,category,score,decision. --abstain adds the columns confidence
    and abstained, --explain the column evidence. --json gives an object a line: id, labels (null where it
    abstains), confidence, scores, and with --explain evidence. 'rubricate evaluate' reads all of these.
    """
    from rubricate.categorizer.categorizer import Categorizer
    from rubricate.cli._progress import progress
    from rubricate.training.scoring import needs_whole_set

    opened = Categorizer.open(model)
    if abstain is not None and not 0 <= abstain <= 1:
        raise InvalidInput(f"--abstain {abstain:g}: a probability lies between 0 and 1")
    answering.check(opened.categories_)
    found = given.batches(given.stream(data, read.reading(vectors)), whole=needs_whole_set(opened.cut_))
    answering.write(
        found,
        lambda some: opened.answers(some, abstain=abstain, top=answering.top, explain=answering.reasons),
        progress("classifying", _total(data)),
        abstaining=abstain is not None,
    )


def _total(data: str) -> int | None:
    return given.expected(data) if sys.stderr.isatty() and data != given.STDIN else None
