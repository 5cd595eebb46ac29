"""From a statistic and its p-value to a `Significance`: the marks of YL99 and which system is better."""

from __future__ import annotations

import math
from typing import Literal

from rubricate.types import Significance

__all__ = ["mark", "no_evidence", "sign", "verdict"]


def sign(value: float) -> Literal[-1, 0, 1]:
    """Return −1, 0 or 1; NaN counts as 0.

    >>> sign(-0.2), sign(0.0), sign(float("nan"))
    (-1, 0, 0)
    """
    return 1 if value > 0 else -1 if value < 0 else 0


def mark(direction: int, p_value: float) -> str:
    """Return `>>` or `<<` for P <= .01, `>` or `<` for .01 < P <= .05, else `~`. yangliu1999, table 2.

    >>> mark(1, 0.01), mark(-1, 0.05), mark(1, 0.051), mark(0, 0.001)
    ('>>', '<', '~', '~')
    """
    strength = 2 if p_value <= 0.01 else 1 if p_value <= 0.05 else 0
    return (">" if direction > 0 else "<") * strength if direction and strength else "~"


def verdict(
    test: str,
    *,
    statistic: float,
    p_value: float,
    n: int,
    direction: Literal[-1, 0, 1],
    method: str,
    measure: str = "",
    sides: Literal[1, 2] = 1,
    effect: float = math.nan,
    effect_name: str = "",
    greater_is_better: bool = True,
    note: str = "",
    interval: tuple[float, float] | None = None,
) -> Significance:
    """State the outcome with its mark; `better` follows the mark, reversed where less is better, None for `~`."""
    symbol = mark(direction, p_value)
    favoured = 0 if symbol == "~" else direction if greater_is_better else -direction
    return Significance(
        test=test,
        statistic=float(statistic),
        p_value=float(p_value),
        n=int(n),
        symbol=symbol,
        better=None if favoured == 0 else "a" if favoured > 0 else "b",
        method=method,
        measure=measure,
        sides=sides,
        effect=float(effect),
        effect_name=effect_name,
        note=note,
        direction=direction,
        interval=interval,
    )


def no_evidence(
    test: str,
    *,
    n: int,
    note: str,
    measure: str = "",
    sides: Literal[1, 2] = 1,
    direction: Literal[-1, 0, 1] = 0,
    effect: float = 0.0,
    effect_name: str = "",
) -> Significance:
    """State that a test has nothing to go on: statistic 0, p = 1, and a note that says why."""
    return verdict(
        test,
        statistic=0.0,
        p_value=1.0,
        n=n,
        direction=direction,
        method="none",
        measure=measure,
        sides=sides,
        effect=effect,
        effect_name=effect_name,
        note=f"no evidence: {note}",
    )
