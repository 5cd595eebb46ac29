"""Find the line of a key in a TOML file: `tomllib` gives only values, but errors should point at lines."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from rubricate import registry
from rubricate.errors import InvalidFile, InvalidInput, RubricateError, UnknownName
from rubricate.experiments.plan import CorpusChoice, Learning, Plan, RepresentationChoice, SystemChoice
from rubricate.measures.definition import resolve as resolve_measure
from rubricate.significance.corrections import ADJUSTMENTS
from rubricate.significance.definition import parse_tests
from rubricate.thresholds import resolve as resolve_cut
from rubricate.training.config import parse_settings

__all__ = ["Place", "built_in_plans", "line_of", "lines", "parse_plan", "plan_path", "read_plan"]

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


TOP = {"title": str, "adjust": str, "undefined": str, "folds": int, "seed": int, "resamples": int}
LISTS = ("thresholds", "measures", "tests")
TABLES = ("corpora", "representations", "systems", "learning")
LEAST = {"folds": 2, "seed": 0, "resamples": 0}


def built_in_plans() -> list[str]:
    """Return the plans that come with the package, by name."""
    plans = files("rubricate.experiments").joinpath("plans").iterdir()
    return sorted(file.name.removesuffix(".toml") for file in plans if file.name.endswith(".toml"))


def plan_path(name: str | Path) -> Path:
    """Return the file of a plan: a path, or the name of one that comes with the package."""
    if str(name) in built_in_plans():
        return Path(str(files("rubricate.experiments").joinpath("plans", f"{name}.toml")))
    if not Path(name).is_file() and not Path(name).suffix:
        raise UnknownName("plan", str(name), built_in_plans())
    return Path(name)


def read_plan(path: str | Path) -> Plan:
    """Read a plan and check it: names, kinds of values, and that every combination makes a categorizer."""
    place = plan_path(path)
    try:
        text = place.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidFile(f"the plan cannot be read ({error.strerror})", path=place, remedy="check the path") from None
    except UnicodeDecodeError:
        raise InvalidFile("the plan is not UTF-8 text", path=place, remedy="save it as UTF-8") from None
    return parse_plan(text, place)


def parse_plan(text: str, path: Path) -> Plan:
    """Return the plan of a text, checked; errors name the path."""
    return _Reader(path, _parsed(text, path), lines(text)).plan()


def _parsed(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        position = re.search(r"\(at line (\d+)", str(error))
        problem = re.sub(r"\s*\(at .*\)", "", str(error))
        line = int(position[1]) if position else len(text.splitlines())
        raise InvalidFile(f"not valid TOML: {problem}", path=path, line=line, remedy="see toml.io") from None
    except (ValueError, RecursionError) as error:
        problem = "nested too deep" if isinstance(error, RecursionError) else str(error)
        raise InvalidFile(f"not valid TOML: {problem}", path=path, remedy="see docs/reference/limits.md") from None


@dataclass(frozen=True)
class _Reader:
    """A parsed plan and where its parts stand."""

    path: Path
    data: Mapping[str, Any]
    at: dict[Place, int] = field(default_factory=dict)

    def plan(self) -> Plan:
        self._known(self.data, (*TOP, *LISTS, *TABLES), (), kind="key of a plan")
        self._top()
        corpora = tuple(self._corpus(table, place) for table, place in self._tables("corpora", needed=True))
        systems = tuple(self._system(table, place) for table, place in self._tables("systems", needed=True))
        shapes = tuple(self._representation(*each) for each in self._tables("representations"))
        parts: dict[str, Any] = {name: self.data[name] for name in TOP if name in self.data}
        parts |= {name: tuple(self.data[name]) for name in ("measures", "tests") if name in self.data}
        parts |= {"representations": shapes} if shapes else {}
        with self._pointing(()):
            plan = Plan(
                corpora=corpora,
                systems=systems,
                thresholds=self._cuts(self.data, ()) or (None,),
                learning=self._learning(),
                **parts,
            )
        self._every_combination(plan)
        return plan

    def _top(self) -> None:
        for name, kind in TOP.items():
            if name in self.data:
                self._kind(self.data[name], kind, (name,))
        for name, least in LEAST.items():
            if self.data.get(name, least) < least:
                self._fail(f"{name} must be at least {least}, got {self.data[name]}", (name,), f"give {least} or more")
        for name, known in (("adjust", ADJUSTMENTS), ("undefined", ("zero", "one", "omit"))):
            if name in self.data and self.data[name] not in known:
                self._unknown(f"value of {name}", self.data[name], known, at=(name,))
        self._each("measures", resolve_measure)
        self._each("tests", lambda name: parse_tests([name]))

    def _each(self, name: str, check: Callable[[str], Any]) -> None:
        for value in self._strings(self.data, name, ()):
            with self._pointing((name,)):
                check(value)

    def _tables(self, name: str, *, needed: bool = False) -> Iterator[tuple[Mapping[str, Any], Place]]:
        tables = self.data.get(name, [])
        if not isinstance(tables, list) or not all(isinstance(each, dict) for each in tables):
            self._fail(f"{name} must be tables", (name,), f"write [[{name}]] above each of them")
        if needed and not tables:
            self._fail(f"a plan needs at least one of {name}", (), f"add a table [[{name}]] with a name")
        return ((table, (name, i)) for i, table in enumerate(tables))

    def _name(self, table: Mapping[str, Any], place: Place) -> str:
        if not isinstance(table.get("name"), str) or not table["name"].strip():
            self._fail("a name is missing", place, 'add name = "…" to this table')
        return str(table["name"])

    def _corpus(self, table: Mapping[str, Any], place: Place) -> CorpusChoice:
        name = self._name(table, place)
        names = registry.names("corpora")
        looks_like_path = "/" in name or "\\" in name or "." in name
        if name not in names and not looks_like_path:
            self._unknown("corpus", name, names, at=(*place, "name"))
        if name not in names and not _exists(self.path.parent / name):
            self._fail(f"there is no {name!r}", (*place, "name"), "give a path from the folder of the plan")
        for key in ("split", "otherwise"):
            if key in table:
                self._kind(table[key], str, (*place, key))
        if table.get("otherwise", names[0]) not in names:
            self._unknown("corpus", table["otherwise"], names, at=(*place, "otherwise"))
        options = {key: value for key, value in table.items() if key not in ("name", "split", "otherwise")}
        if name in names:
            self._corpus_options(table, options, place)
        folder = None if name in names else self.path.parent
        return CorpusChoice(name, table.get("split"), options, table.get("otherwise"), folder)

    def _corpus_options(self, table: Mapping[str, Any], options: Mapping[str, Any], place: Place) -> None:
        name = table["name"]
        source = registry.load("corpora", name)
        with self._pointing((*place, "split")):
            source.choose(table.get("split"))
        for key in options:
            if key not in source.options():
                self._unknown(f"option of {name}", key, (*source.options(), "split", "otherwise"), at=(*place, key))

    def _representation(self, table: Mapping[str, Any], place: Place) -> RepresentationChoice:
        return RepresentationChoice(self._name(table, place), self._flat(table, place, skip=("name",)))

    def _system(self, table: Mapping[str, Any], place: Place) -> SystemChoice:
        name = self._name(table, place)
        settings = self._flat(table, place, skip=("name", "representations", "thresholds"))
        if "classifier" in settings:
            self._kind(settings["classifier"], str, (*place, "classifier"))
            if settings["classifier"] not in registry.names("classifiers"):
                names = registry.names("classifiers")
                self._unknown("classifier", settings["classifier"], names, at=(*place, "classifier"))
        known = [self._name(each, where) for each, where in self._tables("representations")]
        chosen = self._strings(table, "representations", place)
        for each in chosen:
            if each not in known:
                self._unknown("representation of this plan", each, known, at=(*place, "representations"))
        return SystemChoice(name, settings, chosen, self._cuts(table, place))

    def _flat(self, table: Mapping[str, Any], place: Place, skip: Sequence[str]) -> dict[str, Any]:
        """Return settings; a table within stands for the parameters of a part: analyzer = {stem = "porter"}."""
        settings: dict[str, Any] = {}
        for key, value in table.items():
            if key in skip:
                continue
            parts = (
                {f"{key}__{inner}": each for inner, each in value.items()} if isinstance(value, dict) else {key: value}
            )
            settings |= parts
            for name in ("cut", "folds", "seed", "engine"):
                if name in parts:
                    self._fail(f"{name!r} does not belong here", (*place, key), f"use {_instead(name)}")
        return settings

    def _cuts(self, table: Mapping[str, Any], place: Place) -> tuple[str | float, ...]:
        cuts = self._list(table, "thresholds", place)
        for cut in cuts:
            with self._pointing((*place, "thresholds")):
                resolve_cut(cut)
        return tuple(cuts)

    def _learning(self) -> Learning:
        table = self.data.get("learning", {})
        if not isinstance(table, dict):
            self._fail("learning must be a table", ("learning",), "write [learning] above systems and shares")
        self._known(table, ("systems", "shares", "measure"), ("learning",), kind="key of [learning]")
        shares = self._list(table, "shares", ("learning",)) or Learning.shares
        for share in shares:
            if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 < share < 1:
                self._fail(
                    f"a share must be between 0 and 1, got {share!r}", ("learning", "shares"), "give 0.1, 0.5, …"
                )
        names = self._strings(table, "systems", ("learning",))
        known = [self._name(*each) for each in self._tables("systems")]
        for name in names:
            if name not in known:
                self._unknown("system of this plan", name, known, at=("learning", "systems"))
        measure = table.get("measure", Learning.measure)
        from rubricate.experiments.tuning import criterion_named as criterion

        with self._pointing(("learning", "measure")):
            criterion(measure)
        return Learning(names, tuple(float(share) for share in sorted(shares)), measure)

    def _every_combination(self, plan: Plan) -> None:
        """Make each categorizer once, so that a wrong parameter is found now and not after an hour."""
        systems = [each.name for each in plan.systems]
        shapes = [each.name for each in plan.representations]
        for choice in plan.trials():
            for name in choice.settings:
                place: Place = ("systems", systems.index(choice.system), name.partition("__")[0])
                if name not in plan.systems[systems.index(choice.system)].settings:
                    place = ("representations", shapes.index(choice.representation), name.partition("__")[0])
                with self._pointing(place):
                    parse_settings(
                        {
                            key: choice.settings[key]
                            for key in ("classifier", "analyzer", name)
                            if key in choice.settings
                        }
                    )

    def _strings(self, table: Mapping[str, Any], name: str, place: Place) -> tuple[str, ...]:
        values = self._list(table, name, place)
        for value in values:
            self._kind(value, str, (*place, name))
        return tuple(values)

    def _list(self, table: Mapping[str, Any], name: str, place: Place) -> list[Any]:
        values = table.get(name, [])
        if not isinstance(values, list):
            self._fail(f"{name} must be a list", (*place, name), f"write {name} = [{values!r}]")
        return values

    def _kind(self, value: Any, kind: type, place: Place) -> None:
        if not isinstance(value, kind) or isinstance(value, bool):
            said = {str: "a text in quotes", int: "a whole number"}[kind]
            self._fail(f"{place[-1]} must be {said}, got {value!r}", place, f"give {said}")

    def _known(self, table: Mapping[str, Any], known: Sequence[str], place: Place, *, kind: str) -> None:
        for key in table:
            if key not in known:
                self._unknown(kind, key, known, at=(*place, key))

    def _unknown(self, kind: str, name: Any, known: Any, *, at: Place) -> NoReturn:
        with self._pointing(at):
            raise UnknownName(kind, str(name), known)
        raise AssertionError  # unreachable: _pointing raises again

    def _fail(self, problem: str, place: Place, remedy: str) -> NoReturn:
        raise InvalidFile(problem, path=self.path, line=line_of(self.at, place), remedy=remedy)

    @contextmanager
    def _pointing(self, place: Place) -> Iterator[None]:
        """Add the file and the line of this place to errors within."""
        try:
            yield
        except InvalidFile:
            raise
        except (RubricateError, ValueError, TypeError) as error:
            problem = str(error).rstrip(".")
            remedy = None if isinstance(error, (UnknownName, InvalidInput)) else "correct the value"
            raise InvalidFile(problem, path=self.path, line=line_of(self.at, place), remedy=remedy) from None


def _instead(name: str) -> str:
    return {"cut": "thresholds = […]", "engine": "--engine"}.get(name, f"{name} = … at the top of the plan")


def _exists(path: Path) -> bool:
    """Return whether there is such a file; a name that no file can have (too long, a NUL) has none."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
