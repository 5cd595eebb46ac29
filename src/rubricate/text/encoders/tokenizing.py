"""The tokenizer of a folder: our own for BERT's kind, the `tokenizers` package (extra "embeddings") for every other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from rubricate.errors import InvalidFile, InvalidInput, MissingExtra
from rubricate.text.encoders.safetensors import read_json
from rubricate.text.encoders.wordpiece import WordPiece

__all__ = ["Tokenizer", "read_tokenizer"]

SLACK = 64
"""Characters of text per token that the foreign tokenizer is given; it would tokenize all of a book, then cut."""


class Tokenizer(Protocol):
    """Turns texts into the numbers of their tokens."""

    def encode(self, texts: Sequence[str], longest: int) -> list[list[int]]:
        """Return the numbers of each text's tokens, at most `longest`."""


class _Foreign:
    """A tokenizer of the `tokenizers` package."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._tokenizer.no_padding()

    def encode(self, texts: Sequence[str], longest: int) -> list[list[int]]:
        """Return the numbers of each text's tokens."""
        self._tokenizer.enable_truncation(longest)
        return [each.ids for each in self._tokenizer.encode_batch([text[: SLACK * longest] for text in texts])]


def read_tokenizer(path: Path, size: int) -> Tokenizer:
    """Return the tokenizer of a tokenizer.json; one with numbers from `size` on does not fit the encoder."""
    described = read_json(path)
    if not isinstance(described, dict):
        raise InvalidFile("not a JSON object", path=path)
    try:
        own = WordPiece.from_json(described)
    except (InvalidInput, KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidFile(f"cannot be used as a tokenizer ({error})", path=path) from None
    if own is not None:
        numbers = own.vocabulary.values()
        if any(type(number) is not int or number < 0 for number in numbers):
            raise InvalidFile("the numbers of its tokens are not whole numbers from 0 on", path=path)
        _check_size(max(numbers), size, path)
        return own
    tokenizer = _foreign(path)
    _check_size(tokenizer.get_vocab_size(with_added_tokens=True) - 1, size, path)
    return _Foreign(tokenizer)


def _foreign(path: Path) -> Any:
    try:
        import tokenizers
    except ImportError:
        raise MissingExtra("embeddings", f"Tokenizers like that of {path}") from None
    try:
        return tokenizers.Tokenizer.from_file(str(path))
    except Exception as error:  # the package raises bare Exception
        raise InvalidFile(f"cannot be used as a tokenizer ({error!s:.100})", path=path) from None


def _check_size(highest: int, size: int, path: Path) -> None:
    if highest >= size:
        raise InvalidFile(
            f"the tokenizer has the token {highest:,}, but the encoder knows only {size:,} tokens",
            path=path,
            remedy="take tokenizer and weights from the same encoder",
        )
