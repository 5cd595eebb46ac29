"""A rule base as steps: every distinct condition once, each behind the steps that it builds on.

Steps that give places (where something occurs)       word, prefix, phrase, union
Steps that give documents (in which something holds)  some, near, not, all, any

A condition within a title is a step of its own. Macros are steps like others, so that what a hundred rules use is
computed once, and a macro of macros of macros costs no more than its text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rubricate.rules.form import All, AtLeast, Condition, Either, Near, Not, Phrase, Prefix, RuleBase, Title, Use, Word
from rubricate.rules.macros import check_base

__all__ = ["PLACES", "RulePlan", "RuleStep", "make_plan"]

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
