"""Rule text → tokens. Positions are offsets into the text; line and column are counted only for an error."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

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

__all__ = [
    "KEYWORDS",
    "MacroProblem",
    "Token",
    "bases",
    "check_base",
    "check_macros",
    "has_places",
    "parse_rules",
    "read_rules",
    "tokens",
    "unquoted",
    "uses",
]

KEYWORDS = frozenset({"always", "analyzer", "and", "if", "never", "none", "not", "or", "title"})
"""Words of the language; as a word of a document they are put in single quotes."""

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n\f\v]+|\#[^\n]*)
      | (?P<near>(?:near|before)/[0-9]+(?!\w))
      | (?P<bare>\w+(?:[.-]\w+)*)(?P<star>\*?)
      | (?P<exact>'(?:[^'\\\n]|\\.)*')(?P<exact_star>\*?)
      | (?P<phrase>"(?:[^"\\\n]|\\.)*")
      | @(?P<macro>\w+(?:[.-]\w+)*)
      | (?P<sign>>=|[()\[\];:=,])""",
    re.VERBOSE | re.IGNORECASE,
)
_KINDS = ("near", "bare", "exact", "phrase", "macro", "sign")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_PLAIN = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", '"': '"', "'": "'"}


class Token(NamedTuple):
    """`kind` is near, bare, prefix, exact, phrase, macro, sign, a keyword itself, or end."""

    kind: str
    text: str
    offset: int

    def __str__(self) -> str:
        """Return the token as an error names it."""
        return "the end" if self.kind == "end" else repr(self.text if len(self.text) <= 40 else self.text[:39] + "…")


def tokens(text: str, path: str | Path | None = None) -> Iterator[Token]:
    """Return the tokens of a rule file, the last one of kind end."""
    place, size, match = 0, len(text), _TOKEN.match
    while place < size:
        lexeme = match(text, place)
        if lexeme is None:
            raise _unreadable(text, place, path)
        group = lexeme.lastgroup or ""
        if group != "space":
            yield _token(lexeme, group)
        place = lexeme.end()
    yield Token("end", "", size)


def _token(match: re.Match[str], group: str) -> Token:
    if group in ("star", "exact_star"):
        group = "bare" if group == "star" else "exact"
        if match.group().endswith("*"):
            return Token("prefix", match.group(group), match.start())
    text = match.group(group)
    if group == "bare" and text.lower() in KEYWORDS:
        return Token(text.lower(), text, match.start())
    return Token(group, text, match.start())


def _unreadable(text: str, place: int, path: str | Path | None) -> InvalidRules:
    sign = text[place]
    if sign in "'\"":
        problem, remedy = f"a quote {sign} that does not end in its line", "close it on the same line"
    elif sign == "\0":
        problem, remedy = "a NUL byte; this is not a text file", "save the rules as UTF-8 text"
    elif sign == "@":
        problem, remedy = "expected the name of a macro behind '@'", "write it like @rates"
    elif sign in "&|!":
        problem, remedy = f"unknown operator {sign!r}", "write 'and', 'or' or 'not'"
    elif sign == "/" or sign in "<>~^+%{}":
        problem, remedy = f"unknown operator {sign!r}", "there are and, or, not, near/N, before/N, >= N and title(…)"
    else:
        problem, remedy = f"unexpected {sign!r}", "put words with such signs in single quotes"
    return InvalidRules(problem, text, place, path=path, remedy=remedy)


def unquoted(token: Token, text: str, path: str | Path | None) -> str:
    """Return the content of a quoted token; that of another is its text."""
    if token.text[:1] not in ("'", '"'):
        return token.text

    def plain(match: re.Match[str]) -> str:
        code = match.group(1)
        if len(code) == 5:
            return chr(int(code[1:], 16))
        if code not in _PLAIN:
            problem = f"unknown escape \\{code}"
            raise InvalidRules(
                problem, text, token.offset + 1 + match.start(), path=path, remedy="write \\\\ for a backslash"
            )
        return _PLAIN[code]

    return _ESCAPE.sub(plain, token.text[1:-1])


class MacroProblem(InvalidInput):
    """Something wrong with a macro; says which, so that a parser can say where."""

    def __init__(self, macro: str, problem: str, remedy: str) -> None:
        self.macro, self.problem, self.remedy = macro, problem, remedy
        super().__init__(f"{problem}; {remedy}")


def parts_of(condition: Condition) -> tuple[Condition, ...]:
    """Return the conditions that a condition is made of."""
    match condition:
        case All(conditions) | Either(conditions):
            return conditions
        case Not(part) | Title(part) | AtLeast(_, part):
            return (part,)
        case Near(first, second):
            return (first, second)
    return ()


def walk(condition: Condition) -> Iterator[Condition]:
    """Yield the condition and every condition in it."""
    pending = [condition]
    while pending:
        part = pending.pop()
        yield part
        pending.extend(parts_of(part))


def uses(condition: Condition) -> set[str]:
    """Return the macros that a condition names."""
    return {part.macro for part in walk(condition) if isinstance(part, Use)}


def check_macros(macros: Mapping[str, Condition]) -> list[str]:
    """Return the macros, each after those that it uses; raise MacroProblem for unknown and recursive ones."""
    needs = {name: uses(condition) for name, condition in macros.items()}
    for name, used in needs.items():
        if unknown := sorted(used - macros.keys()):
            raise MacroProblem(
                name, str(UnknownName("macro", unknown[0], macros)).rstrip("."), f"define @{unknown[0]} or take it out"
            )
    try:
        return list(TopologicalSorter(needs).static_order())
    except CycleError as error:
        circle = error.args[1][::-1]  # graphlib lists each behind what needs it
        shown = " → ".join(f"@{name}" for name in circle[:8]) + (" → …" if len(circle) > 8 else "")
        raise MacroProblem(circle[0], f"the macro @{circle[0]} uses itself ({shown})", "break the circle") from None


def has_places(condition: Condition, macros: Mapping[str, Condition]) -> bool:
    """Return whether the condition is words and phrases, or some of them joined by 'or'; macros are looked into."""
    seen: set[str] = set()
    pending = [condition]
    while pending:
        match pending.pop():
            case Word() | Prefix() | Phrase():
                continue
            case Either(conditions) if conditions:
                pending.extend(conditions)
            case Use(macro):
                if macro not in seen:
                    seen.add(macro)
                    pending.append(macros[macro])
            case _:
                return False
    return True


def check_base(base: RuleBase) -> list[str]:
    """Return the macros of a base in order of need; raise what a parser would raise."""
    macros = dict(base.macros)
    if len(macros) < len(base.macros):
        raise InvalidInput("two macros of a rule base have the same name; give one of them another")
    order = check_macros(macros)
    for condition in [*macros.values(), *(rule.condition for rule in base.rules)]:
        for part in walk(condition):
            if isinstance(part, Use) and part.macro not in macros:
                raise UnknownName("macro", part.macro, macros)
            if isinstance(part, (Near, AtLeast)) and not all(has_places(inner, macros) for inner in parts_of(part)):
                raise InvalidInput(f"{type(part).__name__} needs words, phrases, or an Either of them")
    return order


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
