"""Find every problem in every file: what stops an evaluation, and what it would accept silently."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from rubricate.errors import InvalidFile
from rubricate.io.alignment import (
    Duplicates,
    Missing,
    Policies,
    Unknown,
    assigned_labels,
    other_documents,
    unknown_categories,
)
from rubricate.io.prediction_tables import Pairs
from rubricate.io.predictions import Problem, Seen, Topic, read_pairs, suspicions
from rubricate.types import Decisions

__all__ = ["check_files"]


def check_files(
    truth: str | Path,
    runs: Sequence[str | Path],
    *,
    categories: Iterable[str] = (),
    missing: Missing = "error",
    unknown: Unknown = "error",
    duplicates: Duplicates = "error",
    topic: Topic = "document",
    id_column: str | None = None,
    encoding: str = "utf-8",
    advance: Callable[[int], None] = lambda steps: None,
) -> list[Problem]:
    """Return every problem of the truth and of each run, in the order of the files; empty where there is none.

    The options are those of `read_runs`; what a policy allows is not a problem. Noticed besides what `read_runs`
    refuses: percent instead of probabilities, values outside 0 and 1, a matrix without a column for some category,
    and submissions that say the same. Cost: one pass over each file.
    """
    rules = Policies(missing, unknown, duplicates)
    read = partial(read_pairs, topic=topic, id_column=id_column, encoding=encoding)
    labels, problems = _true_labels(Path(truth), read)
    known = {*categories, *(labels.categories if labels is not None else ())}
    seen: Seen = {}
    for run in map(Path, runs):
        advance(1)
        rows: list[InvalidFile] = []
        try:
            pairs = read(run, duplicates=duplicates, complain=rows.append)
        except InvalidFile as problem:
            problems += _merged([*rows, problem])
            continue
        problems += _merged(rows)
        if labels is not None:
            problems += _against(labels, pairs, known, rules)
        problems += suspicions(pairs, known, seen)
    return problems


def _true_labels(path: Path, read: Callable[..., Pairs]) -> tuple[Decisions | None, list[Problem]]:
    rows: list[InvalidFile] = []
    try:
        labels = assigned_labels(read(path, complain=rows.append))
    except InvalidFile as problem:
        return None, _merged([*rows, problem])
    return labels, _merged(rows)


def _merged(problems: Sequence[InvalidFile]) -> list[Problem]:
    """Return the problems with those of one kind as one: the first line, and how many rows have it."""
    kinds: dict[str, Problem] = {}
    for each in problems:
        kind = re.sub(r"'[^']*'|\d+", "", each.problem)
        if kind in kinds:
            kinds[kind] = replace(kinds[kind], rows=kinds[kind].rows + 1)
        else:
            kinds[kind] = Problem(each.path, each.line, each.problem, each.remedy or "correct the file")
    return list(kinds.values())


def _against(labels: Decisions, pairs: Pairs, known: set[str], rules: Policies) -> Iterator[Problem]:
    """Yield what does not fit the truth: documents, categories, columns."""
    documents = set(labels.documents)
    if not documents & set(pairs.documents):
        remedy = "check that both use the same ids, or name the column that has them (--id NAME)"
        yield Problem(pairs.path, None, "the file and the truth share no document", remedy)
    elif rules.missing == "error":
        yield from _merged([problem for problem in (other_documents(pairs, documents),) if problem is not None])
    if rules.unknown == "error":
        yield from _merged([problem for problem in (unknown_categories(pairs, known),) if problem is not None])
