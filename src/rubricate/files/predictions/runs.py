"""A `Run` from whatever a program holds: matrices, lists of label sets, data frames, mappings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.errors import InvalidInput
from rubricate.files.predictions.alignment import align, labels_of
from rubricate.files.predictions.layouts import fill, layout_of
from rubricate.files.predictions.pairs import Gather, Pairs
from rubricate.files.predictions.train_counts import TrainCounts
from rubricate.labels import column, flag_matrix, label_matrix, label_sets, refuse_fractions
from rubricate.types import Decisions, Ints, Run, Scores, Signature

__all__ = ["as_run"]


def as_run(
    truth: Any,
    decisions: Any = None,
    *,
    scores: Any = None,
    categories: Sequence[str] | None = None,
    name: str = "run",
    train_counts: Any = None,
    signature: Signature | None = None,
) -> Run:
    """A run of decisions, scores or both beside the truth, each documents × categories in the same order.

    Labels may be a matrix (dense or sparse, whatever is not zero, fractions are an error; also rows of 0 and 1 in
    plain lists), a list of label sets or of single labels, or a column of a data frame; scores a matrix (of a sparse
    one, what is not stored is 0) or `Scores`. Data frames with a column `document`, laid out as files are, and
    mappings from documents to labels are brought together by their ids; a frame without that column is a matrix of
    categories. Where `categories` are given, labels outside them and the truth are an error.

    >>> run = as_run([{"corn"}, {"corn", "wheat"}], [{"corn"}, set()])
    >>> run.categories, run.decisions.values.toarray().astype(int).tolist()
    (('corn', 'wheat'), [[1, 0], [0, 0]])
    """
    truth, decisions = flag_matrix(truth), flag_matrix(decisions)
    if decisions is None and scores is None:
        raise InvalidInput("neither decisions nor scores; give at least one beside the truth")
    if _by_id(truth):
        run = _joined(truth, decisions, scores, categories, name)
    else:
        run = _placed(truth, decisions, scores, categories, name)
    counts = None if train_counts is None else _counts(train_counts, run.categories)
    return Run(
        name=name,
        documents=run.documents,
        categories=run.categories,
        scores=run.scores,
        decisions=run.decisions,
        truth=run.truth,
        train_counts=counts,
        signature=signature or Signature(),
    )


def _is_frame(values: Any) -> bool:
    return hasattr(values, "columns") and hasattr(values, "shape") and len(values.shape) == 2


def _by_id(values: Any) -> bool:
    """Does the object name its documents: a mapping, or a frame with a document column among others of ours."""
    return isinstance(values, Mapping) or (_is_frame(values) and "document" in map(str, values.columns))


def _joined(truth: Any, decisions: Any, scores: Any, categories: Sequence[str] | None, name: str) -> Run:
    parts = [values for values in (decisions, scores) if values is not None]
    if not all(_by_id(values) for values in parts):
        raise InvalidInput(
            "the truth names its documents, the predictions do not; give both as frames or mappings by id"
        )
    true, *given = (_pairs(values) for values in (truth, *parts))
    runs = {str(place): pairs for place, pairs in enumerate(given)}
    known = [str(one) for one in categories or ()]
    found = align(labels_of(true), runs, known=known, new_categories=categories is None)
    first, last = found[0], found[-1]
    return Run(name, first.documents, first.categories, last.scores, first.decisions, first.truth)


def _pairs(values: Any) -> Pairs:
    """The pairs of a frame or a mapping, by the rules for files; errors call it `<frame>`."""
    gather = Gather(Path("<frame>"))
    if isinstance(values, Mapping):
        rows = [(line, (str(name), found)) for line, (name, found) in enumerate(values.items(), start=1)]
        scored = any(isinstance(found, Mapping) for found in values.values())
        fill(gather, layout_of(gather, ("document", "scores" if scored else "labels")), rows)
    else:
        names = [str(name) for name in values.columns]
        cells = zip(*(column(values[name]) for name in values.columns), strict=True)
        fill(gather, layout_of(gather, names), enumerate(cells, start=1))
    return gather.pairs()


def _placed(truth: Any, decisions: Any, scores: Any, categories: Sequence[str] | None, name: str) -> Run:
    """Everything by position: row i is document i."""
    names = _names((truth, decisions, scores), categories)
    refuse_fractions(_ordered(truth, names), "the truth")
    true, categories_found = label_matrix(_ordered(truth, names), names)
    ids = scores.documents if isinstance(scores, Scores) else tuple(str(i) for i in range(true.shape[0]))
    decided = None if decisions is None else _decisions(decisions, categories_found, ids)
    return Run(name, ids, categories_found, _scores(scores, categories_found, ids), decided, true)


def _decisions(values: Any, names: tuple[str, ...], ids: Sequence[str]) -> Decisions:
    bare = _ordered(values, names)
    refuse_fractions(bare, "the decisions", remedy="give the numbers as scores=, or cut them (thresholds.decide)")
    return Decisions(label_matrix(bare, names)[0], names, ids)


def _names(parts: tuple[Any, ...], given: Sequence[str] | None) -> tuple[str, ...] | None:
    """The categories: as given, as a frame or `Scores` or `Decisions` name them, or all that label sets mention."""
    if given is not None:
        return tuple(str(name) for name in given)
    for part in parts:
        if isinstance(part, (Scores, Decisions)):
            return part.categories
        if _is_frame(part) and not sparse.issparse(part):
            return tuple(str(name) for name in part.columns)
    sets = [part for part in parts[:2] if part is not None and not _is_matrix(part)]
    if len(sets) == len([part for part in parts if part is not None]):
        return tuple(sorted(set().union(*(found for part in sets for found in label_sets(part)))))
    if sets:
        raise InvalidInput("label sets beside a matrix; name the columns of the matrix: categories=")
    return None


def _is_matrix(values: Any) -> bool:
    return sparse.issparse(values) or getattr(values, "ndim", 1) == 2


def _ordered(values: Any, names: Sequence[str] | None) -> Any:
    """The bare matrix of a frame (its columns in the order of the names) or of `Decisions`; anything else as it is."""
    if isinstance(values, Decisions):
        return values.values
    if not _is_frame(values) or sparse.issparse(values):
        return values
    have = [str(name) for name in values.columns]
    if names is None or sorted(have) != sorted(names):
        odd = sorted(set(have) ^ set(names or ()))
        raise InvalidInput(f"the frames have different columns, such as {', '.join(odd[:5])}; give the same categories")
    return np.asarray(values)[:, [have.index(name) for name in names]]


def _scores(values: Any, names: tuple[str, ...], ids: Sequence[str]) -> Scores | None:
    if values is None or isinstance(values, Scores):
        return values
    bare = _ordered(values, names)
    if sparse.issparse(bare):
        return Scores(sparse.csr_array(bare), names, ids, floor=0.0)
    return Scores(np.atleast_2d(np.asarray(bare, np.float64)), names, ids)


def _counts(values: Any, categories: tuple[str, ...]) -> Ints:
    """Training counts from a mapping by category, `TrainCounts`, one number a category, or the training labels."""
    if isinstance(values, Mapping):
        return TrainCounts({str(name): int(count) for name, count in values.items()}).over(categories)
    if isinstance(values, TrainCounts):
        return values.over(categories)
    if _is_matrix(values):
        return np.asarray(label_matrix(values, categories)[0].sum(axis=0)).ravel().astype(np.int64)
    return np.asarray(values, np.int64)
