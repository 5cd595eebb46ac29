"""Which rules hold of which documents.

The base becomes steps, every distinct condition once (`rules.plan`); a step that is about words asks the source for
its postings, a step that joins others is one operation on sets of documents, packed eight to a byte.

Cost    postings of the words that the rules name, and documents / 8 bytes an operator. A set is dropped when the last
        step that needs it is done.
Sources `Passages` (terms in order, with titles) and `Columns` (a matrix with names).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rubricate.rules.form import RuleBase
from rubricate.rules.plan import PLACES, RulePlan, RuleStep, make_plan
from rubricate.types import Bools, Floats, Sparse

__all__ = ["RuleSource", "fire", "run_plan", "score"]

Bits = NDArray[np.uint8]


class RuleSource(Protocol):
    """Where words are looked up. What `word`, `prefix`, `phrase` and `union` give is the source's own affair."""

    def __len__(self) -> int: ...
    def word(self, term: str, *, title: bool) -> Any: ...  # noqa: D102
    def prefix(self, stem: str, *, title: bool) -> Any: ...  # noqa: D102
    def phrase(self, terms: tuple[str, ...], *, title: bool) -> Any: ...  # noqa: D102
    def union(self, parts: Sequence[Any]) -> Any: ...  # noqa: D102
    def some(self, places: Any, least: int) -> Bools: ...  # noqa: D102
    def near(self, first: Any, second: Any, distance: int, *, ordered: bool) -> Bools: ...  # noqa: D102


def fire(base: RuleBase, source: RuleSource, *, plan: RulePlan | None = None) -> Sparse:
    """Return which rules hold, documents × rules; `plan` is that of the base where it was made before.

    >>> from rubricate.rules.columns import Columns
    >>> from rubricate.rules.parser import parse_rules
    >>> base = parse_rules("grain if wheat or corn; crude if oil and not wheat;")
    >>> fire(base, Columns([[1, 0, 1], [0, 0, 2]], ["wheat", "corn", "oil"])).toarray().astype(int).tolist()
    [[1, 0], [0, 1]]
    """
    plan = make_plan(base) if plan is None else plan
    values = run_plan(plan, source)
    return _matrix([values[root] for root in plan.roots], len(source))


def run_plan(plan: RulePlan, source: RuleSource, *, keep: bool = False) -> dict[int, Any]:
    """Return the result of each step; unless all are kept, a result goes when the last step that needs it is done."""
    needed = plan.needed()
    left = Counter(part for number in needed for part in plan.steps[number].parts)
    left.update(needed if keep else plan.roots)
    values: dict[int, Any] = {}
    for number in needed:
        step = plan.steps[number]
        values[number] = _value(step, [values[part] for part in step.parts], source)
        for part in step.parts:
            left[part] -= 1
            if not left[part]:
                del values[part]
    return values


def _value(step: RuleStep, parts: list[Any], source: RuleSource) -> Any:
    if step.kind in PLACES:
        return source.union(parts) if step.kind == "union" else getattr(source, step.kind)(step.data, title=step.title)
    if step.kind == "some":
        return np.packbits(source.some(parts[0], step.data))
    if step.kind == "near":
        distance, ordered = step.data
        return np.packbits(source.near(parts[0], parts[1], distance, ordered=ordered))
    return _joined(step.kind, parts, len(source))


def _joined(kind: str, parts: list[Bits], documents: int) -> Bits:
    if kind == "not":
        return ~parts[0]
    if not parts:
        return np.full((documents + 7) // 8, 0xFF if kind == "all" else 0, np.uint8)
    joined = parts[0].copy()
    for part in parts[1:]:
        if kind == "all":
            joined &= part
        else:
            joined |= part
    return joined


def _matrix(rows: list[Bits], documents: int) -> Sparse:
    documents_of = [np.flatnonzero(np.unpackbits(row, count=documents)) for row in rows]
    starts = np.cumsum([0, *map(len, documents_of)])
    indices = np.concatenate([np.empty(0, np.int64), *documents_of])
    by_rule = sparse.csr_array((np.ones(len(indices), bool), indices, starts), shape=(len(rows), documents))
    return sparse.csr_array(by_rule.T)


def score(base: RuleBase, fired: Sparse, categories: Sequence[str]) -> Floats:
    """Return the score of the best rule that holds, 0 where none does; documents × categories."""
    column = {name: c for c, name in enumerate(categories)}
    by_rule = sparse.csc_array(fired)
    scores = np.zeros((fired.shape[0], len(categories)))
    for number, rule in enumerate(base.rules):
        c = column.get(rule.category)
        if c is not None:
            rows = by_rule.indices[by_rule.indptr[number] : by_rule.indptr[number + 1]]
            scores[rows, c] = np.maximum(scores[rows, c], rule.score)
    return scores
