"""The words of rules, made as the words of documents are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol, TypeAlias

from rubricate.errors import InvalidInput
from rubricate.rules.form import All, AtLeast, Condition, Either, Near, Not, Phrase, Prefix, RuleBase, Title, Word
from rubricate.rules.macros import walk
from rubricate.types import Terms

__all__ = ["Analyzing", "analysed"]

Leaf: TypeAlias = Word | Prefix | Phrase


class Analyzing(Protocol):
    """What makes terms of texts, such as an `Analyzer`."""

    def terms(self, documents: Sequence[str]) -> Terms:
        """Return the terms of each text."""
        ...


def analysed(base: RuleBase, analyzer: Analyzing) -> RuleBase:
    """Return the base with the words of hand-written rules and macros as the analyzer makes them.

    A word that becomes several terms is a phrase (`third-quarter`); one of which nothing is left (a stop word) is
    refused. Prefixes are folded and not stemmed. Learned rules, which have counts, hold terms already.

    >>> from rubricate.text import Analyzer
    >>> from rubricate.rules.parser import parse_rules
    >>> base = parse_rules("crude if Third-quarter and EXPORT*; crude if OPEC [9 right, 1 wrong];")
    >>> [rule.condition for rule in analysed(base, Analyzer(stem=None, stop=None)).rules]
    [All(conditions=(Phrase(terms=('third', 'quarter')), Prefix(stem='export'))), Word(term='OPEC')]
    """
    written = [rule.condition for rule in base.rules if rule.positives is None]
    written += [condition for _, condition in base.macros]
    texts = list(dict.fromkeys(text for condition in written for text in _texts(condition)))
    analysis = analyzer.terms(texts)
    terms = {
        text: tuple(analysis.words[i] for i in analysis.ids[analysis.starts[t] : analysis.starts[t + 1]])
        for t, text in enumerate(texts)
    }

    def made(leaf: Leaf) -> Condition:
        return _made(leaf, terms)

    rules = [
        replace(rule, condition=_mapped(rule.condition, made)) if rule.positives is None else rule
        for rule in base.rules
    ]
    macros = tuple((name, _mapped(condition, made)) for name, condition in base.macros)
    return RuleBase(tuple(rules), macros, base.analyzer)


def _texts(condition: Condition) -> list[str]:
    """Return the words and starred parts that the condition names, without the stars."""
    texts: list[str] = []
    for part in walk(condition):
        if isinstance(part, Phrase):
            texts.extend(term.removesuffix("*") for term in part.terms)
        elif isinstance(part, (Word, Prefix)):
            texts.append(part.term if isinstance(part, Word) else part.stem)
    return texts


def _made(leaf: Leaf, terms: Mapping[str, tuple[str, ...]]) -> Condition:
    match leaf:
        case Prefix(stem):
            return Prefix(_beginning(stem, terms))
        case Word(term):
            made = terms[term]
        case Phrase(parts):
            made = ()
            for part in parts:
                stem = part.removesuffix("*")
                made += terms[part] if stem == part else (f"{_beginning(stem, terms)}*",)
    if not made:
        shown = leaf.term if isinstance(leaf, Word) else " ".join(leaf.terms)
        raise InvalidInput(
            f"the analyzer leaves nothing of {shown!r} (a stop word, too short, or no letters); take the word out of "
            "the rules, or set 'analyzer stop = none, min_length = 1;'"
        )
    if len(made) > 1:
        return Phrase(made)
    return Prefix(made[0][:-1]) if isinstance(leaf, Phrase) and made[0].endswith("*") else Word(made[0])


def _beginning(stem: str, terms: Mapping[str, tuple[str, ...]]) -> str:
    if len(terms[stem]) > 1:
        raise InvalidInput(f"the prefix {stem + '*'!r} is more than one word; write the words before it in a phrase")
    return stem.lower()


def _mapped(condition: Condition, replacement: Callable[[Leaf], Condition]) -> Condition:
    """Return the condition with every word, prefix and phrase replaced."""
    match condition:
        case Word() | Prefix() | Phrase():
            return replacement(condition)
        case All(conditions) | Either(conditions):
            return type(condition)(tuple(_mapped(part, replacement) for part in conditions))
        case Not(part) | Title(part) | AtLeast(_, part):
            return replace(condition, condition=_mapped(part, replacement))
        case Near(first, second):
            return replace(condition, first=_mapped(first, replacement), second=_mapped(second, replacement))
    return condition
