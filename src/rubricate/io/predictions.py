"""Predictions as lines of text: TREC runs and qrels, label files of fastText, files of the XMC repository."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from rubricate.errors import InvalidFile, UnknownName
from rubricate.io.alignment import Duplicates, Missing, Unknown, align, assigned_labels, policies_from
from rubricate.io.libsvm import SUFFIXES, sparse_lines
from rubricate.io.prediction_tables import PairCollector, Pairs, collect_rows, layout_of, listed
from rubricate.io.tables import ZIP, OpenFile, open_file, tables
from rubricate.io.text_files import text_lines
from rubricate.io.train_counts import TrainCounts
from rubricate.types import Decisions, Run

__all__ = [
    "PREFIX",
    "Problem",
    "RunOptions",
    "Seen",
    "Topic",
    "collect_fasttext",
    "collect_sparse",
    "collect_trec",
    "looks_like_trec",
    "read_categories",
    "read_pairs",
    "read_run",
    "read_runs",
    "read_truth",
    "run_names",
    "suspicions",
]

PREFIX = "__label__"
Topic: TypeAlias = Literal["document", "category"]
RUN, QRELS, FILTERING = 6, 4, 3


def looks_like_trec(line: str) -> bool:
    """Tell whether the line has the 6 fields of a TREC run, the 4 of qrels, or the 3 of filtering qrels.

    >>> looks_like_trec("d1 Q0 earn 1 0.97 svm"), looks_like_trec("document,category")
    (True, False)
    """
    fields = line.split()
    if len(fields) == RUN:
        return _is_number(fields[3]) and _is_number(fields[4])
    return len(fields) in (QRELS, FILTERING) and _is_number(fields[-1])


def _is_number(text: str) -> bool:
    try:
        return not math.isnan(float(text))
    except ValueError:
        return False


def collect_trec(pairs: PairCollector, lines: Iterable[str], topic: Topic) -> None:
    """Add lines `topic Q0 item rank score tag` of a run, `topic 0 item relevance` of qrels, or `topic item relevance`.

    With `topic="document"` the topics are documents and the items categories; with `"category"` the topics are
    categories and the items documents, as in the filtering tracks and the qrels of RCV1. Relevance above 0 is a label.
    The scores of a run are used, its ranks are not.
    """
    for number, line in enumerate(lines, start=1):
        fields = line.split()
        if not fields:
            continue
        if not looks_like_trec(line):
            problem = f"{len(fields)} fields; a TREC run has 6 (topic Q0 item rank score tag), qrels have 4"
            if len(fields) == RUN:
                problem = f"rank {fields[3]!r} and score {fields[4]!r} must be numbers"
            remedy = "separate the fields by spaces; scores are numbers"
            pairs.complain(InvalidFile(problem, path=pairs.path, line=number, remedy=remedy))
            continue
        item = fields[1] if len(fields) == FILTERING else fields[2]
        document, category = (fields[0], item) if topic == "document" else (item, fields[0])
        row = pairs.document(document, number)
        if len(fields) == RUN:
            pairs.add(row, category, number, score=float(fields[4]))
        else:
            pairs.add(row, category, number, decided=int(float(fields[-1]) > 0))


def collect_fasttext(pairs: PairCollector, lines: Iterable[str]) -> None:
    """Add lines of `__label__name` words; the document is the number of the line, from 1; an empty line has no label.

    Where every label is followed by a number and nothing else is on the line, as `predict-prob` prints it, the numbers
    are scores; any other words are the text of a training file and ignored.
    """
    scored: bool | None = None
    for number, line in enumerate(lines, start=1):
        words = line.split()
        row = pairs.document(str(number), number)
        labels = [word for word in words if word.startswith(PREFIX)]
        if scored is None and labels:
            scored = _alternate(words)
        if scored and labels and not _alternate(words):
            problem = "labels with and without probabilities in one file"
            remedy = "write the file with a single command"
            pairs.complain(InvalidFile(problem, path=pairs.path, line=number, remedy=remedy))
            continue
        for i, label in enumerate(labels):
            score = float(words[2 * i + 1]) if scored else math.nan
            pairs.add(row, label.removeprefix(PREFIX), number, score=score)


def collect_sparse(pairs: PairCollector, lines: Iterator[str]) -> None:
    """Add lines of LIBSVM or of the Extreme Classification Repository; the documents are numbered from 1.

    Below a first line of two numbers (documents, categories) each line has scores, `label:score label:score …`; else it
    has the labels of a vector, whose values are ignored.
    """
    numbers, documents = sparse_lines(lines, pairs.path)
    for number, document in enumerate(documents, 1):
        row = pairs.document(str(number), document.line)
        if len(numbers) != 2:
            for label in document.labels:
                pairs.add(row, label, document.line)
            continue
        for pair in document.pairs:
            label, _, score = pair.rpartition(":")
            if label and _is_number(score):
                pairs.add(row, label, document.line, score=float(score))
                continue
            problem, remedy = f"{pair!r:.40} is not 'label:score'", "write scores as numbers after a colon"
            pairs.complain(InvalidFile(problem, path=pairs.path, line=document.line, remedy=remedy))


def _alternate(words: list[str]) -> bool:
    pairs = zip(words[::2], words[1::2], strict=False)
    return len(words) % 2 == 0 and all(label.startswith(PREFIX) and _is_number(number) for label, number in pairs)


PERCENT = 20.0
"""Scores from 0 to 100 of which one is above this look like percent: no sum of term weights is bounded by 100."""

MOSTLY = 0.9
"""Where this share of the scores lies within 0 and 1 they are probabilities, and the others are mistakes."""


@dataclass(frozen=True)
class Problem:
    """A problem of a file: where, what, and how to fix it; `rows` counts the lines that have it.

    `stops` tells whether an evaluation refuses the file; the others are suspicious only.
    """

    path: Path
    line: int | None
    problem: str
    remedy: str
    stops: bool = True
    rows: int = 1

    def __str__(self) -> str:
        where = f"{self.path}" + (f", line {self.line}" if self.line is not None else "")
        more = f" (and {self.rows - 1:,} more lines like it)" if self.rows > 1 else ""
        return f"{where}: {self.problem}{more}. Fix: {self.remedy}."


Seen: TypeAlias = dict[tuple[int, int, int, int], Path]
"""The content of the files read so far, as fingerprints."""


def suspicions(pairs: Pairs, known: set[str], seen: Seen) -> Iterator[Problem]:
    """Yield what is odd about a file though it can be read; `seen` learns its content."""
    lacking = known - set(pairs.categories)
    if pairs.layout == "matrix" and lacking:
        problem = f"no column for {len(lacking)} of the {len(known)} categories ({listed(lacking)})"
        remedy = "add the columns; without them these categories are never assigned"
        yield Problem(pairs.path, 1, problem, remedy, stops=False)
    yield from _of_scores(pairs)
    first = seen.setdefault(_fingerprint(pairs), pairs.path)
    if first is not pairs.path:
        remedy = "leave out one of them, or check that the right file was submitted"
        yield Problem(pairs.path, None, f"the same predictions as {first}", remedy, stops=False)


def _of_scores(pairs: Pairs) -> list[Problem]:
    """Return what is odd about the scores of a file: percent, or a few values outside 0 and 1."""
    given = ~np.isnan(pairs.scores) & np.isfinite(pairs.scores)
    scores, lines = pairs.scores[given], pairs.lines[given]
    if not len(scores) or (scores.min() >= 0 and scores.max() <= 1):
        return []
    if scores.min() >= 0 and PERCENT < scores.max() <= 100:
        at, remedy = int(np.argmax(scores > 1)), "divide by 100, or cut them as percent (--cut 50)"
        problem = f"the scores look like percent, up to {scores.max():g}; expected probabilities from 0 to 1"
        return [Problem(pairs.path, int(lines[at]), problem, remedy, stops=False)]
    outside = (scores < 0) | (scores > 1)
    if outside.mean() > 1 - MOSTLY:
        return []
    at = int(np.argmax(outside))
    problem = f"{int(outside.sum()):,} scores outside 0 and 1, such as {scores[at]:g}; the others are within"
    return [Problem(pairs.path, int(lines[at]), problem, "give probabilities from 0 to 1", stops=False)]


def _fingerprint(pairs: Pairs) -> tuple[int, int, int, int]:
    """Return four numbers that are equal for files that say the same, in whatever order and layout."""
    documents = np.array([hash(name) for name in pairs.documents], np.int64).astype(np.uint64)
    categories = np.array([hash((name, 1)) for name in pairs.categories], np.int64).astype(np.uint64)
    values = np.nan_to_num(pairs.scores, nan=-7.0).view(np.uint64) + pairs.decided.astype(np.uint64)
    cells = _mixed(_mixed(documents[pairs.rows] + categories[pairs.columns]) + values)
    return len(documents), int(_mixed(documents).sum()), int(cells.sum()), int(np.bitwise_xor.reduce(cells, initial=0))


def _mixed(numbers: NDArray[Any]) -> NDArray[np.uint64]:
    """Scatter 64-bit numbers (the finaliser of SplitMix64), so that sums of them do not collide."""
    z = numbers.astype(np.uint64)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


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
