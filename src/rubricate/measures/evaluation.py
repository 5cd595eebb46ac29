"""`rubricate.evaluate`: every measure of anyone's predictions in one call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rubricate.engines import Engine
from rubricate.errors import InvalidInput
from rubricate.hierarchy import Hierarchy
from rubricate.io.runs import as_run
from rubricate.measures import Similarity, resolve
from rubricate.measures.evaluation_intervals import with_intervals
from rubricate.measures.evaluation_result import Evaluation, evaluate_run, with_frequency, with_hierarchy
from rubricate.types import Edges, Run, Undefined

__all__ = ["evaluate"]


def evaluate(
    run_or_truth: Any,
    decisions: Any = None,
    *,
    scores: Any = None,
    categories: Sequence[str] | None = None,
    name: str = "run",
    train_counts: Any = None,
    measures: Sequence[str] = (),
    undefined: Undefined = "zero",
    limit: int | None = None,
    bands: int = 10,
    highest: int | None = None,
    bootstrap: int = 0,
    level: float = 0.95,
    seed: int = 0,
    hierarchy: Hierarchy | Edges | None = None,
    acceptable: float = 2.0,
    similarity: Similarity | None = None,
    engine: Engine | str = "threads",
) -> Evaluation:
    """Measure how well one system did: micro, macro, per category, ranking, probability, baselines, intervals.

    Parameters
    ----------
    run_or_truth : Run or labels
        A run that has its truth, or the truth.
    decisions, scores, categories, name : optional
        With the truth: what a system said of the same documents, the names of the columns and of the system. `as_run`
        lists the accepted forms.
    train_counts : sequence of int, optional
        Training documents of each category; adds F1 by training frequency.
    measures : sequence of str
        Further measures of counts for the table, such as `"f_beta:0.5"`.
    undefined : "zero", "one" or "omit"
        What 0/0 counts as.
    limit : int, optional
        TR, the rank down to which 11-point average precision looks.
    bands, highest : int
        Number of intervals of training frequency of equal width, and where they end.
    bootstrap, level, seed
        Number of resamples of the documents for confidence intervals, their confidence level, and the seed. Wilson's
        intervals for proportions need no resamples.
    hierarchy : Hierarchy or pairs (parent, child), optional
        Adds hierarchical measures, which weigh how far off a wrong category is.
    acceptable, similarity : optional
        Number of links at which a wrong category contributes nothing; result of `measures.category_similarity`, which
        adds measures by the similarity of categories.
    engine : str or Engine
        Where resamples of rankings are measured: "threads", "serial", "dask:ADDRESS", …; numbers do not depend on it.

    Cost: labels and decisions; with scores also stored scores × log. Never documents × categories of sparse input.

    >>> print(evaluate([{"corn"}, {"corn", "wheat"}, set()], [{"corn"}, {"corn"}, {"wheat"}]))
    system       miR     miP    miF1    maF1   error
    run       0.6667  0.6667  0.6667  0.5000  0.3333
    rejector  0.0000  0.0000  0.0000  0.0000  0.5000
    acceptor  1.0000  0.5000  0.6667  0.6500  0.5000
    3 documents, 2 categories, 0/0 counts as zero
    undefined:zero|version:...
    """
    more = {"categories": categories, "name": name, "train_counts": train_counts}
    run = _run_of(run_or_truth, decisions, scores, **more)
    result = evaluate_run(run, measures=measures, undefined=undefined, limit=limit)
    tree = _needed_tree(hierarchy, similarity, measures)
    if tree is not None:
        result = with_hierarchy(result, run, tree, acceptable=acceptable, similarity=similarity, measures=measures)
    result = with_frequency(result, run, bands=bands, highest=highest)
    options: dict[str, Any] = {"level": level, "seed": seed, "limit": limit, "engine": engine}
    return with_intervals(result, run, resamples=bootstrap, **options)


def _run_of(run_or_truth: Any, decisions: Any, scores: Any, **options: Any) -> Run:
    """Return the run, or make one of the truth, decisions and scores; a run with further predictions is an error."""
    if not isinstance(run_or_truth, Run):
        return as_run(run_or_truth, decisions, scores=scores, **options)
    if decisions is not None or scores is not None:
        raise InvalidInput("a run holds its own decisions and scores; give the run alone, or the truth and those")
    return run_or_truth


def _needed_tree(
    hierarchy: Hierarchy | Edges | None, similarity: Similarity | None, measures: Sequence[str]
) -> Hierarchy | None:
    """Return the hierarchy, if there is one; raise where measures need one and there is none."""
    if hierarchy is not None:
        return hierarchy if isinstance(hierarchy, Hierarchy) else Hierarchy.from_edges(hierarchy)
    if similarity is not None or any(resolve(name).kind == "extended" for name in measures):
        raise InvalidInput("measures by similarity or contribution need hierarchy=; give the hierarchy (--hierarchy)")
    return None
