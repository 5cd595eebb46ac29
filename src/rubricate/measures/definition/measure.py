"""What a measure is: a function that carries its kind, its symbol and which way is better.

| kind          | called with                                              | returns one value per …        |
|---------------|----------------------------------------------------------|--------------------------------|
| `counts`      | `Counts`, one entry per category, sum or cut             | entry                          |
| `documents`   | `Counts`, one entry per document                         | document                       |
| `cuts`        | `Counts`, one entry per cut of one ranking               | family of cuts (one value)     |
| `ranking`     | `Ranks`: where the true labels stand                     | ranking (document or category) |
| `probability` | scores that are probabilities, and the truth             | category                       |
| `scores`      | scores of any scale, and the truth                       | category                       |
| `extended`    | `Extended`: counts with contributions, like `counts`     | entry                          |
| `ancestors`   | `Counts` per document, over labels with their ancestors  | document                       |
| `lca`         | `Counts` per document, over paths to common ancestors    | document                       |

Values come per item; `measures.micro`, `measures.macro` and `measures.mean` average them. An item for which the
measure is 0/0 has the value of the convention `undefined=` (NaN for `"omit"`); NaN is also the value of a ranking
without a true label, of which nothing can be said.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Literal, ParamSpec, Protocol, TypeAlias, cast

from rubricate.types import Floats

__all__ = ["Kind", "Measure", "bind", "measure"]

Kind: TypeAlias = Literal[
    "counts", "documents", "cuts", "ranking", "probability", "scores", "extended", "ancestors", "lca"
]
P = ParamSpec("P")


class Measure(Protocol[P]):
    """A function with four attributes; `parameter` names the option that stands behind a colon, as in `f_beta:2`."""

    kind: Kind
    symbol: str
    greater_is_better: bool
    parameter: str

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Floats:
        """Return the values, one per item."""
        ...


def measure(
    kind: Kind, symbol: str, *, greater_is_better: bool = True, parameter: str = ""
) -> Callable[[Callable[P, Floats]], Measure[P]]:
    """Mark a function as a measure.

    >>> @measure("counts", "TP")
    ... def hits(counts, *, undefined="zero"):
    ...     return counts.tp.astype(float)
    >>> hits.kind, hits.symbol, hits.greater_is_better
    ('counts', 'TP', True)
    """

    def mark(function: Callable[P, Floats]) -> Measure[P]:
        marked = cast(Any, function)
        marked.kind, marked.symbol, marked.greater_is_better = kind, symbol, greater_is_better
        marked.parameter = parameter
        return cast(Measure[P], function)

    return mark


def bind(function: Measure[...], symbol: str, **options: Any) -> Measure[...]:
    """Fix some options of a measure; the result is a measure again."""
    fixed = functools.wraps(cast(Any, function))(functools.partial(cast(Any, function), **options))
    return measure(function.kind, symbol, greater_is_better=function.greater_is_better)(fixed)
