"""What is wrong with a rule file, and where."""

from __future__ import annotations

from pathlib import Path

from rubricate.errors import InvalidFile

__all__ = ["InvalidRules"]

SHOWN = 100
"""Characters of the line that are shown."""


class InvalidRules(InvalidFile):
    """A rule file that cannot be read: file, line, column, what was expected and what came, the line with a caret.

    >>> raise InvalidRules("expected a condition, got ')'", "earn if )", 8, path="news.rules")
    Traceback (most recent call last):
    rubricate.rules._problem.InvalidRules: news.rules, line 1: column 9: expected a condition, got ')'.
      earn if )
              ^
    """

    def __init__(
        self, problem: str, text: str, offset: int, *, path: str | Path | None = None, remedy: str | None = None
    ) -> None:
        start = text.rfind("\n", 0, offset) + 1
        self.column = offset - start + 1
        line = text.count("\n", 0, offset) + 1
        super().__init__(f"column {self.column}: {problem}", path=path or "rules", line=line, remedy=remedy)
        self._excerpt = _excerpt(text, start, offset)

    def __str__(self) -> str:
        """The sentence, and below it the line with a caret."""
        return f"{self.args[0]}\n{self._excerpt}"


def _excerpt(text: str, start: int, offset: int) -> str:
    """The line about the offset; of a long one the part about it."""
    end = text.find("\n", offset)
    begin = max(start, offset - SHOWN // 2)
    shown = text[begin : min(end if end >= 0 else len(text), begin + SHOWN)]
    visible = "".join(sign if sign.isprintable() else " " for sign in shown)
    return f"  {visible}\n  {' ' * (offset - begin)}^"
