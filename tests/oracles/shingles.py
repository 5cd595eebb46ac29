"""Near duplicates the slow way: every pair of texts, sets of word runs, the definition of Jaccard similarity."""

from __future__ import annotations

import re
from itertools import combinations


def shingles(text: str, width: int) -> frozenset[tuple[str, ...]]:
    words = re.findall(r"\w+", text.lower())
    if not words:
        return frozenset()
    if len(words) < width:
        return frozenset({tuple(words)})
    return frozenset(tuple(words[i : i + width]) for i in range(len(words) - width + 1))


def similar_pairs(texts: list[str], threshold: float, width: int) -> dict[tuple[int, int], float]:
    sets = [shingles(text, width) for text in texts]
    found = {}
    for i, j in combinations(range(len(texts)), 2):
        union = len(sets[i] | sets[j])
        if union and len(sets[i] & sets[j]) / union >= threshold - 1e-12:
            found[i, j] = len(sets[i] & sets[j]) / union
    return found
