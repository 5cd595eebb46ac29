"""What stands at the end: a reason for a decision, the outcome of a test. `rubricate.types` has them too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Literal

__all__ = ["Evidence", "Significance"]


@dataclass(frozen=True)
class Significance:
    """The outcome of one test of system a against system b.

    `symbol` compares the values, as YL99 print it (`>>` a is larger at p <= .01, `>` at .05, `~`, `<`, `<<`);
    `better` names the better system ("a", "b" or None), which differs from it for measures where less is more.
    `p_value` is one-sided in the direction of the observed difference where the test is; `sides` says which.
    `direction` is the sign of the observed difference a − b of the values, significant or not.
    `band` names the training frequencies that the test was confined to, `interval` encloses the effect.
    """

    test: str
    statistic: float
    p_value: float
    n: int
    symbol: str
    better: Literal["a", "b"] | None
    method: str
    measure: str = ""
    sides: Literal[1, 2] = 1
    effect: float = float("nan")
    effect_name: str = ""
    a: str = "a"
    b: str = "b"
    adjusted_p: float | None = None
    note: str = ""
    direction: Literal[-1, 0, 1] = 0
    band: str = ""
    interval: tuple[float, float] | None = None


@dataclass(frozen=True)
class Evidence:
    """One reason for a decision, and what it contributed to the score.

    Parameters
    ----------
    kind : what `index` counts.

        "term"
            A column of X.
        "document"
            A training document, by row.
        "rule"
            A rule that holds: the columns of its conditions as a tuple, `c` for a term that is present and `~c` for
            one that is absent; or, for a rule written by hand, its number in the rule base.
        "part"
            A part of the classifier, such as a member of a stack.
    index : the column, row, conditions or number.
    weight : above 0 it spoke for the category, below 0 against it.
    detail : further facts in words.
    name : the text for readers; filled by `named`, or by the classifier where only it knows the name.

    >>> reason = Evidence("rule", (3, ~7), 0.9)
    >>> reason.source
    'x3 and not x7'
    >>> reason.named(terms=["corn", "gold", "oil", "wheat", "a", "b", "c", "surface"]).source
    'wheat and not surface'
    """

    kind: Literal["term", "document", "rule", "part"]
    index: int | tuple[int, ...]
    weight: float
    _: KW_ONLY
    detail: str = ""
    name: str = ""

    @property
    def source(self) -> str:
        """The name, or the index in words (`x17`, `document 3`, `x3 and not x7`) where it has none."""
        return self.name or self._text((), ())

    def named(self, *, terms: Sequence[str] = (), documents: Sequence[str] = ()) -> Evidence:
        """Return the evidence with terms named by `terms` and training documents by `documents`.

        A name that is already there stays; an index beyond the names is kept as a number.
        """
        known = documents if self.kind == "document" else terms
        if self.name or not len(known):
            return self
        return replace(self, name=self._text(terms, documents))

    def _text(self, terms: Sequence[str], documents: Sequence[str]) -> str:
        if isinstance(self.index, tuple):
            parts = (_entry(terms, c, "x") if c >= 0 else f"not {_entry(terms, ~c, 'x')}" for c in self.index)
            return " and ".join(parts) or "always"
        if self.kind == "term":
            return _entry(terms, self.index, "x")
        if self.kind == "document":
            return _entry(documents, self.index, "document ")
        return f"{self.kind} {self.index}"


def _entry(names: Sequence[str], index: int, prefix: str) -> str:
    return str(names[index]) if index < len(names) else f"{prefix}{index}"
