"""Find the line of a key in a TOML file: `tomllib` gives only values, but errors should point at lines."""

from __future__ import annotations

import re
from collections import Counter
from typing import TypeAlias

__all__ = ["Place", "line_of", "lines"]

Place: TypeAlias = tuple[str | int, ...]
"""The way to a value: keys of tables and positions in arrays of tables."""

_HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(r"""\s*((?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+))*)\s*=""")
_STRING = re.compile(r'"(?:\\.|[^"\\])*"|\'[^\']*\'')


def lines(text: str) -> dict[Place, int]:
    """Return the line of every header and key outside inline tables; lines count from 1. The text is valid TOML.

    >>> numbers = lines("seed = 1\\n[[systems]]\\nname = 'a'\\n[[systems]]\\nname = 'b'\\n")
    >>> numbers[("seed",)], numbers[("systems", 1)], numbers[("systems", 1, "name")]
    (1, 4, 5)
    """
    numbers: dict[Place, int] = {}
    counts: Counter[Place] = Counter()
    table: Place = ()
    quote, depth = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if not quote and depth == 0:
            if header := _HEADER.match(line):
                table = _table(_keys(header[2]), header[1] == "[[", counts)
                numbers.setdefault(table[:-1] if isinstance(table[-1], int) else table, number)
                numbers[table] = number
                continue
            if key := _KEY.match(line):
                numbers[table + _keys(key[1])] = number
        quote, depth = _after(line, quote, depth)
    return numbers


def line_of(numbers: dict[Place, int], place: Place) -> int | None:
    """Return the line of a place, or of the nearest thing around it that has one."""
    while place and place not in numbers:
        place = place[:-1]
    return numbers.get(place)


def _keys(text: str) -> Place:
    return tuple(part.strip().strip("\"'") for part in re.findall(r"\"[^\"]*\"|'[^']*'|[^.\s]+", text))


def _table(keys: Place, is_array: bool, counts: Counter[Place]) -> Place:
    """Return the place of a header: in arrays of tables, the last element so far."""
    place: Place = ()
    for depth, key in enumerate(keys):
        place += (key,)
        if is_array and depth == len(keys) - 1:
            counts[place] += 1
        if counts[place]:
            place += (counts[place] - 1,)
    return place


def _after(line: str, quote: str, depth: int) -> tuple[str, int]:
    """Return the quote that the next line is inside of, and how deep in brackets it is."""
    while line:
        if quote:
            end = line.find(quote)
            if end < 0:
                return quote, depth
            line, quote = line[end + 3 :], ""
            continue
        if line[:3] in ('"""', "'''"):
            quote, line = line[:3], line[3:]
        elif whole := _STRING.match(line):
            line = line[whole.end() :]
        elif line[0] == "#":
            break
        else:
            depth += (line[0] in "[{") - (line[0] in "]}")
            line = line[1:]
    return quote, max(depth, 0)
