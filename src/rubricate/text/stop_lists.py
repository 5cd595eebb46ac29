"""Stop lists: words that are left out before stemming. A list is a text file of words, `#` starts a comment.

"smart" is the English one, in the manner of the SMART system; "english" is another name of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import resources
from pathlib import Path
from typing import Any

from rubricate.errors import InvalidFile, InvalidInput

__all__ = ["stop_lists", "stop_words"]


def _folder() -> Any:
    return resources.files("rubricate.text").joinpath("stop")


def stop_lists() -> list[str]:
    """Return the names of the lists that come with Rubricate.

    >>> stop_lists()[:4]
    ['dutch', 'finnish', 'french', 'german']
    """
    return sorted(entry.name.removesuffix(".txt") for entry in _folder().iterdir() if entry.name.endswith(".txt"))


def stop_words(stop: str | Path | Iterable[str] | None) -> frozenset[str]:
    """Return the words of a named list, a file or a collection, or none; folded by `str.lower`.

    A word that is not a single token (`can't` among letters) never occurs among the tokens and so stops nothing.

    >>> "the" in stop_words("smart"), sorted(stop_words(["The", "of"])), stop_words(None)
    (True, ['of', 'the'], frozenset())
    """
    if stop is None or (isinstance(stop, str) and stop == "none"):
        return frozenset()
    if isinstance(stop, (bool, int, float)):
        raise InvalidInput(f"stop must be a list, a file or a name such as 'smart' or 'none', got {stop!r}")
    stop = "smart" if isinstance(stop, str) and stop == "english" else stop
    if isinstance(stop, str) and stop in stop_lists():
        return _parse(_folder().joinpath(f"{stop}.txt").read_text("utf-8"))
    if isinstance(stop, (str, Path)):
        return _parse(_read(Path(stop)))
    words = list(stop)
    wrong = next((word for word in words if not isinstance(word, str)), None)
    if wrong is not None:
        raise InvalidInput(f"stop words must be strings, got {wrong!r} ({type(wrong).__name__})")
    return frozenset(word.lower() for word in words)


def _parse(text: str) -> frozenset[str]:
    return frozenset(word for line in text.splitlines() for word in line.partition("#")[0].lower().split())


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except OSError as error:
        names = ", ".join(repr(name) for name in stop_lists())
        problem = f"cannot read it as a stop list ({error.strerror or error})"
        raise InvalidFile(problem, path=path, remedy=f"name a file with one word a line, or {names}") from error
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise InvalidFile("not UTF-8", path=path, line=line, remedy="save the stop list as UTF-8") from error
