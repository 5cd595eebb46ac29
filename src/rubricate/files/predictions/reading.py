"""Read the predictions of any system from files.

A file is CSV, JSON lines, Parquet or a workbook (long, wide or a matrix: see `layouts`), a TREC run or qrels, or a
fastText label file; its content tells which. Ids, categories and rows that do not fit are errors that name them.
A pair without a score has the floor -inf: it is not ranked, and no threshold assigns it.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypedDict, Unpack

from rubricate.errors import InvalidFile, UnknownName
from rubricate.files.predictions.alignment import align, assigned_labels
from rubricate.files.predictions.layouts import collect_rows, layout_of
from rubricate.files.predictions.pairs import PairCollector, Pairs
from rubricate.files.predictions.policies import Duplicates, Missing, Unknown, policies_from
from rubricate.files.predictions.suspicions import Seen, suspicions
from rubricate.files.predictions.text_runs import (
    PREFIX,
    Topic,
    collect_fasttext,
    collect_sparse,
    collect_trec,
    looks_like_trec,
)
from rubricate.files.predictions.train_counts import TrainCounts
from rubricate.readers.sparse_lines import SUFFIXES
from rubricate.readers.tables import ZIP, OpenFile, open_file, tables
from rubricate.readers.text_lines import text_lines
from rubricate.types import Decisions, Run

__all__ = ["RunOptions", "read_categories", "read_pairs", "read_run", "read_runs", "read_truth", "run_names"]

WORKBOOK = ZIP
POLICIES = ("missing", "unknown", "duplicates", "intersection", "new_categories")


class RunOptions(TypedDict, total=False):
    """The options of `read_runs`, where they are explained."""

    categories: Iterable[str]
    train: TrainCounts | None
    missing: Missing
    unknown: Unknown
    duplicates: Duplicates
    topic: Topic
    id_column: str | None
    encoding: str
    intersection: bool
    new_categories: bool
    advance: Callable[[int], None]


def read_pairs(
    path: str | Path,
    *,
    topic: Topic = "document",
    id_column: str | None = None,
    encoding: str = "utf-8",
    duplicates: Duplicates = "error",
    complain: Callable[[InvalidFile], None] | None = None,
) -> Pairs:
    """Read all pairs of a file, whatever its format.

    `topic` tells what the topics of a TREC file are, `id_column` the column that names the documents. `complain` gets
    each row that cannot be read, which is then left out; without it the first one is an error.

    Cost: one pass, a few bytes per row.
    """
    if topic not in ("document", "category"):
        raise UnknownName("kind of TREC topic", topic, ("document", "category"))
    place, first = Path(path), duplicates == "first"
    pairs = PairCollector(place, first=first) if complain is None else PairCollector(place, complain, first=first)
    _check_is_file(place)
    with open_file(place, encoding) as file:
        if file.kind == "text" and not file.start:
            raise InvalidFile("the file is empty", path=place, remedy="give at least one document")
        collect(pairs, file, topic=topic, id_column=id_column)
    return pairs.pairs()


def _check_is_file(path: Path) -> None:
    if path.is_dir():
        raise InvalidFile("a folder, not a file", path=path, remedy="name the files in it, such as FOLDER/*.csv")
    if not path.exists():
        raise InvalidFile("no such file", path=path, remedy="check the name")
    if not path.is_file():
        raise InvalidFile("not a regular file", path=path, remedy="give a file")


def collect(pairs: PairCollector, file: OpenFile, *, topic: Topic = "document", id_column: str | None = None) -> None:
    """Add the pairs of an open file; its first line tells the format, the name only that of the XMC repository."""
    start = file.start
    if str(pairs.path).lower().removesuffix(".gz").endswith(SUFFIXES):
        collect_sparse(pairs, file.lines)
    elif start.startswith("["):
        remedy = 'write one object per line, such as {"document": "d1", "labels": ["corn"]}'
        raise InvalidFile("a JSON array; expected JSON lines", path=pairs.path, line=1, remedy=remedy)
    elif start.startswith(PREFIX):
        collect_fasttext(pairs, file.lines)
    elif not start.startswith("{") and looks_like_trec(start):
        collect_trec(pairs, file.lines, topic)
    else:
        for table in tables(file, pairs.complain):
            comma = table.delimiter == ";"
            layout = layout_of(pairs, table.names, comma=comma, line=table.line, id_column=id_column)
            collect_rows(pairs, layout, table.rows)


def read_truth(
    path: str | Path, *, topic: Topic = "document", id_column: str | None = None, encoding: str = "utf-8"
) -> Decisions:
    """Read the true labels of a file: documents in the order of the file, categories sorted by name."""
    return assigned_labels(read_pairs(path, topic=topic, id_column=id_column, encoding=encoding))


def read_run(truth: str | Path | Decisions, path: str | Path, **options: Unpack[RunOptions]) -> Run:
    """Read one run together with its truth; the options are those of `read_runs`."""
    return read_runs(truth, [path], **options)[0]


def read_runs(truth: str | Path | Decisions, runs: Sequence[str | Path], **options: Unpack[RunOptions]) -> list[Run]:
    """Read runs over the documents and categories of one truth; each run is named by the stem of its file.

    Parameters
    ----------
    truth : path or Decisions
        The true labels, or the file that holds them.
    runs : sequence of paths
        The prediction files, in any format that `read_pairs` reads.
    categories : iterable of str
        Categories that exist although the truth does not mention them.
    train : TrainCounts, optional
        Training documents per category; its categories count as known.
    missing : "error", "wrong" or "drop"
        A document of the truth that a run lacks is an error, counts as answered wrongly, or is left out for all runs.
    unknown : "error" or "wrong"
        A label that is not a category of the truth is an error, or a wrong answer that leaves macro-averages alone.
    duplicates : "error" or "first"
        A document or pair that occurs twice is an error, or its first row counts.
    topic : "document" or "category"
        What the topics of TREC files are.
    id_column : str, optional
        The column that names the documents, where it has none of the usual names.
    encoding : str
        The encoding of text files.
    intersection, new_categories : bool
        Deprecated names of `missing="drop"` and `unknown="wrong"`.
    advance : callable
        Is told of each run that has been read.
    """
    topic, id_column = options.get("topic", "document"), options.get("id_column")
    encoding = options.get("encoding", "utf-8")
    chosen = {name: options[name] for name in POLICIES if name in options}  # type: ignore[literal-required]
    policies = policies_from(**chosen)
    labels = truth
    if not isinstance(labels, Decisions):
        labels = read_truth(labels, topic=topic, id_column=id_column, encoding=encoding)
    pairs, advance = {}, options.get("advance")
    for name, path in zip(run_names(runs), runs, strict=True):
        pairs[name] = read_pairs(
            path, topic=topic, id_column=id_column, encoding=encoding, duplicates=policies.duplicates
        )
        if advance is not None:
            advance(1)
    train = options.get("train")
    known = [*options.get("categories", ()), *(train.categories if train is not None else ())]
    _warn({*labels.categories, *known}, pairs)
    return align(labels, pairs, known=known, train=train, policies=policies)


def _warn(known: set[str], runs: Mapping[str, Pairs]) -> None:
    """Warn of what is probably a mistake: percent, columns that are missing, copies."""
    seen: Seen = {}
    for pairs in runs.values():
        for problem in suspicions(pairs, known, seen):
            warnings.warn(str(problem), UserWarning, stacklevel=3)


def read_categories(path: str | Path, encoding: str = "utf-8") -> list[str]:
    """Read category names, one per line; empty lines are skipped."""
    return [line.strip() for line in text_lines(Path(path), encoding) if line.strip()]


def run_names(paths: Sequence[str | Path]) -> list[str]:
    """Name runs by the stems of their files; equal stems get the folder in front, and a number where that is equal too.

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
