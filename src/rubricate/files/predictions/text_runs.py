"""Predictions as lines of text: TREC runs and qrels, label files of fastText, files of the XMC repository."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

from rubricate.errors import InvalidFile
from rubricate.files.predictions.pairs import PairCollector
from rubricate.readers.sparse_lines import sparse_lines

__all__ = ["PREFIX", "Topic", "collect_fasttext", "collect_sparse", "collect_trec", "looks_like_trec"]

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
