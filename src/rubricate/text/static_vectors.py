"""Tables of word vectors: a text is the mean of the vectors of its words, each word by itself.

GloVe text      one word per line, then its numbers, separated by spaces
fastText .vec   the same, under a first line with the number of words and of dimensions
model2vec       a folder: model.safetensors with "embeddings" (and weights per token), tokenizer.json, config.json
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rubricate.errors import InvalidFile
from rubricate.text.encoder import announce, unit
from rubricate.text.encoder_folder import CONFIG, TOKENIZER, WEIGHTS
from rubricate.text.safetensors import TensorFile, read_json
from rubricate.text.wordpiece import Tokenizer, read_tokenizer

__all__ = ["StaticTable", "is_static", "open_table"]

WORD = re.compile(r"\w+(?:['\u2019]\w+)*|[^\w\s]")
MOST_WORDS, WIDEST = 8_000_000, 4096
LONGEST = 1 << 20
"""Tokens of a text that are looked at."""


class StaticTable:
    """Vectors of words, and how a text is split into them.

    Parameters
    ----------
    vectors
        One row per word.
    words
        The row of each word, where words are split by our own pattern; None where `tokenizer` gives rows.
    tokenizer
        Gives rows, with first and last tokens that `left_out` names.
    left_out
        Rows that do not count: unknown words, first and last tokens.
    """

    def __init__(
        self,
        vectors: NDArray[np.float32],
        *,
        words: dict[str, int] | None = None,
        tokenizer: Tokenizer | None = None,
        left_out: frozenset[int] = frozenset(),
        rows: NDArray[np.int64] | None = None,
    ) -> None:
        self.vectors, self.words, self.tokenizer, self.left_out = vectors, words, tokenizer, left_out
        self.rows = rows
        self.width = int(vectors.shape[1])

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the numbers of the known words of each text."""
        if self.tokenizer is not None:
            numbered = self.tokenizer.encode(texts, LONGEST)
            return [[token for token in tokens if token not in self.left_out] for tokens in numbered]
        return [self._known(text) for text in texts]

    def _known(self, text: str) -> list[int]:
        words, rows = self.words or {}, []
        for word in WORD.findall(text):
            row = words.get(word)
            row = words.get(word.lower()) if row is None else row
            if row is not None:
                rows.append(row)
        return rows

    def idf(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return ln((n + 1) / (df + 1)) + 1 of every word, from texts."""
        frequency = np.zeros(self._size(), np.float64)
        for tokens in self.tokens(texts):
            frequency[list(set(tokens))] += 1
        return (np.log((len(texts) + 1) / (frequency + 1)) + 1).astype(np.float32)

    def encode(self, texts: Sequence[str], idf: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
        """Return the mean of the words of each text at length 1; a text without a known word is a row of zeros."""
        tokens = self.tokens(texts)
        lengths = np.array([len(each) for each in tokens], np.int64)
        flat = np.fromiter(chain.from_iterable(tokens), np.int64, int(lengths.sum()))
        sums = np.zeros((len(texts), self.width), np.float32)
        for row, (start, length) in enumerate(zip(np.cumsum(lengths) - lengths, lengths, strict=True)):
            mine = flat[start : start + length]
            vectors = self.vectors[mine if self.rows is None else self.rows[mine]]
            sums[row] = vectors.sum(axis=0) if idf is None else idf[mine] @ vectors
        announce(len(texts), total=len(texts))
        return unit(sums)

    def _size(self) -> int:
        return len(self.vectors) if self.rows is None else len(self.rows)


def is_static(path: Path) -> bool:
    """Return whether a path holds a table of word vectors: a file, or a folder of model2vec."""
    if path.is_file():
        return True
    if not (path / CONFIG).is_file():
        return False
    config = read_json(path / CONFIG)
    if not isinstance(config, dict):
        return False
    return config.get("model_type") == "model2vec" or "StaticModel" in (config.get("architectures") or ())


def open_table(path: Path) -> StaticTable:
    """Return the table of a file, or of a folder of model2vec."""
    return _text_table(path) if path.is_file() else _folder_table(path)


def _folder_table(path: Path) -> StaticTable:
    file = TensorFile(path / WEIGHTS)
    name = next((each for each in ("embeddings", "embedding.weight") if each in file), "embeddings")
    vectors = file.floats(name)
    if vectors.ndim != 2 or not vectors.size:
        raise InvalidFile(f"{name} has the shape {vectors.shape}, expected words × numbers", path=path / WEIGHTS)
    if any(each in file for each in ("mapping", "weights")):
        raise InvalidFile(
            "a quantized table, with tokens that share rows",
            path=path / WEIGHTS,
            remedy="save the model without vocabulary quantization, or give its vectors as an .npy file",
        )
    described = read_json(path / TOKENIZER)
    tokenizer = read_tokenizer(path / TOKENIZER, len(vectors))
    return StaticTable(vectors, tokenizer=tokenizer, left_out=_special_tokens(described))


def _special_tokens(described: Any) -> frozenset[int]:
    added = described.get("added_tokens") or () if isinstance(described, dict) else ()
    return frozenset(each["id"] for each in added if isinstance(each, dict) and type(each.get("id")) is int)


def _text_table(path: Path) -> StaticTable:
    """Read a table of words line by line; every line must have as many numbers as the first."""
    words: dict[str, int] = {}
    rows: list[NDArray[np.float32]] = []
    width = 0
    try:
        with path.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                cells = line.rstrip(b"\r\n ").split(b" ")
                if number == 1 and len(cells) == 2:  # the first line of a .vec file
                    continue
                vector, width = _vector(cells, width, path=path, line=number)
                word = b" ".join(cells[: len(cells) - width]).decode("utf-8", "replace")
                if word not in words:
                    words[word] = len(rows)
                    rows.append(vector)
                if len(rows) > MOST_WORDS:
                    raise InvalidFile(f"more than {MOST_WORDS:,} words", path=path, remedy="keep the most frequent")
    except OSError as error:
        raise InvalidFile(f"cannot be read ({error.strerror or error})", path=path) from error
    if not rows:
        raise InvalidFile("no word vectors in it", path=path, remedy="give a GloVe text file or a .vec file")
    return StaticTable(np.vstack(rows), words=words)


def _vector(cells: list[bytes], width: int, *, path: Path, line: int) -> tuple[NDArray[np.float32], int]:
    wanted = width or len(cells) - 1
    if not 1 <= wanted <= min(WIDEST, len(cells) - 1):
        problem = f"{len(cells) - 1} numbers, expected {width or f'1 to {WIDEST}'}"
        raise InvalidFile(problem, path=path, line=line, remedy="give a GloVe text file or a .vec file")
    try:
        vector = np.array(cells[-wanted:], dtype="S").astype(np.float32)
    except ValueError:
        raise InvalidFile("a word is not followed by numbers", path=path, line=line) from None
    if not np.isfinite(vector).all():
        raise InvalidFile("NaN or infinite numbers", path=path, line=line, remedy="leave out this word")
    return vector, wanted
