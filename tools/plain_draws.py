"""Draw from hypothesis strategies by plain random numbers: no engine, no shrinking, no memory of earlier cases.

The strategies are those of the tests, so a case is one that hypothesis could have chosen. A draw costs a few
microseconds; the engine of hypothesis takes a millisecond per case. Cases that reproduce an edge (bounds of numbers,
empty lists) come by chance: every number has its bounds one time in sixteen.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from hypothesis.control import BuildContext
from hypothesis.errors import StopTest, UnsatisfiedAssumption
from hypothesis.extra.numpy import ArrayStrategy
from hypothesis.internal.conjecture.data import ConjectureData
from hypothesis.strategies import SearchStrategy
from hypothesis.strategies._internal.collections import ListStrategy, UniqueListStrategy
from hypothesis.strategies._internal.lazy import unwrap_strategies
from hypothesis.strategies._internal.strategies import SampledFromStrategy

__all__ = ["Cases", "Invalid"]

AT_BOUNDS = 1 / 16
Invalid = (StopTest, UnsatisfiedAssumption)


class PlainData(ConjectureData):
    """Answers what strategies ask for, from a generator, and records nothing."""

    def __init__(self, generator: random.Random) -> None:
        super().__init__(random=generator)
        self.generator = generator

    def draw(self, strategy: SearchStrategy[Any], label: int | None = None, observe_as: str | None = None) -> Any:
        """Draw from a strategy; lists, sets and arrays, which hypothesis draws item by item, by a quicker way."""
        unwrapped = unwrap_strategies(strategy)
        quick = QUICK.get(type(unwrapped))
        return unwrapped.do_draw(self) if quick is None else quick(self, unwrapped)

    def draw_integer(self, min_value: Any = None, max_value: Any = None, **options: Any) -> int:
        """Draw a whole number, each of the range alike, the bounds more often."""
        if options.get("forced") is not None:
            return int(options["forced"])
        if min_value is None or max_value is None:
            options = {"weights": options.get("weights"), "shrink_towards": options.get("shrink_towards", 0)}
            return self.provider.draw_integer(min_value, max_value, **options)
        if max_value - min_value > 16 and self.generator.random() < AT_BOUNDS:
            return self.generator.choice((min_value, max_value))
        return self.generator.randint(min_value, max_value)

    def draw_boolean(self, p: float = 0.5, *, forced: bool | None = None, observe: bool = True) -> bool:
        """Draw a truth value that is true with chance p."""
        return self.generator.random() < p if forced is None else forced

    def draw_float(self, min_value: Any = None, max_value: Any = None, **options: Any) -> float:
        """Draw a number as hypothesis does."""
        options = {name: value for name, value in options.items() if name not in ("forced", "observe")}
        return self.provider.draw_float(min_value=min_value, max_value=max_value, **options)

    def draw_string(self, intervals: Any, *, min_size: int = 0, max_size: int = 50, **_: Any) -> str:
        """Draw a text as hypothesis does."""
        return self.provider.draw_string(intervals, min_size=min_size, max_size=max_size)

    def start_span(self, label: int) -> None:
        """Count the depth, which strategies check."""
        self.depth += 1

    def stop_span(self, *, discard: bool = False) -> None:
        """Count the depth, which strategies check."""
        self.depth -= 1


def _size(data: PlainData, strategy: Any) -> int:
    """Draw the length of a list: its mean is that of hypothesis."""
    most = min(strategy.max_size, 2 * strategy.average_size - strategy.min_size)
    return data.generator.randint(strategy.min_size, int(most))


def _list(data: PlainData, strategy: Any) -> list[Any]:
    return [data.draw(strategy.element_strategy) for _ in range(_size(data, strategy))]


def _unique_list(data: PlainData, strategy: Any) -> list[Any]:
    """Draw items until enough differ; one that came before is left out, as by hypothesis."""
    if strategy.tuple_suffixes is not None:
        return strategy.do_draw(data)  # type: ignore[no-any-return]
    size, seen, items = _size(data, strategy), [set() for _ in strategy.keys], []
    for _ in range(4 * size):
        item = data.draw(strategy.element_strategy)
        keys = [key(item) for key in strategy.keys]
        if len(items) < size and not any(key in known for key, known in zip(keys, seen, strict=True)):
            items.append(item)
            for key, known in zip(keys, seen, strict=True):
                known.add(key)
    if len(items) < strategy.min_size:
        data.mark_invalid("too few different items")
    return items


def _array(data: PlainData, strategy: Any) -> Any:
    if strategy.unique:
        return strategy.do_draw(data)
    items = unwrap_strategies(strategy.element_strategy)
    plain = type(items) is SampledFromStrategy and not items._transformations
    size = strategy.array_size
    drawn = data.generator.choices(items.elements, k=size) if plain else [data.draw(items) for _ in range(size)]
    return np.array(drawn, strategy.dtype).reshape(strategy.shape)


QUICK = {ListStrategy: _list, UniqueListStrategy: _unique_list, ArrayStrategy: _array}


class Cases:
    """Draws the arguments of one property."""

    def __init__(self, strategies: dict[str, SearchStrategy[Any]], seed: int, test: Any) -> None:
        self.strategies, self.test, self.data = strategies, test, PlainData(random.Random(seed))
        for strategy in strategies.values():
            strategy.validate()

    def run(self, test: Any, **fixed: Any) -> dict[str, Any]:
        """Run the test on the next case; return what was drawn. An error gets what was drawn as a note."""
        drawn: dict[str, Any] = {}
        self.data.depth = -1
        with BuildContext(self.data, wrapped_test=self.test):
            try:
                for name, strategy in self.strategies.items():
                    drawn[name] = self.data.draw(strategy)
                test(**fixed, **drawn)
            except Invalid:
                raise
            except Exception as error:
                error.add_note(f"drawn: {drawn!r:.4000}")
                raise
        return drawn
