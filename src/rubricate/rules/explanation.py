"""Why a rule holds of a document: which of its words occur, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rubricate.rules.engine import PLACES, RulePlan, RuleStep, fire, make_plan, run_plan
from rubricate.rules.form import Phrase, Prefix, Rule, RuleBase, Word
from rubricate.rules.printer import format_condition
from rubricate.rules.sources import Columns, Passages, Spans, following
from rubricate.types import Ints, Sparse

__all__ = ["Explainer", "Firing", "Match"]

AROUND = 4
"""Words that are shown before and behind a match."""
SHOWN = 3
"""Places of one word that are shown."""


@dataclass(frozen=True)
class Match:
    """A part of a rule that holds: its text, where (word numbers from 0, title words first), and the words about it.

    A matrix knows no places; there, `snippets` are the names of the columns.
    """

    text: str
    places: tuple[int, ...]
    snippets: tuple[str, ...]

    def __str__(self) -> str:
        """Return `oil: … price of [oil] fell …`."""
        return f"{self.text}: {' | '.join(self.snippets)}"


@dataclass(frozen=True)
class Firing:
    """A rule that holds of a document, its number in the base, and what made it hold."""

    rule: Rule
    number: int
    matches: tuple[Match, ...]

    def __str__(self) -> str:
        """Return what made it hold, in one line."""
        return "; ".join(map(str, self.matches))


class Explainer:
    """Runs one base, which is planned once, and explains what it decides.

    >>> from rubricate.text import Analyzer
    >>> from rubricate.rules.parser import parse_rules
    >>> base = parse_rules('crude if "crude oil" or oil near/3 price* and not vegetable;')
    >>> passages = Passages.of(["The price of oil fell"], Analyzer(stop=None, stem=None))
    >>> print(*Explainer(base).explain(passages)[0])
    oil near/3 price*: the [price of oil] fell
    """

    def __init__(self, base: RuleBase) -> None:
        self.base = base
        self._whole = make_plan(base)
        self._plans: dict[int, RulePlan] = {}

    def fire(self, source: Passages | Columns) -> Sparse:
        """Return which rules hold, documents × rules."""
        return fire(self.base, source, plan=self._whole)

    def explain(self, source: Passages | Columns, category: str | None = None) -> list[list[Firing]]:
        """Return for each document the rules that hold (of one category, where it is named), the best score first."""
        fired = self.fire(source)
        rows = []
        for d in range(len(source)):
            document: Any = source.take([d])
            numbers = fired.indices[fired.indptr[d] : fired.indptr[d + 1]].tolist()
            numbers = [n for n in numbers if category in (None, self.base.rules[n].category)]
            numbers.sort(key=lambda n: (-self.base.rules[n].score, n))
            rows.append([self._firing(number, document) for number in numbers])
        return rows

    def _firing(self, number: int, document: Passages | Columns) -> Firing:
        rule = self.base.rules[number]
        if number not in self._plans:
            self._plans[number] = make_plan(RuleBase((rule,), self.base.macros))
        plan = self._plans[number]
        return Firing(rule, number, tuple(_matches(plan, run_plan(plan, document, keep=True), document)))


def _matches(plan: RulePlan, values: dict[int, Any], document: Passages | Columns) -> list[Match]:
    """Walk down from the root through what holds; what must not hold leaves no trace."""
    matches: dict[int, Match] = {}
    pending, seen = [plan.roots[0]], set()
    while pending:
        number = pending.pop()
        if number in seen:
            continue
        seen.add(number)
        step = plan.steps[number]
        if step.kind in ("some", "near"):
            matches[number] = _match(plan, step, [values[part] for part in step.parts], document=document)
        elif step.kind in ("all", "any"):
            pending.extend(part for part in reversed(step.parts) if np.unpackbits(values[part], count=1)[0])
    return list(dict.fromkeys(matches.values()))


def _match(plan: RulePlan, step: RuleStep, parts: list[Any], *, document: Passages | Columns) -> Match:
    if isinstance(document, Columns):
        columns = [c for c in parts[0].tolist() if document.some(np.array([c]), 1)[0]]
        return Match(_text(plan, step), (), tuple(document.names[c] for c in columns))
    spans: Spans = _pairs(step, parts, document) if step.kind == "near" else parts[0]
    shown = [_snippet(document, int(a), int(b)) for a, b in zip(spans.starts[:SHOWN], spans.ends[:SHOWN], strict=True)]
    more = [f"and {len(spans.starts) - SHOWN} more"] if len(spans.starts) > SHOWN else []
    return Match(_text(plan, step), tuple(map(int, spans.starts)), (*shown, *more))


def _pairs(step: RuleStep, parts: Sequence[Spans], document: Passages) -> Spans:
    """Return spans from the beginning of the earlier place to the end of the later one."""
    distance, ordered = step.data
    starts, ends = [], []
    for a, b in ((parts[0], parts[1]), (parts[1], parts[0]))[: 1 if ordered else 2]:
        before, behind = following(a, b, distance=distance, segment=document.segment)
        starts.append(a.starts[before])
        ends.append(b.ends[behind])
    return document.union([Spans(*pair) for pair in zip(starts, ends, strict=True)])


def _snippet(document: Passages, start: int, end: int) -> str:
    """Return the words around a place, the place in brackets."""
    first, last = _limits(document, start)
    words = [document.terms.words[i] for i in document.terms.ids]
    before, behind = max(first, start - AROUND), min(last, end + 1 + AROUND)
    shown = [*words[before:start], f"[{' '.join(words[start : end + 1])}]", *words[end + 1 : behind]]
    return ("… " if before > first else "") + " ".join(shown) + (" …" if behind < last else "")


def _limits(document: Passages, place: int) -> tuple[int, int]:
    segment = int(document.segment[place])
    starts: Ints = document.terms.starts
    return int(starts[segment]), int(starts[segment + 1])


def _text(plan: RulePlan, step: RuleStep, depth: int = 0) -> str:
    """Return a step in the words of the rule language."""
    if step.kind in PLACES:
        text = _written(plan, step, depth)
        return f"title({text})" if step.title else text
    texts = [_text(plan, plan.steps[part]) for part in step.parts]
    if step.kind == "near":
        return f"{texts[0]} {'before' if step.data[1] else 'near'}/{step.data[0]} {texts[1]}"
    return texts[0] if step.data == 1 else f"{texts[0]} >= {step.data}"


def _written(plan: RulePlan, step: RuleStep, depth: int) -> str:
    if step.kind == "union":  # of macros of macros only the uppermost are shown
        shown = [_text(plan, plan.steps[part], depth + 1) for part in step.parts[:SHOWN]] if depth < SHOWN else []
        more = ["…"] if len(step.parts) > len(shown) else []
        return f"({' or '.join([*shown, *more])})"
    kinds: dict[str, Any] = {"word": Word, "prefix": Prefix, "phrase": Phrase}
    return format_condition(kinds[step.kind](step.data))
