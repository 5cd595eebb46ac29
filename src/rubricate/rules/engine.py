"""A rule base as steps: every distinct condition once, each behind the steps that it builds on.

Steps that give places (where something occurs)       word, prefix, phrase, union
Steps that give documents (in which something holds)  some, near, not, all, any

A condition within a title is a step of its own. Macros are steps like others, so that what a hundred rules use is
computed once, and a macro of macros of macros costs no more than its text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rubricate.rules.form import All, AtLeast, Condition, Either, Near, Not, Phrase, Prefix, RuleBase, Title, Use, Word
from rubricate.rules.parser import check_base
from rubricate.types import Bools, Floats, Sparse

__all__ = ["PLACES", "RulePlan", "RuleSource", "RuleStep", "fire", "make_plan", "run_plan", "score"]

PLACES = frozenset({"word", "prefix", "phrase", "union"})


@dataclass(frozen=True, slots=True)
class RuleStep:
    """One computation; `parts` are the numbers of earlier steps, `title` confines it to titles."""

    kind: str
    data: Any = None
    parts: tuple[int, ...] = ()
    title: bool = False


@dataclass(frozen=True, slots=True)
class RulePlan:
    """The steps, and for each rule the step of its condition."""

    steps: tuple[RuleStep, ...]
    roots: tuple[int, ...]

    def needed(self) -> list[int]:
        """Return the steps that the rules need, in order."""
        wanted = set(self.roots)
        for number in range(len(self.steps) - 1, -1, -1):
            if number in wanted:
                wanted.update(self.steps[number].parts)
        return sorted(wanted)


def make_plan(base: RuleBase) -> RulePlan:
    """Return the steps of a base; cost linear in its conditions."""
    return _Planner(base).plan()


class _Planner:
    def __init__(self, base: RuleBase) -> None:
        self.base = base
        self.numbers: dict[RuleStep, int] = {}
        self.macros: dict[tuple[str, bool], int] = {}
        self.steps: list[RuleStep] = []
        self.held: dict[int, int] = {}

    def plan(self) -> RulePlan:
        defined = dict(self.base.macros)
        for name in check_base(self.base):
            for title in (False, True):
                self.macros[name, title] = self.step(defined[name], title)
                self.documents(self.macros[name, title])  # so that no chain of macros is followed deeply
        roots = tuple(self.documents(self.step(rule.condition, False)) for rule in self.base.rules)
        return RulePlan(tuple(self.steps), roots)

    def add(self, kind: str, data: Any = None, parts: tuple[int, ...] = (), *, title: bool = False) -> int:
        made = RuleStep(kind, data, parts, title)
        number = self.numbers.setdefault(made, len(self.steps))
        if number == len(self.steps):
            self.steps.append(made)
        return number

    def documents(self, number: int) -> int:
        """Return the step for the documents in which a step holds."""
        if number not in self.held:
            step = self.steps[number]
            if step.kind == "union":  # each member's documents are likely to be wanted elsewhere too
                self.held[number] = self.add("any", None, _distinct(map(self.documents, step.parts)))
            else:
                self.held[number] = self.add("some", 1, (number,)) if step.kind in PLACES else number
        return self.held[number]

    def step(self, condition: Condition, title: bool) -> int:
        match condition:
            case Word(term):
                return self.add("word", term, title=title)
            case Prefix(stem):
                return self.add("prefix", stem, title=title)
            case Phrase(terms):
                return self.add("phrase", terms, title=title)
            case Use(macro):
                return self.macros[macro, title]
            case Title(part):
                return self.step(part, True)
            case AtLeast(count, part):
                return self.add("some", count, (self.step(part, title),))
            case Near(first, second, distance, ordered):
                return self.add("near", (distance, ordered), (self.step(first, title), self.step(second, title)))
            case Not(part):
                return self.add("not", None, (self.documents(self.step(part, title)),))
            case All(conditions):
                return self.add("all", None, _distinct(self.documents(self.step(part, title)) for part in conditions))
            case Either(conditions):
                return self.either(tuple(self.step(part, title) for part in conditions))
        raise TypeError(f"no condition: {condition!r}")

    def either(self, parts: tuple[int, ...]) -> int:
        if parts and all(self.steps[part].kind in PLACES for part in parts):
            return self.add("union", None, _distinct(parts))
        return self.add("any", None, _distinct(map(self.documents, parts)))


def _distinct(parts: Any) -> tuple[int, ...]:
    return tuple(dict.fromkeys(parts))


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

    >>> from rubricate.rules.sources import Columns
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
