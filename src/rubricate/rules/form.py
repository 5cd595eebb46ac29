"""Rules as values: conditions on a document, rules from a condition to a category, bases of rules.

Every classifier whose result is rules gives a `RuleBase`; people write one in a file (`rules.parser`); `rules.printer`
writes any of them, and `rules.engine` runs it. Values are frozen, hashable and equal when their parts are equal.

    Word, Prefix, Phrase     a term, every term with a beginning, terms that follow each other; they have places
    Either of such, Use      has the places of each member; a macro has the places of its condition
    Near, AtLeast            conditions on places
    Title, Not, All, Either  conditions on conditions

All(()) always holds, Either(()) never. A group of one is its member: `Rule` and `RuleBase` store it so.

>>> rule = Rule("wheat", All((Word("wheat"), Not(Word("surface")))), positives=57, negatives=3)
>>> rule.condition.conditions[0], round(rule.score, 3), Rule("wheat", All((Word("wheat"),))).condition
(Word(term='wheat'), 0.935, Word(term='wheat'))
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TypeAlias

from rubricate.errors import InvalidInput

__all__ = [
    "DEEPEST",
    "NAME",
    "All",
    "AtLeast",
    "Condition",
    "Either",
    "Near",
    "Not",
    "Phrase",
    "Prefix",
    "Rule",
    "RuleBase",
    "Setting",
    "Title",
    "Use",
    "Word",
    "plain",
]

DEEPEST = 50
"""Levels of conditions within conditions that a rule may have."""

NAME = re.compile(r"\w+(?:[.-]\w+)*")
"""Names that need no quotes."""

Setting: TypeAlias = str | int | tuple[str, ...] | tuple[int, ...] | None
"""The value of one option of an analyzer."""


@dataclass(frozen=True, slots=True)
class Word:
    """The term occurs."""

    term: str

    def __post_init__(self) -> None:
        _filled("Word", self.term)


@dataclass(frozen=True, slots=True)
class Prefix:
    """A term with this beginning occurs."""

    stem: str

    def __post_init__(self) -> None:
        _filled("Prefix", self.stem)


@dataclass(frozen=True, slots=True)
class Phrase:
    """The terms follow each other, within the title or within the body; `los*` stands for every term so begun."""

    terms: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "terms", tuple(self.terms))
        if len(self.terms) < 2:
            raise InvalidInput(f"a phrase has two terms or more, got {self.terms!r}; a single one is a Word")
        for term in self.terms:
            _filled("Phrase", term)
            if term == "*" or term.split() != [term]:
                raise InvalidInput(f"a term of a phrase has no white space and is not a lone asterisk, got {term!r}")


@dataclass(frozen=True, slots=True)
class Near:
    """Two conditions with places hold at most `distance` words apart; words side by side are 1 apart.

    `ordered`: the first comes before the second. The two places do not overlap, and both lie in the title or in the
    body: `oil near/3 oil` needs two occurrences.
    """

    first: Condition
    second: Condition
    distance: int
    ordered: bool = False

    def __post_init__(self) -> None:
        _positive("the distance of Near", self.distance)


@dataclass(frozen=True, slots=True)
class AtLeast:
    """A condition with places holds at `count` places or more."""

    count: int
    condition: Condition

    def __post_init__(self) -> None:
        _positive("the count of AtLeast", self.count)


@dataclass(frozen=True, slots=True)
class Title:
    """The condition holds of the title alone."""

    condition: Condition


@dataclass(frozen=True, slots=True)
class Not:
    """The condition does not hold."""

    condition: Condition


@dataclass(frozen=True, slots=True)
class All:
    """Every condition holds."""

    conditions: tuple[Condition, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "conditions", tuple(self.conditions))


@dataclass(frozen=True, slots=True)
class Either:
    """One condition holds, or several."""

    conditions: tuple[Condition, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "conditions", tuple(self.conditions))


@dataclass(frozen=True, slots=True)
class Use:
    """The condition that the base defines under this name holds."""

    macro: str

    def __post_init__(self) -> None:
        _name(self.macro)


Condition: TypeAlias = Word | Prefix | Phrase | Near | AtLeast | Title | Not | All | Either | Use


@dataclass(frozen=True, slots=True)
class Rule:
    """A document that meets the condition belongs to the category.

    `positives` and `negatives` are the training documents that a learned rule covers rightly and wrongly; a
    hand-written rule has neither.
    """

    category: str
    condition: Condition
    positives: int | None = None
    negatives: int | None = None
    name: str = ""

    def __post_init__(self) -> None:
        _filled("the category of a rule", self.category)
        if (self.positives is None) != (self.negatives is None):
            raise InvalidInput(f"rule for {self.category!r}: give both positives and negatives, or neither")
        if min(self.positives or 0, self.negatives or 0) < 0:
            raise InvalidInput(f"rule for {self.category!r}: counts of documents cannot be negative")
        object.__setattr__(self, "condition", plain(self.condition))

    @property
    def score(self) -> float:
        """Laplace's estimate of precision, (p + 1) / (p + n + 2); 1 for a hand-written rule."""
        if self.positives is None or self.negatives is None:
            return 1.0
        return (self.positives + 1) / (self.positives + self.negatives + 2)


@dataclass(frozen=True, slots=True)
class RuleBase:
    """Rules in order, the macros that they use, and the analyzer settings with which their words were made.

    `analyzer` holds (option, value) pairs of `Analyzer`, so that a printed base runs again on raw text; empty means
    what hand-written rules want: every word and number, nothing stopped, nothing stemmed.
    """

    rules: tuple[Rule, ...] = ()
    macros: tuple[tuple[str, Condition], ...] = ()
    analyzer: tuple[tuple[str, Setting], ...] = ()

    def __post_init__(self) -> None:
        for name, _ in self.macros:
            _name(name)
        object.__setattr__(self, "rules", tuple(self.rules))
        object.__setattr__(self, "macros", tuple((name, plain(condition)) for name, condition in self.macros))
        object.__setattr__(
            self, "analyzer", tuple((option, _setting(option, value)) for option, value in self.analyzer)
        )

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories that have rules, in the order of their first rule."""
        return tuple(dict.fromkeys(rule.category for rule in self.rules))


def plain(condition: Condition, depth: int = 0) -> Condition:
    """Return the condition with groups of one replaced by their member; raise InvalidInput where it nests too deep."""
    if depth > DEEPEST:
        raise InvalidInput(f"conditions nest deeper than {DEEPEST} levels; name a part of them as a macro")
    match condition:
        case All(conditions) | Either(conditions):
            parts = tuple(plain(part, depth + 1) for part in conditions)
            return parts[0] if len(parts) == 1 else type(condition)(parts)
        case Not(part) | Title(part) | AtLeast(_, part):
            return replace(condition, condition=plain(part, depth + 1))
        case Near(first, second):
            return replace(condition, first=plain(first, depth + 1), second=plain(second, depth + 1))
        case Word() | Prefix() | Phrase() | Use():
            return condition
    raise InvalidInput(f"expected a condition (Word, Phrase, Not, All, …), got {type(condition).__name__}")


def _filled(noun: str, value: object) -> None:
    if not isinstance(value, str) or not value:
        raise InvalidInput(f"{noun} needs a string that is not empty, got {value!r}")


def _name(value: object) -> None:
    if not isinstance(value, str) or not NAME.fullmatch(value):
        raise InvalidInput(f"the name of a macro is letters, digits, '_' and inner '-' or '.', got {value!r}")


def _positive(noun: str, value: object) -> None:
    if not isinstance(value, int) or value < 1:
        raise InvalidInput(f"{noun} must be a whole number from 1, got {value!r}")


def _setting(option: str, value: Setting) -> Setting:
    value = tuple(value) if isinstance(value, list) else value
    parts = value if isinstance(value, tuple) else () if value is None else (value,)
    whole = all(isinstance(part, int) and part >= 0 for part in parts)
    if not whole and not all(isinstance(part, str) and part for part in parts):
        raise InvalidInput(
            f"analyzer {option}: expected text, a whole number, a tuple of either, or None; got {value!r}"
        )
    return value
