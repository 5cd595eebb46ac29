"""`rubricate classify`: a model and documents → labels, in constant memory."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from rubricate.cli import document_options as inputs
from rubricate.cli.answers import Answering, Watch
from rubricate.cli.training_options import EngineName, check_engine
from rubricate.errors import InvalidInput
from rubricate.registry import command

__all__ = ["classify"]

_Model = Annotated[Path, typer.Argument(help="A file that 'rubricate train' wrote.")]
_Data = Annotated[
    str | None, typer.Argument(help="A file or folder, an .npy file of vectors, or - for standard input.")
]
_Say = Annotated[str | None, typer.Option("--say", metavar="TEXT", help="One text, instead of a file.")]
_Outside = Annotated[
    float | None,
    typer.Option(
        help="Give no labels to documents that look less familiar than all but this share of those for training.",
        metavar="P",
    ),
]
_Abstain = Annotated[
    float | None, typer.Option(help="Give no labels where the probability that they are right is below P.", metavar="P")
]


@command("classify")
def classify(
    model: _Model,
    data: _Data = None,
    *,
    say: _Say = None,
    reading: inputs.UnlabelledReading,
    vectors: inputs.Vectors = None,
    abstain: _Abstain = None,
    outside: _Outside = None,
    engine: EngineName = "threads",
    answering: Answering,
) -> None:
    """Put documents under the categories of a model; any number of them, in constant memory.

    A message on standard error says when documents look unlike those for training: confidences do not hold for them.
    --outside 0.05 gives no labels to documents whose best score is below that of 95 % of the training documents.

    --engine dask:ADDRESS answers batches of documents on a cluster; the output is the same, byte for byte.

    CSV: id,labels. With --top one row per category: id,category,score,decision. --abstain adds the columns confidence
    and abstained, --explain the column evidence. --json gives one object per line: id, labels (null where it
    abstains), confidence, scores, and with --explain evidence by character offsets. 'rubricate evaluate' reads all of
    these.
    """
    from rubricate.cli.answers import ModelAnswers
    from rubricate.cli.output import progress
    from rubricate.training.model_file import read_model
    from rubricate.training.scoring import needs_whole_set

    answering.check_output()
    stored = read_model(model)
    check_engine(engine)
    if abstain is not None and not 0 <= abstain <= 1:
        raise InvalidInput(f"--abstain {abstain:g}: a probability lies between 0 and 1")
    if outside is not None and not 0 <= outside < 1:
        raise InvalidInput(f"--outside {outside:g}: a share lies between 0 and 1, such as 0.05")
    if (say is None) == (data is None):
        raise InvalidInput("give documents or one text: rubricate classify MODEL FILE, or --say TEXT")
    parts = iter([inputs.as_document(say)]) if say is not None else inputs.batches(data or "", reading, vectors)
    few, parts = inputs.peek(parts)
    options: dict[str, Any] = {"abstain": abstain, "top": answering.top, "confident": answering.as_json}
    answers = ModelAnswers(stored, options | {"explain": answering.reasons})
    opened = answers.model()
    whole = needs_whole_set(opened.threshold)
    if outside is not None and opened.reference is None:
        raise InvalidInput("--outside needs a model that was trained with folds by this version; Fix: train it again")
    answering.check(opened.categories)
    watch = Watch(outside)
    answering.write(
        iter([inputs.joined(parts)]) if whole else parts,
        answers,
        progress("classifying", 1 if data is None else _total(data)),
        abstaining=abstain is not None,
        threads=0 if few or whole else None,
        engine=engine,
        watch=watch.seen,
        locate=getattr(answers, "locate", None),
    )
    for line in watch.lines():
        typer.echo(f"rubricate: {line}", err=True)


def _total(data: str) -> int | None:
    return inputs.expected_documents(data) if sys.stderr.isatty() and data != inputs.STDIN else None
