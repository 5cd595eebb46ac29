"""Text from files shown on a terminal: control characters are written out, so that no file can steer the screen."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TextIO

import typer

from rubricate.errors import InvalidInput, UnknownName

if TYPE_CHECKING:
    from rubricate.reports.tables import Table
    from rubricate.types import Progress

__all__ = [
    "WELCOME",
    "behind_guard",
    "check_ending",
    "guarded_terminal",
    "inner_ending",
    "names_other_format",
    "print_tables",
    "progress",
    "visible",
    "visible_encoding",
    "visible_engine",
]

KEPT = {"\n", "\t"}
DIRECTIONS = {*map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A)), "\u2028", "\u2029"}
"""Signs that reverse or break what follows them: a name can pretend to be another one."""


def visible(text: str) -> str:
    r"""Return the text with control characters and signs of direction written as escapes; line ends and tabs stay.

    >>> visible("\x1b[2Jgrain\n"), visible("wheat\x07")
    ('\\x1b[2Jgrain\n', 'wheat\\x07')
    """
    if text.isprintable():
        return text
    return "".join(_escaped(sign) if _is_control(sign) else sign for sign in text)


def _is_control(sign: str) -> bool:
    return sign not in KEPT and (sign < " " or "\x7f" <= sign < "\xa0" or sign in DIRECTIONS)


def _escaped(sign: str) -> str:
    return f"\\x{ord(sign):02x}" if ord(sign) < 0x100 else f"\\u{ord(sign):04x}"


class GuardedStream:
    """A terminal as a text stream; only Rich, which draws progress and help, may send it control characters."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    @property
    def rich_proxied_file(self) -> TextIO:
        """The terminal itself, which Rich asks for by this name."""
        return self._stream

    def write(self, text: str) -> int:
        """Write the text, made visible."""
        return self._stream.write(visible(text))

    def writelines(self, lines: Any) -> None:
        """Write each line."""
        for line in lines:
            self.write(line)


def behind_guard(stream: TextIO) -> TextIO:
    """Return the terminal itself, for a bar that Rich draws: it puts a proxy of its own before standard error."""
    return stream.rich_proxied_file if isinstance(stream, GuardedStream) else stream


@contextmanager
def guarded_terminal() -> Iterator[None]:
    """Guard standard output and error where they are terminals; files and pipes get every byte as it is."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (GuardedStream(each) if each.isatty() else each for each in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def print_tables(tables: Mapping[str, Table], form: str, *, only: str | None = None) -> None:
    """Print the tables, or the one named `only`. CSV has one table per stream: the first, and a word on the others."""
    from rubricate.reports.tables import render

    if only is not None:
        if only not in tables:
            raise UnknownName("table here", only, tables)
        tables = {only: tables[only]}
    elif form == "csv" and len(tables) > 1:
        first, *others = tables
        print(f"rubricate: this is the table {first}; --table gives {', '.join(others)}", file=sys.stderr)
        tables = {first: tables[first]}
    typer.echo("\n\n".join(render(table, form) for table in tables.values()))


@contextmanager
def progress(text: str | None = None, total: int | None = None, *, in_bytes: bool = False) -> Iterator[Progress]:
    """Give long work a `Progress`. Without a text, the bar appears when the work names itself."""
    if not sys.stderr.isatty():
        yield _silent
        return
    bar = _Bar(in_bytes=in_bytes)
    try:
        if text is not None:
            bar(total=total, text=text)
        yield bar
    finally:
        bar.close()


def _silent(steps: int = 0, *, total: int | None = None, text: str | None = None) -> None:
    """Show nothing."""


class _Bar:
    """One bar at a time, for the work named last; it goes when the work is done, that of a download stays."""

    def __init__(self, *, in_bytes: bool) -> None:
        self._in_bytes, self._lock = in_bytes, Lock()
        self._shown: Any = None

    def __call__(self, steps: int = 0, *, total: int | None = None, text: str | None = None) -> None:
        with self._lock:
            if text is not None:
                self.close()
                self._shown = self._opened(text, total)
            if self._shown is not None:
                self._shown.advance(self._shown.task_ids[0], steps)
                if self._shown.finished:
                    self.close()

    def close(self) -> None:
        """Take the bar away."""
        if self._shown is not None:
            self._shown.stop()
            self._shown = None

    def _opened(self, text: str, total: int | None) -> Any:
        from rich import progress as rich
        from rich.console import Console

        count = [rich.DownloadColumn(), rich.TransferSpeedColumn()] if self._in_bytes else [rich.MofNCompleteColumn()]
        time = rich.TimeElapsedColumn() if total is None else rich.TimeRemainingColumn()
        columns = (rich.TextColumn("{task.description}"), rich.BarColumn(), *count, time)
        bar = rich.Progress(*columns, console=Console(file=behind_guard(sys.stderr)), transient=not self._in_bytes)
        bar.add_task(text, total=total)
        bar.start()
        return bar


@contextmanager
def visible_encoding() -> Iterator[None]:
    """Show how many texts an encoder has encoded, while the block runs."""
    if not sys.stderr.isatty():
        yield
        return
    from rubricate.text.encoder import watched

    with progress() as show, watched(show):
        yield


def visible_engine(name: str, what: str) -> Callable[[Callable[[Any], Any], Iterable[Any]], list[Any]]:
    """Return an engine that works like the one of this name and shows how many of its tasks are done.

    Its `labelled` returns the same engine with another label, for a step of the work.
    """
    from rubricate.engines import run_counted

    def run(function: Callable[[Any], Any], tasks: Iterable[Any]) -> list[Any]:
        with progress() as show:
            return run_counted(function, tasks, engine=name, progress=show, text=what)

    run.labelled = lambda label: visible_engine(name, label)  # type: ignore[attr-defined]
    return run


TABLES = {".csv", ".tsv", ".tab", ".xlsx", ".xlsm", ".xls", ".ods", ".parquet", ".pq", ".feather", ".arrow", ".sqlite"}
OBJECTS = {
    ".json",
    ".jsonl",
    ".ndjson",
    ".xml",
    ".yaml",
    ".yml",
    ".npy",
    ".npz",
    ".pkl",
    ".joblib",
    ".rubric",
    ".fasttext",
}
PAGES = {".pdf", ".svg", ".png", ".jpg", ".html", ".htm", ".md", ".tex", ".doc", ".docx", ".odt", ".rtf"}
PACKED = {".zip", ".tar", ".tgz", ".7z", ".bz2", ".xz", ".zst"}
FORMAT_ENDINGS = frozenset(TABLES | OBJECTS | PAGES | PACKED)
"""Endings that everybody takes for a format; others, such as that of `tmp.Xa3b`, promise nothing."""


def inner_ending(path: Path) -> str:
    """Return the ending in lower case, without a last `.gz`.

    >>> inner_ending(Path("run.CSV.gz")), inner_ending(Path("run"))
    ('.csv', '')
    """
    return Path(path.stem if path.suffix.lower() == ".gz" else path.name).suffix.lower()


def names_other_format(path: Path, endings: Collection[str]) -> bool:
    """Return whether the name promises a format that is none of these."""
    return inner_ending(path) in FORMAT_ENDINGS.difference(endings)


def check_ending(option: str, path: Path | None, endings: Collection[str], *, optional: bool = False) -> None:
    """Refuse a name without one of these endings; if `optional`, only one that promises another format."""
    if path is None or path.suffix.lower() in endings or (optional and not names_other_format(path, endings)):
        return
    *most, last = endings
    listed = f"{', '.join(most)} or {last}" if most else last
    raise InvalidInput(f"{option} {path}: that format is not supported. Fix: give a name that ends in {listed}")


WELCOME = """\
Rubricate puts documents under headings, and says how well.

  rubricate train news.csv -o news.rubric    learn from labelled documents
  rubricate classify news.rubric new.csv     label new ones (--say "one text")
  rubricate evaluate truth.csv theirs.csv    measure anyone's predictions
  rubricate compare truth.csv a.csv b.csv    is one really better?
  rubricate study --report report            a whole study, with a page to read

A table of documents has columns 'text' and 'labels' (';' between several).

  rubricate examples      worked examples to paste
  rubricate COMMAND -h    every option of a command
  rubricate --help        all commands
  rubricate doctor        versions, corpora, caches, extras
"""
