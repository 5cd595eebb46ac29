"""`RuleBase` → rule text, which `parse_rules` reads back as an equal base."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from rubricate.rules.form import (
    NAME,
    All,
    AtLeast,
    Condition,
    Either,
    Near,
    Not,
    Phrase,
    Prefix,
    Rule,
    RuleBase,
    Setting,
    Title,
    Use,
    Word,
)
from rubricate.rules.parser import KEYWORDS
from rubricate.storage import write_file

__all__ = ["format_condition", "format_rule", "format_rules", "write_rules"]

WIDTH = 100
"""Beyond so many characters each member of a rule's condition stands on a line of its own."""
OR, AND, UNARY, RELATION, PRIMARY = range(5)
ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\"}


def format_rules(base: RuleBase) -> str:
    """Return the base as text: settings, macros, then the rules, an empty line between categories.

    >>> from rubricate.rules.form import *
    >>> grown = Rule("wheat", All((Word("wheat"), Not(Word("surface")))), positives=57, negatives=3)
    >>> print(format_rules(RuleBase((grown,), analyzer=(("stem", "porter"), ("stop", None)))), end="")
    analyzer stem = porter, stop = none;
    <BLANKLINE>
    wheat if wheat and not surface [57 right, 3 wrong];
    """
    settings = ", ".join(f"{_string(option, keywords=False)} = {_value(value)}" for option, value in base.analyzer)
    blocks = [f"analyzer {settings};"] if settings else []
    blocks += ["\n".join(f"@{name} = {format_condition(condition)};" for name, condition in base.macros)]
    blocks += ["\n".join(map(format_rule, rules)) for _, rules in groupby(base.rules, lambda rule: rule.category)]
    return "".join(f"{block}\n\n" for block in blocks if block)[:-1]


def write_rules(base: RuleBase, path: str | Path) -> Path:
    """Write the base to a file of UTF-8 text, which appears whole or not at all."""
    return write_file(Path(path), format_rules(base).encode())


def format_rule(rule: Rule) -> str:
    """Return one rule as text, with its counts where it was learned."""
    name = f"{_string(rule.name)}: " if rule.name else ""
    counts = "" if rule.positives is None else f" [{rule.positives} right, {rule.negatives} wrong]"
    head = f"{name}{_string(rule.category)} if "
    whole = format_condition(rule.condition)
    if len(head) + len(whole) > WIDTH and isinstance(rule.condition, (All, Either)):
        whole = "\n    ".join(_lines(rule.condition))
    return f"{head}{whole}{counts};"


def format_condition(condition: Condition) -> str:
    """Return a condition as text, with no more brackets than it needs."""
    return _text(condition, OR)


def _lines(condition: All | Either) -> Iterator[str]:
    joint, level = ("and ", UNARY) if isinstance(condition, All) else ("or ", AND)
    for number, part in enumerate(condition.conditions):
        yield (joint if number else "") + _text(part, level)


def _text(condition: Condition, level: int) -> str:
    """Return the text of a condition; operators that bind less tightly than `level` get brackets."""
    text, own = _written(condition)
    return text if own >= level else f"({text})"


def _written(condition: Condition) -> tuple[str, int]:
    match condition:
        case Word(term):
            return _string(term), PRIMARY
        case Prefix(stem):
            return f"{_string(stem, keywords=False)}*", PRIMARY
        case Phrase(terms):
            return f'"{_escaped(" ".join(terms), chr(34))}"', PRIMARY
        case Use(macro):
            return f"@{macro}", PRIMARY
        case Title(part):
            return f"title({_text(part, OR)})", PRIMARY
        case AtLeast(count, part):
            return f"{_text(part, PRIMARY)} >= {count}", RELATION
        case Near(first, second, distance, ordered):
            joint = "before" if ordered else "near"
            return f"{_text(first, PRIMARY)} {joint}/{distance} {_text(second, PRIMARY)}", RELATION
        case Not(part):
            return f"not {_text(part, UNARY)}", UNARY
        case All(conditions):
            return " and ".join(_text(part, UNARY) for part in conditions) or "always", AND if conditions else PRIMARY
        case Either(conditions):
            return " or ".join(_text(part, AND) for part in conditions) or "never", OR if conditions else PRIMARY
    raise TypeError(f"no condition: {condition!r}")


def _string(text: str, *, keywords: bool = True) -> str:
    if NAME.fullmatch(text) and not (keywords and text.lower() in KEYWORDS):
        return text
    return f"'{_escaped(text, chr(39))}'"


def _escaped(text: str, quote: str) -> str:
    signs = ESCAPES | {quote: f"\\{quote}"}
    return "".join(signs.get(c) or (c if c.isprintable() else _code(c)) for c in text)


def _code(sign: str) -> str:
    """Return `\\uXXXX`; what lies beyond four digits stands for itself."""
    return f"\\u{ord(sign):04x}" if ord(sign) < 0x10000 else sign


def _value(value: Setting) -> str:
    if value is None:
        return "none"
    if isinstance(value, tuple):
        return f"({', '.join(map(_value, value))})"
    if isinstance(value, int):
        return str(int(value))
    return f"'{_escaped(value, chr(39))}'" if value.isascii() and value.isdigit() else _string(value)
