"""Macros: in which order they depend on each other, and which of them have places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter

from rubricate.errors import InvalidInput, UnknownName
from rubricate.rules.form import All, AtLeast, Condition, Either, Near, Not, Phrase, Prefix, RuleBase, Title, Use, Word

__all__ = ["MacroProblem", "check_base", "check_macros", "has_places", "uses"]


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
