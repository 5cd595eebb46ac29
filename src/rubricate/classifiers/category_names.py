"""What categories are called: names, synonyms or descriptions, from a mapping, a list or a file, and their words.

A file has one category per line, `category<TAB>text`; several lines of a category add up, lines that are empty or begin
with `#` are passed over. A file that ends in `.json` holds one object, category → text or list of texts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.errors import InvalidFile, InvalidInput, UnknownName
from rubricate.native.sparse import largest
from rubricate.types import Floats, Sparse, Terms

__all__ = ["check_scheme", "count_words", "idf", "name_texts", "read_names", "term_frequency"]

TOKEN = re.compile(r"[^\W_]+")


def name_texts(names: Any, categories: Sequence[str]) -> list[str]:
    """Return one text per category: what `names` says, or its own name where a mapping leaves it out.

    >>> name_texts({"acq": ["mergers", "acquisitions"]}, ["acq", "money-fx"])
    ['mergers acquisitions', 'money-fx']
    """
    if names is None:
        return list(categories)
    if isinstance(names, (str, Path)):
        names = read_names(names)
    if isinstance(names, Mapping):
        strange = [str(name) for name in names if name not in categories]
        if strange:
            raise UnknownName("category", strange[0], categories)
        return [_text(names.get(name, name), name) for name in categories]
    if not isinstance(names, Sequence):
        raise InvalidInput(f"the names of categories must be a mapping, a list, a file or counts, got {names!r}")
    if len(names) != len(categories):
        raise InvalidInput(f"{len(names)} names for {len(categories)} categories; give one each, or a mapping")
    return [_text(text, name) for text, name in zip(names, categories, strict=True)]


def _text(value: Any, category: str) -> str:
    parts = [value] if isinstance(value, str) else value
    if not isinstance(parts, Sequence) or not all(isinstance(part, str) for part in parts):
        raise InvalidInput(f"the name of category {category!r} must be a text or a list of texts, got {value!r}")
    return " ".join(parts)


def read_names(path: str | Path) -> dict[str, list[str]]:
    """Read a file of the form above: category → texts."""
    path = Path(path)
    try:
        content = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InvalidFile(f"cannot be read ({error.strerror})", path=path, remedy="give a file of names") from None
    except UnicodeDecodeError as error:
        raise InvalidFile(f"byte {error.start} is not UTF-8", path=path, remedy="save it as UTF-8") from None
    texts: dict[str, list[str]] = {}
    for category, text in _json(content, path) if path.suffix == ".json" else _lines(content, path):
        texts.setdefault(category, []).append(text)
    if not texts:
        raise InvalidFile("no category in it", path=path, remedy="write lines: category, a tab, its text")
    return texts


def _lines(content: str, path: Path) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(content.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        category, tab, text = line.partition("\t")
        if not tab or not category.strip():
            raise InvalidFile(
                f"expected a category, a tab and its text, got {line[:60]!r}",
                path=path,
                line=number,
                remedy="put a tab after the category",
            )
        yield category.strip(), text.strip()


def _json(content: str, path: Path) -> Iterator[tuple[str, str]]:
    try:
        table = json.loads(content)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        raise InvalidFile(f"not JSON ({error})", path=path, line=line, remedy="correct the JSON") from None
    if not isinstance(table, dict):
        raise InvalidFile(f"expected an object, got a {type(table).__name__}", path=path, remedy='write {"wheat": "…"}')
    return ((category, _text(value, category)) for category, value in table.items())


def count_words(texts: Sequence[str], terms: Sequence[str], analyzer: Any = None) -> Sparse:
    """Count how often each of `terms` occurs in each text, texts × terms.

    analyzer   an `Analyzer`, a function from a text to its terms, or None: runs of letters and digits, folded.

    >>> count_words(["money-fx", "Corn corn"], ["corn", "fx", "money"]).toarray().astype(int).tolist()
    [[0, 1, 1], [2, 0, 0]]
    """
    columns = {str(terms[column]): column for column in range(len(terms))}
    rows, columns_found = [], []
    for row, words in enumerate(_words(texts, analyzer)):
        known = [columns[word] for word in words if word in columns]
        columns_found += known
        rows += [row] * len(known)
    counts = sparse.coo_array((np.ones(len(rows)), (rows, columns_found)), shape=(len(texts), len(columns)))
    return sparse.csr_array(counts)


def _words(texts: Sequence[str], analyzer: Any) -> Iterator[Sequence[str]]:
    if hasattr(analyzer, "terms"):
        terms: Terms = analyzer.terms(list(texts))
        for start, stop in zip(terms.starts[:-1], terms.starts[1:], strict=True):
            yield [terms.words[i] for i in terms.ids[start:stop]]
        return
    if analyzer is not None and not callable(analyzer):
        raise InvalidInput(f"analyzer must be an Analyzer, a function from a text to terms, or None; got {analyzer!r}")
    split: Callable[[str], Sequence[str]] = analyzer or (lambda text: TOKEN.findall(text.casefold()))
    yield from map(split, texts)


SCHEMES = tuple(map("".join, product("nbla", "ntp", "nc")))


def check_scheme(scheme: Any) -> None:
    """Raise UnknownName for anything but a triple of these letters."""
    if scheme not in SCHEMES:
        raise UnknownName("scheme of weights", str(scheme), SCHEMES)


def idf(X: Any, weights: Floats | None, letter: str) -> Floats:
    """Return the weight of the second letter, by how many documents, each counted by its weight, have each term."""
    weights = np.ones(X.shape[0]) if weights is None else weights
    if letter == "n":
        return np.ones(X.shape[1])
    X = sparse.csr_array(X)
    held = np.bincount(X.indices, np.repeat(weights, np.diff(X.indptr)) * (X.data != 0), X.shape[1])
    n = np.where(held > 0, held, 1.0)
    among = weights.sum() / n
    return np.where(held > 0, np.log(np.maximum(among - (letter == "p"), 1.0)), 0.0)


def term_frequency(counts: Sparse, letter: str) -> Sparse:
    """Return the weight of the first letter."""
    f = counts.data
    if letter == "a":
        most = np.repeat(largest(counts.indptr.astype(np.int64), f), np.diff(counts.indptr))
        f = 0.5 + 0.5 * f / most
    elif letter != "n":
        f = 1.0 + np.log(f) if letter == "l" else np.ones(len(f))
    return sparse.csr_array((f, counts.indices, counts.indptr), shape=counts.shape)
