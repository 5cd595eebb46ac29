"""What was chosen among representations, in lines for a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["choice_lines", "cut_lines", "language_lines", "rare_lines"]

RARE = 5
"""A category of fewer documents has too few for five folds: neither its figures nor its decisions can be relied on."""
SHOWN = 5


def choice_lines(screening: Mapping[str, Any] | None) -> list[str]:
    """Say which representation was chosen, and what the others got.

    >>> tried = [{"name": "terms", "micro_f1": 0.7, "macro_f1": 0.6, "left_out": ""}]
    >>> choice_lines({"chosen": "terms", "documents": 90, "tried": tried})
    ['representation: terms, chosen on 90 documents (micro / macro-F1): terms .700 / .600']
    """
    if not screening or not screening["tried"]:
        return []
    figures = [
        f"{each['name']} {_short(each['micro_f1'])} / {_short(each['macro_f1'])}"
        for each in screening["tried"]
        if each["micro_f1"] is not None
    ]
    head = f"representation: {screening['chosen']}, chosen on {screening['documents']:,} documents (micro / macro-F1): "
    left_out = [f"not tried: {each['name']} ({each['left_out']})" for each in screening["tried"] if each["left_out"]]
    return [head + "; ".join(figures), *left_out]


def language_lines(language: Mapping[str, Any] | None) -> list[str]:
    """Say in which language documents were read; English that is sure, the common case, needs no line.

    >>> language_lines({"language": "de", "sure": True, "said": "German"})
    ['language: German']
    >>> language_lines({"language": "en", "sure": True, "said": "English"})
    []
    """
    if language is None or (language["language"] == "en" and language["sure"]):
        return []
    return [f"language: {language['said']}"]


def cut_lines(cut: str) -> list[str]:
    """Say what a cut does with documents that have exactly one label each.

    >>> cut_lines("Rcut()")
    ['every document has one label: the best category is assigned (--cut changes that)']
    >>> cut_lines("MicroMacro(share=0.25)")
    ['every document has one label, but MicroMacro may assign none or several; without it the best one is assigned']
    """
    name = cut.partition("(")[0]
    if name == "Refuse":
        return []
    if cut == "Rcut()":
        return ["every document has one label: the best category is assigned (--cut changes that)"]
    return [f"every document has one label, but {name} may assign none or several; without it the best one is assigned"]


def rare_lines(counts: Mapping[str, int]) -> list[str]:
    """Name the categories with so few documents that nothing can be expected of them.

    >>> rare_lines({"grain": 50, "tin": 1, "zinc": 3})
    ['2 categories have fewer than 5 documents and can hardly be learned: tin (1), zinc (3)']
    """
    rare = sorted((number, name) for name, number in counts.items() if number < RARE)
    if not rare:
        return []
    names = ", ".join(f"{name} ({number})" for number, name in rare[:SHOWN]) + (", …" if len(rare) > SHOWN else "")
    some = "1 category has" if len(rare) == 1 else f"{len(rare):,} categories have"
    return [f"{some} fewer than {RARE} documents and can hardly be learned: {names}"]


def _short(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")
