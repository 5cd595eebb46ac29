"""Make a `Run` from objects in memory (matrices, lists of label sets, data frames, mappings) or from files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.errors import InvalidInput
from rubricate.io.alignment import Policies, align, assigned_labels
from rubricate.io.prediction_tables import PairCollector, Pairs, collect_rows, layout_of
from rubricate.io.predictions import read_run
from rubricate.io.train_counts import TrainCounts
from rubricate.labels import column, label_matrices, label_matrix, same_columns
from rubricate.types import Decisions, Documents, Ints, Run, Scores, Signature

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
    """Make a run of decisions, scores or both beside the truth, each documents × categories in the same order.

    Data frames with a column `document`, laid out as files are, and mappings from documents to labels are aligned by
    their ids; a frame without that column is a matrix of categories.

    Parameters
    ----------
    truth, decisions : labels
        A matrix (dense or sparse; whatever is not zero is a label, fractions are an error; also rows of 0 and 1 in
        plain lists), a list of label sets or of single labels, or a column of a data frame. Or files: the truth by path
        or as labelled `Documents`, the decisions (with scores, if the file has them) by path, as `read_run` reads them.
    scores : matrix or Scores
        Values that a sparse matrix does not store are 0.
    categories : sequence of str, optional
        The names of the columns. Labels outside them and the truth are an error.
    name : str
        The name of the run in tables.
    train_counts : optional
        Training documents: a mapping by category, `TrainCounts`, one number per category, or the training labels.
    signature : Signature, optional
        Where the numbers come from.

    >>> run = as_run([{"corn"}, {"corn", "wheat"}], [{"corn"}, set()])
    >>> run.categories, run.decisions.values.toarray().astype(int).tolist()
    (('corn', 'wheat'), [[1, 0], [0, 0]])
    """
    if isinstance(truth, Documents):
        truth = Decisions(truth.labels, truth.categories, truth.ids)
    run = _bare_run((truth, decisions, scores), name=name, categories=categories)
    counts = None if train_counts is None else _counts(train_counts, run.categories)
    return Run(
        name=run.name,
        documents=run.documents,
        categories=run.categories,
        scores=run.scores,
        decisions=run.decisions,
        truth=run.truth,
        train_counts=counts,
        signature=signature or Signature(),
    )


def _bare_run(parts: tuple[Any, Any, Any], *, name: str, categories: Sequence[str] | None) -> Run:
    """Make a run of truth, decisions and scores: from files, aligned by id, or by position."""
    truth, decisions, scores = parts
    if decisions is None and scores is None:
        raise InvalidInput("neither decisions nor scores; give at least one of them beside the truth")
    if isinstance(decisions, (str, Path)):
        if scores is not None or not isinstance(truth, (str, Path, Decisions)):
            raise InvalidInput("a file of predictions goes with a file of labels or labelled documents, and no scores=")
        run = read_run(truth, decisions, categories=categories or ())
        return run if name == "run" else replace(run, name=name)
    if _by_id(truth):
        predictions = [part for part in (decisions, scores) if part is not None]
        return _joined(truth, predictions, name=name, categories=categories)
    return _by_position(parts, name=name, categories=categories)


def _is_frame(values: Any) -> bool:
    return hasattr(values, "columns") and hasattr(values, "shape") and len(values.shape) == 2


def _by_id(values: Any) -> bool:
    """Tell whether the object names its documents: a mapping, or a frame with a column `document`."""
    return isinstance(values, Mapping) or (_is_frame(values) and "document" in map(str, values.columns))


def _joined(truth: Any, parts: Sequence[Any], *, name: str, categories: Sequence[str] | None) -> Run:
    if not all(_by_id(values) for values in parts):
        raise InvalidInput(
            "the truth names its documents, the predictions do not; give both as frames or as mappings by id"
        )
    labels, *predictions = (_pairs(values) for values in (truth, *parts))
    known = [str(category) for category in categories or ()]
    runs = align(
        assigned_labels(labels),
        {str(place): pairs for place, pairs in enumerate(predictions)},
        known=known,
        policies=Policies(unknown="new" if categories is None else "error"),
    )
    first, last = runs[0], runs[-1]
    return Run(name, first.documents, first.categories, last.scores, first.decisions, first.truth)


def _pairs(values: Any) -> Pairs:
    """Collect the pairs of a frame or a mapping by the rules for files; errors call it `<frame>`."""
    pairs = PairCollector(Path("<frame>"))
    if isinstance(values, Mapping):
        rows = [(line, (str(name), cell)) for line, (name, cell) in enumerate(values.items(), start=1)]
        scored = any(isinstance(cell, Mapping) for cell in values.values())
        collect_rows(pairs, layout_of(pairs, ("document", "scores" if scored else "labels")), rows)
    else:
        names = [str(name) for name in values.columns]
        cells = zip(*(column(values[name]) for name in values.columns), strict=True)
        collect_rows(pairs, layout_of(pairs, names), enumerate(cells, start=1))
    return pairs.pairs()


def _by_position(parts: tuple[Any, Any, Any], *, name: str, categories: Sequence[str] | None) -> Run:
    """Make a run of truth, decisions and scores by position: row i is document i."""
    truth, decisions, scores = parts
    given = [("the truth", truth)] + ([] if decisions is None else [("the decisions", decisions)])
    remedy = "give the numbers as scores=, or cut them (thresholds.decide)"
    (labels, *decided), names = label_matrices(given, categories=categories, scores=scores, remedy=remedy)
    ids = scores.documents if isinstance(scores, Scores) else tuple(str(i) for i in range(labels.shape[0]))
    chosen = Decisions(decided[0], names, ids) if decided else None
    return Run(name, ids, names, _scores(scores, names, ids), chosen, labels)


def _scores(values: Any, names: tuple[str, ...], ids: Sequence[str]) -> Scores | None:
    if values is None or isinstance(values, Scores):
        return values
    if sparse.issparse(values):
        return Scores(sparse.csr_array(values), names, ids, floor=0.0)
    cells = np.atleast_2d(np.asarray(values, np.float64))
    places = same_columns(values, names, owner="the scores")
    return Scores(cells[:, places] if places else cells, names, ids)


def _counts(values: Any, categories: tuple[str, ...]) -> Ints:
    """Return training counts from a mapping, `TrainCounts`, one number per category, or the training labels."""
    if isinstance(values, Mapping):
        return TrainCounts({str(name): int(count) for name, count in values.items()}).over(categories)
    if isinstance(values, TrainCounts):
        return values.over(categories)
    if sparse.issparse(values) or getattr(values, "ndim", 1) == 2:
        return np.asarray(label_matrix(values, categories)[0].sum(axis=0)).ravel().astype(np.int64)
    return np.asarray(values, np.int64)
