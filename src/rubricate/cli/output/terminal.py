"""Text from files shown on a terminal: control characters are written out, so that no file can steer the screen."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

__all__ = ["behind_guard", "guarded_terminal", "visible"]

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
