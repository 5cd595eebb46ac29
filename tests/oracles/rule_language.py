"""Rules the slow and obvious way: one document and one condition at a time, by the words of docs/guides/rules.md."""

from __future__ import annotations

from rubricate.rules.form import All, AtLeast, Either, Near, Not, Phrase, Prefix, Title, Use, Word


def holds(condition, title, body, macros):
    """Whether a condition holds of a document, given as two lists of words."""
    match condition:
        case Use(name):
            return holds(macros[name], title, body, macros)
        case Title(part):
            return holds(part, title, [], macros)
        case Not(part):
            return not holds(part, title, body, macros)
        case All(parts):
            return all(holds(part, title, body, macros) for part in parts)
        case Either(parts):
            return any(holds(part, title, body, macros) for part in parts)
        case AtLeast(count, part):
            return sum(len(places(part, text, macros)) for text in (title, body)) >= count
        case Near(first, second, distance, ordered):
            return any(_near(first, second, distance, ordered, text, macros) for text in (title, body))
    return any(places(condition, text, macros) for text in (title, body))


def places(condition, text, macros):
    """The set of (first, last) word numbers at which a condition with places holds in one text."""
    match condition:
        case Use(name):
            return places(macros[name], text, macros)
        case Either(parts):
            return set().union(*(places(part, text, macros) for part in parts))
        case Word(term):
            return {(i, i) for i, word in enumerate(text) if word == term}
        case Prefix(stem):
            return {(i, i) for i, word in enumerate(text) if word.startswith(stem)}
        case Phrase(terms):
            last = len(terms) - 1
            spans = ((i, i + last) for i in range(len(text) - last))
            return {(i, j) for i, j in spans if all(map(_is, terms, text[i : j + 1]))}
    raise AssertionError(condition)


def _is(wanted, word):
    return word.startswith(wanted[:-1]) if wanted.endswith("*") else word == wanted


def _near(first, second, distance, ordered, text, macros):
    for a in places(first, text, macros):
        for b in places(second, text, macros):
            if 1 <= b[0] - a[1] <= distance or (not ordered and 1 <= a[0] - b[1] <= distance):
                return True
    return False
