"""Predictions of any system, read from files.

A file is CSV, JSON Lines, Parquet (long, wide or a matrix: `_layouts`), a TREC run or qrels, or a fastText label
file; which one is found out from its content. Ids, categories and rows that do not fit are errors that name them.
A pair without a score has the floor -inf: it is not ranked, and no threshold assigns it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from rubricate.errors import InvalidFile, UnknownName
from rubricate.files.predictions.alignment import align, labels_of, labels_over
from rubricate.files.predictions.layouts import fill, layout_of
from rubricate.files.predictions.pairs import Gather, Pairs
from rubricate.files.predictions.records import csv_rows, first_line, json_rows, opened, parquet_batches
from rubricate.files.predictions.text_runs import PREFIX, Topic, fill_fasttext, fill_trec, looks_like_trec
from rubricate.files.predictions.train_counts import TrainCounts, read_train_counts
from rubricate.files.predictions.writing import write_labels, write_run
from rubricate.types import Decisions, Run

__all__ = [
    "TrainCounts",
    "labels_over",
    "read_categories",
    "read_pairs",
    "read_run",
    "read_runs",
    "read_train_counts",
    "read_truth",
    "run_names",
    "write_labels",
    "write_run",
]

PARQUET, WORKBOOK = b"PAR1", b"PK\x03\x04"


def read_pairs(path: str | Path, *, topic: Topic = "document") -> Pairs:
    """All that a file says, whatever its format; `topic` is what the topics of a TREC file are.

    Cost: one pass, some bytes a row.
    """
    if topic not in ("document", "category"):
        raise UnknownName("kind of TREC topic", topic, ("document", "category"))
    place = Path(path)
    gather = Gather(place)
    if _is_parquet(place):
        for names, rows in parquet_batches(place):
            fill(gather, layout_of(gather, names), rows)
    else:
        _fill_text(gather, first_line(place), topic)
    return gather.pairs()


def _is_parquet(path: Path) -> bool:
    if not path.is_file():
        raise InvalidFile("there is no such file", path=path, remedy="check the name")
    with path.open("rb") as raw:
        start = raw.read(len(PARQUET))
    if start == WORKBOOK:
        raise InvalidFile(
            "a workbook of a spreadsheet, or another zip file", path=path, remedy="save it as CSV (UTF-8)"
        )
    return start == PARQUET


def _fill_text(gather: Gather, start: str, topic: Topic) -> None:
    with opened(gather.path) as text:
        if start.startswith("{"):
            for line, keys, records in json_rows(gather.path, text):
                fill(gather, layout_of(gather, keys, line=line), records)
        elif start.startswith(PREFIX):
            fill_fasttext(gather, text)
        elif looks_like_trec(start):
            fill_trec(gather, text, topic)
        else:
            header, delimiter, rows = csv_rows(gather.path, text)
            fill(gather, layout_of(gather, header, comma=delimiter == ";"), rows)


def read_truth(path: str | Path, *, topic: Topic = "document") -> Decisions:
    """The true labels in a file: documents in the order of the file, categories by name."""
    return labels_of(read_pairs(path, topic=topic))


def read_run(
    path: str | Path,
    truth: str | Path | Decisions,
    *,
    categories: Iterable[str] = (),
    train: TrainCounts | None = None,
    intersection: bool = False,
    new_categories: bool = False,
    topic: Topic = "document",
) -> Run:
    """One run beside its truth; the options are those of `read_runs`."""
    return read_runs(
        truth,
        [path],
        categories=categories,
        train=train,
        intersection=intersection,
        new_categories=new_categories,
        topic=topic,
    )[0]


def read_runs(
    truth: str | Path | Decisions,
    runs: Sequence[str | Path],
    *,
    categories: Iterable[str] = (),
    train: TrainCounts | None = None,
    intersection: bool = False,
    new_categories: bool = False,
    topic: Topic = "document",
) -> list[Run]:
    """The runs in some files over the documents and categories of one truth, named by their file stems.

    A document that is in one file and not in another is an error, unless `intersection` takes the documents that
    all of them share. A category that neither the truth nor `categories` nor the training counts know is an error,
    unless `new_categories` counts it as one without true documents.
    """
    labels = truth if isinstance(truth, Decisions) else read_truth(truth, topic=topic)
    known = [*categories, *(train.categories if train is not None else ())]
    return align(
        labels,
        {name: read_pairs(path, topic=topic) for name, path in zip(run_names(runs), runs, strict=True)},
        known=known,
        train=train,
        intersection=intersection,
        new_categories=new_categories,
    )


def read_categories(path: str | Path) -> list[str]:
    """The names in a file of categories, one a line; empty lines are passed over."""
    with opened(Path(path)) as text:
        return [line.strip() for line in text if line.strip()]


def run_names(paths: Sequence[str | Path]) -> list[str]:
    """The stems of some files; of equal ones with the folder in front, and a number where even those are equal.

    >>> run_names(["a/svm.csv", "b/svm.csv", "knn.csv.gz"])
    ['a/svm', 'b/svm', 'knn']
    """
    places = [Path(path) for path in paths]
    stems = [place.name.removesuffix(".gz").rsplit(".", 1)[0] or place.name for place in places]
    taken = Counter(stems)
    names = [
        f"{place.parent.name}/{stem}" if taken[stem] > 1 and place.parent.name else stem
        for place, stem in zip(places, stems, strict=True)
    ]
    seen: Counter[str] = Counter()
    for i, name in enumerate(names):
        seen[name] += 1
        names[i] = name if seen[name] == 1 else f"{name} ({seen[name]})"
    return names
