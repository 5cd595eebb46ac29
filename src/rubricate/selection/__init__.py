"""Many terms → fewer: one file a criterion.

A criterion is a function `(occurrences, by) -> a score for each term`, higher is better. `by` says how scores per
category become one: "max", "avg" (the mean weighted by P(c)) or "sum"; None is the criterion's own way.
"""

from rubricate.selection._occurrences import Occurrences, Table, by_category
from rubricate.selection._select import Select, term_scores

__all__ = ["Occurrences", "Select", "Table", "by_category", "term_scores"]
