"""Rule text → `RuleBase`. docs/guides/rules.md describes the language.

    base         { statement }
    statement    "analyzer" option "=" value { "," option "=" value } ";"
               | @name "=" condition ";"
               | [ name ":" ] category "if" condition [ "[" N "right" "," N "wrong" "]" ] ";"
    condition    conjunction { "or" conjunction }
    conjunction  negation { "and" negation }
    negation     "not" negation | relation
    relation     primary [ ( near/N | before/N ) primary | ">=" N ]
    primary      word | stem* | 'exact term' | "a phrase" | @name | "title" "(" condition ")" | "(" condition ")"
               | "always" | "never"

Recursive descent with one token of look-ahead. Cost: linear in the text.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

from rubricate.errors import InvalidFile, InvalidInput, InvalidRules, UnknownName
from rubricate.rules.form import (
    DEEPEST,
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
    plain,
)
from rubricate.rules.lexer import KEYWORDS, Token, tokens, unquoted
from rubricate.rules.macros import MacroProblem, check_macros, has_places

__all__ = ["bases", "parse_rules", "read_rules"]

LARGEST = 9
"""Digits that a number may have."""
Made = TypeVar("Made")
SUFFIX = ".rules"
STRINGS = ("bare", "exact", "phrase")


def parse_rules(text: str, *, path: str | Path | None = None, categories: Collection[str] | None = None) -> RuleBase:
    """Parse the rules in a text; `path` names it in errors, `categories` are those that rules may be for.

    >>> base = parse_rules('crude if "crude oil" or oil near/5 barrel* and not title(vegetable);')
    >>> base.rules[0].category, len(base.rules[0].condition.conditions)
    ('crude', 2)
    """
    return _Parser(text, path, categories).base()


def read_rules(path: str | Path, *, categories: Collection[str] | None = None) -> RuleBase:
    """Read the rules in a file of UTF-8 text, or a base that comes with Rubricate by its name, such as "reuters10"."""
    place = Path(path)
    try:
        text = _bundled(str(path)) if str(path) in bases() and not place.exists() else place.read_text("utf-8-sig")
    except OSError as error:
        known = ", ".join(bases())
        problem = f"cannot read it ({error.strerror or error})"
        raise InvalidFile(
            problem, path=place, remedy=f"give a file of rules (docs/guides/rules.md) or one of: {known}"
        ) from error
    except UnicodeDecodeError as error:
        line = place.read_bytes()[: error.start].count(b"\n") + 1
        raise InvalidFile("not UTF-8", path=place, line=line, remedy="save the rules as UTF-8 text") from error
    return parse_rules(text, path=place, categories=categories)


def bases() -> list[str]:
    """Return the names of the rule bases that come with Rubricate.

    >>> bases()
    ['reuters10']
    """
    return sorted(entry.name.removesuffix(SUFFIX) for entry in _folder().iterdir() if entry.name.endswith(SUFFIX))


def _folder() -> Any:
    return resources.files("rubricate.rules").joinpath("bases")


def _bundled(name: str) -> str:
    return str(_folder().joinpath(f"{name}{SUFFIX}").read_text("utf-8"))


class _Parser:
    def __init__(self, text: str, path: str | Path | None, categories: Collection[str] | None) -> None:
        self.text, self.path = text, path
        self.categories = None if categories is None else frozenset(categories)
        self.stream = tokens(text, path)
        self.token = next(self.stream)
        self.depth = 0
        self.rules: list[Rule] = []
        self.macros: dict[str, Condition] = {}
        self.settings: dict[str, Setting] = {}
        self.places: dict[str, int] = {}
        self.uses: dict[str, int] = {}
        self.located: list[tuple[Condition, int]] = []

    def base(self) -> RuleBase:
        while self.token.kind != "end":
            if self.token.kind == "analyzer":
                self.analyzer()
            elif self.token.kind == "macro":
                self.macro()
            else:
                self.rule()
        self.check()
        return RuleBase(tuple(self.rules), tuple(self.macros.items()), tuple(self.settings.items()))

    def check(self) -> None:
        """Check what only the whole file shows: macros that are unknown, recursive, or without places where needed."""
        try:
            check_macros(self.macros)
            for name, offset in self.uses.items():
                if name not in self.macros:
                    raise self.wrong(str(UnknownName("macro", name, self.macros)).rstrip("."), offset)
        except MacroProblem as problem:
            where = self.places[problem.macro] if problem.macro in self.places else self.uses[problem.macro]
            raise self.wrong(problem.problem, where, problem.remedy) from None
        for condition, offset in self.located:
            if not has_places(condition, self.macros):
                raise self.wrong("near/N, before/N and >= N want words, phrases, or an 'or' of them", offset)

    def wrong(self, problem: str, offset: int | None = None, remedy: str | None = None) -> InvalidRules:
        place = self.token.offset if offset is None else offset
        return InvalidRules(problem, self.text, place, path=self.path, remedy=remedy)

    def take(self) -> Token:
        token, self.token = self.token, next(self.stream, self.token)
        return token

    def is_sign(self, sign: str) -> bool:
        return self.token.kind == "sign" and self.token.text == sign

    def expect(self, sign: str, where: str) -> Token:
        if not self.is_sign(sign):
            raise self.wrong(f"expected {sign!r} {where}, got {self.token}")
        return self.take()

    def end_of_statement(self, what: str) -> None:
        if self.is_sign(")") or self.is_sign("]"):
            raise self.wrong(f"a {self.token} that closes nothing", remedy="take it out, or open the bracket")
        if not self.is_sign(";"):
            problem = f"expected 'and', 'or' or ';' to end the {what}, got {self.token}"
            raise self.wrong(problem, remedy="join conditions by 'and' or 'or'; end each statement with ';'")
        self.take()

    def string(self, what: str) -> str:
        if self.token.kind not in STRINGS:
            raise self.wrong(f"expected {what}, got {self.token}", remedy="put odd names in single quotes")
        token = self.take()
        text = unquoted(token, self.text, self.path)
        if not text:
            raise self.wrong(f"expected {what}, got empty quotes", token.offset)
        return text

    def number(self, what: str) -> int:
        digits = self.token.text
        if self.token.kind != "bare" or not (digits.isascii() and digits.isdigit()) or len(digits) > LARGEST:
            raise self.wrong(f"expected {what}, got {self.token}")
        return int(self.take().text)

    def analyzer(self) -> None:
        self.take()
        while True:
            offset = self.token.offset
            option = self.take().text if self.token.kind in KEYWORDS else self.string("an option of the analyzer")
            if option in self.settings:
                raise self.wrong(f"the option {option!r} is set twice", offset)
            self.expect("=", f"behind {option!r}")
            self.settings[option] = self.value()
            if not self.is_sign(","):
                break
            self.take()
        self.expect(";", "to end the settings")

    def value(self) -> Setting:
        if self.is_sign("("):
            return self.values()
        if self.token.kind == "none":
            self.take()
            return None
        if self.token.kind == "bare" and self.token.text.isascii() and self.token.text.isdigit():
            return self.number(f"a number of at most {LARGEST} digits")
        return self.string("a value")

    def values(self) -> tuple[str, ...] | tuple[int, ...]:
        opening, values = self.take(), []
        while not self.is_sign(")"):
            if self.is_sign("("):
                raise self.wrong("a list within a list", remedy="give words or numbers, separated by commas")
            values.append(self.value())
            if not self.is_sign(")"):
                self.expect(",", "between values")
        self.take()
        words = tuple(value for value in values if isinstance(value, str))
        numbers = tuple(value for value in values if isinstance(value, int))
        if len(values) not in (len(words), len(numbers)):
            raise self.wrong("a list holds words only, or numbers only", opening.offset)
        return words or numbers

    def macro(self) -> None:
        token = self.take()
        if token.text in self.macros:
            raise self.wrong(f"the macro @{token.text} is defined twice", token.offset, "give one of them another name")
        self.expect("=", f"behind @{token.text}")
        self.places[token.text] = token.offset
        condition = self.condition()
        self.macros[token.text] = self.made(token, lambda: plain(condition))
        self.end_of_statement("macro")

    def rule(self) -> None:
        start, name = self.token, ""
        category = self.string("a category, '@name =' or 'analyzer'")
        if self.is_sign(":"):
            self.take()
            start, name, category = self.token, category, self.string("a category")
        if self.categories is not None and category not in self.categories:
            raise self.wrong(str(UnknownName("category", category, self.categories)).rstrip("."), start.offset)
        if self.token.kind != "if":
            raise self.wrong(f"expected 'if' behind the category {category!r}, got {self.token}")
        self.take()
        condition = self.condition()
        right, wrong = self.counts() if self.is_sign("[") else (None, None)
        self.end_of_statement("rule")
        self.rules.append(self.made(start, lambda: Rule(category, condition, right, wrong, name)))

    def counts(self) -> tuple[int, int]:
        self.take()
        right = self.number("the number of documents that the rule covers rightly")
        self.word("right")
        self.expect(",", "behind 'right'")
        wrong = self.number("the number of documents that it covers wrongly")
        self.word("wrong")
        self.expect("]", "behind the counts")
        return right, wrong

    def word(self, wanted: str) -> None:
        if self.token.text.lower() != wanted:
            raise self.wrong(f"expected {wanted!r}, got {self.token}", remedy="write it like [57 right, 3 wrong]")
        self.take()

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > DEEPEST + 1:  # the first is the whole condition
            raise self.wrong(f"conditions nest deeper than {DEEPEST} levels", remedy="name a part of them as a macro")

    def condition(self) -> Condition:
        self.deeper()
        parts = [self.conjunction()]
        while self.token.kind == "or":
            self.take()
            parts.append(self.conjunction())
        self.depth -= 1
        return parts[0] if len(parts) == 1 else Either(tuple(parts))

    def conjunction(self) -> Condition:
        parts = [self.negation()]
        while self.token.kind == "and":
            self.take()
            parts.append(self.negation())
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def negation(self) -> Condition:
        if self.token.kind != "not":
            return self.relation()
        self.take()
        self.deeper()
        condition = Not(self.negation())
        self.depth -= 1
        return condition

    def relation(self) -> Condition:
        start = self.token.offset
        first = self.primary()
        if self.token.kind == "near":
            token, offset = self.take(), self.token.offset
            name, _, digits = token.text.lower().partition("/")
            second = self.primary()
            self.located += [(first, start), (second, offset)]
            if self.token.kind == "near":
                raise self.wrong("near/N and before/N join two conditions, not three", remedy="join pairs by 'and'")
            return self.made(token, lambda: Near(first, second, _short(digits), ordered=name == "before"))
        if self.is_sign(">="):
            token = self.take()
            self.located.append((first, start))
            count = self.number("a whole number of occurrences")
            return self.made(token, lambda: AtLeast(count, first))
        return first

    def made(self, token: Token, make: Callable[[], Made]) -> Made:
        """Return what `make` gives; its error is placed at the token."""
        try:
            return make()
        except InvalidInput as error:
            raise self.wrong(str(error), token.offset) from None

    def primary(self) -> Condition:
        token = self.token
        if token.kind in ("bare", "exact"):
            return Word(self.string("a word"))
        if token.kind == "prefix":
            self.take()
            return self.made(token, lambda: Prefix(unquoted(token, self.text, self.path)))
        if token.kind == "phrase":
            return self.phrase()
        if token.kind == "macro":
            self.uses.setdefault(token.text, token.offset)
            return Use(self.take().text)
        if token.kind in ("always", "never"):
            self.take()
            return All(()) if token.kind == "always" else Either(())
        if token.kind == "title":
            self.take()
            if not self.is_sign("("):
                raise self.wrong(f"expected '(' after 'title', got {self.token}", remedy="write it like title(wheat)")
            return Title(self.bracketed())
        if self.is_sign("("):
            return self.bracketed()
        wanted = "a word, a phrase, a macro, 'title', 'not' or '('"
        raise self.wrong(f"expected a condition ({wanted}), got {token}", remedy="put words of the language in quotes")

    def bracketed(self) -> Condition:
        opening = self.take()
        condition = self.condition()
        if not self.is_sign(")"):
            problem = f"this '(' is not closed: expected ')', 'and' or 'or' before {self.token}"
            raise self.wrong(problem, opening.offset)
        self.take()
        return condition

    def phrase(self) -> Condition:
        """Parse quoted words: a phrase, or the one word or prefix that it holds."""
        token = self.take()
        terms = tuple(unquoted(token, self.text, self.path).split())
        if not terms:
            raise self.wrong("expected words between the quotes, got none", token.offset)
        if len(terms) > 1:
            return self.made(token, lambda: Phrase(terms))
        return self.made(token, lambda: Prefix(terms[0][:-1]) if terms[0].endswith("*") else Word(terms[0]))


def _short(digits: str) -> int:
    if len(digits) > LARGEST:
        raise InvalidInput(f"a distance of {len(digits)} digits; it has at most {LARGEST}")
    return int(digits)
