"""Decisions, rankings and probabilities → numbers: one file a measure, averaging written once.

A measure lives in the file of its name (`from rubricate.measures.f1 import f1`); `micro` and `macro` take names too.

>>> from rubricate.labels import indicator
>>> table = counts(indicator([[1, 0], [1, 1]]), indicator([[1, 0], [0, 1]]))
>>> round(micro("f1", table), 3), round(macro("recall", table), 3)
(0.8, 0.75)
"""

from rubricate.measures._abstention import Abstention, abstention, abstention_curve
from rubricate.measures._augmented import with_ancestors
from rubricate.measures._averages import macro, mean, micro
from rubricate.measures._baselines import acceptor, rejector
from rubricate.measures._break_even_point import BreakEven, break_even_point
from rubricate.measures._catalogue import of_kind, resolve
from rubricate.measures._evaluation import Evaluation
from rubricate.measures._extended import Extended, extended_counts
from rubricate.measures._frequency import Band, by_frequency
from rubricate.measures._hierarchy_evaluation import HierarchyEvaluation, hierarchy_evaluation
from rubricate.measures._intervals import Interval, bootstrap, centred, percentile, wilson
from rubricate.measures._levels import Far, Level, by_depth, how_far
from rubricate.measures._measure import Measure, measure
from rubricate.measures._meeting import meeting_counts
from rubricate.measures._nearness import Nearness, by_distance, by_similarity
from rubricate.measures._placed import Placed, placed
from rubricate.measures._probabilities import Reliability, reliability, reliability_by_category
from rubricate.measures._ranks import Ranks, ranks
from rubricate.measures._similarity import Similarity, category_similarity, category_vectors
from rubricate.measures._similarity_file import read_similarity
from rubricate.measures._sweeps import Sweep, best_cut, pooled_sweep, sweeps
from rubricate.measures._tables import counts, family, total

__all__ = [
    "Abstention",
    "Band",
    "BreakEven",
    "Evaluation",
    "Extended",
    "Far",
    "HierarchyEvaluation",
    "Interval",
    "Level",
    "Measure",
    "Nearness",
    "Placed",
    "Ranks",
    "Reliability",
    "Similarity",
    "Sweep",
    "abstention",
    "abstention_curve",
    "acceptor",
    "best_cut",
    "bootstrap",
    "break_even_point",
    "by_depth",
    "by_distance",
    "by_frequency",
    "by_similarity",
    "category_similarity",
    "category_vectors",
    "centred",
    "counts",
    "extended_counts",
    "family",
    "hierarchy_evaluation",
    "how_far",
    "macro",
    "mean",
    "measure",
    "meeting_counts",
    "micro",
    "of_kind",
    "percentile",
    "placed",
    "pooled_sweep",
    "ranks",
    "read_similarity",
    "rejector",
    "reliability",
    "reliability_by_category",
    "resolve",
    "sweeps",
    "total",
    "wilson",
    "with_ancestors",
]
