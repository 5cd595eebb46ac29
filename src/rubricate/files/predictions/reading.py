"""Read the predictions of any system from files.

A file is CSV, JSON Lines or Parquet (long, wide or a matrix: see `layouts`), a TREC run or qrels, or a fastText label
file; its content tells which. Ids, categories and rows that do not fit are errors that name them.
A pair without a score has the floor -inf: it is not ranked, and no threshold assigns it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from rubricate.errors import InvalidFile, UnknownName
from rubricate.files.predictions.alignment import align, labels_of
from rubricate.files.predictions.layouts import collect_rows, layout_of
from rubricate.files.predictions.pairs import PairCollector, Pairs
from rubricate.files.predictions.table_rows import csv_rows, first_line, json_rows, opened, parquet_batches
from rubricate.files.predictions.text_runs import PREFIX, Topic, collect_fasttext, collect_trec, looks_like_trec
from rubricate.files.predictions.train_counts import TrainCounts
from rubricate.types import Decisions, Run

__all__ = ["read_categories", "read_pairs", "read_run", "read_runs", "read_truth", "run_names"]

PARQUET, WORKBOOK = b"PAR1", b"PK\x03\x04"


def read_pairs(path: str | Path, *, topic: Topic = "document") -> Pairs:
    """Read all pairs of a file, whatever its format; `topic` tells what the topics of a TREC file are.

    Cost: one pass, a few bytes per row.
    """
    if topic not in ("document", "category"):
        raise UnknownName("kind of TREC topic", topic, ("document", "category"))
    place = Path(path)
    pairs = PairCollector(place)
    if _is_parquet(place):
        for names, rows in parquet_batches(place):
            collect_rows(pairs, layout_of(pairs, names), rows)
    else:
        _collect_text(pairs, first_line(place), topic)
    return pairs.pairs()


def _is_parquet(path: Path) -> bool:
    if not path.is_file():
        raise InvalidFile("no such file", path=path, remedy="check the name")
    with path.open("rb") as raw:
        start = raw.read(len(PARQUET))
    if start == WORKBOOK:
        raise InvalidFile(
            "the file is a spreadsheet workbook or another zip file", path=path, remedy="save it as CSV (UTF-8)"
        )
    return start == PARQUET


def _collect_text(pairs: PairCollector, start: str, topic: Topic) -> None:
    with opened(pairs.path) as text:
        if start.startswith("{"):
            for line, keys, records in json_rows(pairs.path, text):
                collect_rows(pairs, layout_of(pairs, keys, line=line), records)
        elif start.startswith(PREFIX):
            collect_fasttext(pairs, text)
        elif looks_like_trec(start):
            collect_trec(pairs, text, topic)
        else:
            header, delimiter, rows = csv_rows(pairs.path, text)
            collect_rows(pairs, layout_of(pairs, header, comma=delimiter == ";"), rows)


def read_truth(path: str | Path, *, topic: Topic = "document") -> Decisions:
    """Read the true labels of a file: documents in the order of the file, categories sorted by name."""
    return labels_of(read_pairs(path, topic=topic))


def read_run(
    truth: str | Path | Decisions,
    path: str | Path,
    *,
    categories: Iterable[str] = (),
    train: TrainCounts | None = None,
    intersection: bool = False,
    new_categories: bool = False,
    topic: Topic = "document",
) -> Run:
    """Read one run together with its truth; the options are those of `read_runs`."""
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
    intersection : bool
        Keep only the documents that all files share. Otherwise a document that one file lacks is an error.
    new_categories : bool
        Count unknown categories as categories without true documents. Otherwise they are an error.
    topic : "document" or "category"
        What the topics of TREC files are.
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
    """Read category names, one per line; empty lines are skipped."""
    with opened(Path(path)) as text:
        return [line.strip() for line in text if line.strip()]


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
