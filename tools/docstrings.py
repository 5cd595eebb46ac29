"""Make docstrings readable for griffe: prose and examples behind a table of parameters get headings of their own.

Our docstrings go on after their parameters, with prose and then examples; griffe would take every line there for a
parameter.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

ENTRY = re.compile(r"\*{0,2}\w+(, \*{0,2}\w+)*( : .*)?")
HEAD = re.compile(r"(Parameters|Attributes|Returns|Raises|Yields)\n-+\n")


def with_headings(text: str) -> str:
    """Return a docstring in which only entries follow the heading of a table.

    >>> with_headings("Parameters\\n----------\\nk\\n    A number.\\n\\nSlow: k².").splitlines()[3:]
    ['    A number.', '', 'Notes', '-----', 'Slow: k².']
    """
    out, inside, named = [], False, set[str]()
    lines = text.splitlines()
    for number, line in enumerate(lines):
        rule = number + 1 < len(lines) and re.fullmatch("-{3,}", lines[number + 1])
        if rule:
            inside, named = HEAD.match(f"{line}\n---\n") is not None, {line}
        elif line.startswith(">>>") and "Examples" not in named:
            out += ["Examples", "--------"]
            inside, named = False, named | {"Examples"}
        elif (
            inside and line and not line[0].isspace() and not re.fullmatch("-{3,}", line) and not ENTRY.fullmatch(line)
        ):
            out += ["Notes", "-----"]
            inside, named = False, named | {"Notes"}
        out.append(line)
    return "\n".join(out)


class Headings(griffe.Extension):
    """Rewrites every docstring before it is parsed."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = with_headings(obj.docstring.value)
