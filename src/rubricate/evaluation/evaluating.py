"""`rubricate.evaluate`: every measure of anyone's predictions in one call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rubricate.errors import InvalidInput
from rubricate.evaluation.intervals import with_intervals
from rubricate.evaluation.measuring import evaluate_run, with_frequency, with_hierarchy
from rubricate.evaluation.result import Evaluation
from rubricate.files.predictions.runs import as_run
from rubricate.hierarchy import Hierarchy
from rubricate.measures import Similarity, resolve
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
) -> Evaluation:
    """How well one system did: micro, macro and per-category measures, ranking, probability, baselines, intervals.

    Give a `Run` that has its truth, or the truth and beside it decisions, scores or both (`as_run` says in which
    forms). `measures` adds others to the table, such as `"f_beta:0.5"`. `undefined` is what 0/0 counts as. `limit`
    is TR, the rank down to which 11-point average precision looks. `train_counts` give F1 by training frequency in
    `bands` intervals of equal width up to `highest`. `bootstrap` is the number of resamples of the documents for
    confidence intervals of `level`; Wilson's for proportions are always there. `hierarchy` (or its parent–child pairs)
    adds the measures that know how far off a wrong category is, with `acceptable` links contributing nothing, and with
    `similarity` (of `measures.category_similarity`) also by how alike categories are.

    Cost: labels and decisions; with scores also stored scores × log. Never documents × categories of sparse input.

    >>> print(evaluate([{"corn"}, {"corn", "wheat"}, set()], [{"corn"}, {"corn"}, {"wheat"}]))
    system       miR     miP    miF1    maF1   error
    run       0.6667  0.6667  0.6667  0.5000  0.3333
    rejector  0.0000  0.0000  0.0000  0.0000  0.5000
    acceptor  1.0000  0.5000  0.6667  0.6500  0.5000
    3 documents, 2 categories, 0/0 counts as zero
    undefined:zero|version:...
    """
    if isinstance(run_or_truth, Run):
        if decisions is not None or scores is not None:
            raise InvalidInput("a run holds its own decisions and scores; give the run alone, or the truth and those")
        run = run_or_truth
    else:
        run = as_run(
            run_or_truth, decisions, scores=scores, categories=categories, name=name, train_counts=train_counts
        )
    result = evaluate_run(run, measures=measures, undefined=undefined, limit=limit)
    if hierarchy is not None:
        tree = hierarchy if isinstance(hierarchy, Hierarchy) else Hierarchy.from_edges(hierarchy)
        result = with_hierarchy(result, run, tree, acceptable=acceptable, similarity=similarity, measures=measures)
    elif similarity is not None or any(resolve(name).kind == "extended" for name in measures):
        raise InvalidInput("measures by similarity or contribution need hierarchy=; give the hierarchy (--hierarchy)")
    result = with_frequency(result, run, bands=bands, highest=highest)
    return with_intervals(result, run, resamples=bootstrap, level=level, seed=seed, limit=limit)
