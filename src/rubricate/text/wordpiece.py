"""BERT's tokens: text → the pieces of its words, each distinct word split once.

As `BertNormalizer`, `BertPreTokenizer` and `WordPiece` of the `tokenizers` package have them (devlin2019, section 3):
control characters go, white space is one space; a lower-casing tokenizer folds letters and strips accents; every
punctuation mark and every Chinese character is a word; a word is split into the longest pieces of the vocabulary from
left to right, or is unknown as a whole. tests/text/test_wordpiece.py compares the numbers with that package's.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from rubricate.errors import InvalidFile, InvalidInput, MissingExtra
from rubricate.text.safetensors import read_json

__all__ = ["Tokenizer", "WordPiece", "read_tokenizer"]

CHINESE = (
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002b81f\U0002b820-\U0002ceaf"
    "\U0002f800-\U0002fa1f"
)
REMEMBERED = 1 << 17
"""Words whose pieces are remembered; then the memory starts anew."""
SLACK = 24
"""Characters of text per token that are looked at: what follows could not reach the tokens kept."""


@cache
def _splitter() -> re.Pattern[str]:
    """Return the pattern of a word: one mark or Chinese character, or a run of other signs."""
    marks = "".join(
        chr(c)
        for c in range(sys.maxunicode + 1)
        if unicodedata.category(chr(c))[0] == "P" or (32 < c < 127 and not chr(c).isalnum())
    )
    signs = re.escape(marks)
    return re.compile(f"[{signs}{CHINESE}]|[^\\s{signs}{CHINESE}]+")


def _cleaned(text: str) -> str:
    """Return the text without control characters; white space of any kind as spaces."""
    if text.isprintable():
        return text
    signs = []
    for sign in text:
        if sign in "\t\n\r" or unicodedata.category(sign) == "Zs":
            signs.append(" ")
        elif sign != "\ufffd" and unicodedata.category(sign)[0] != "C":
            signs.append(sign)
    return "".join(signs)


@dataclass(frozen=True)
class Folding:
    """Whether letters are folded to lower case, and accents stripped."""

    lower: bool = True
    strip: bool = True

    def __call__(self, text: str) -> str:
        """Return the text as the vocabulary spells it."""
        text = _cleaned(text)
        if self.strip and not text.isascii():
            text = unicodedata.normalize("NFD", text)
            text = "".join(sign for sign in text if unicodedata.category(sign) != "Mn")
        return text.lower() if self.lower else text


class WordPiece:
    """A tokenizer of the kind that BERT has.

    Parameters
    ----------
    vocabulary
        The number of each piece; pieces that continue a word start with `prefix`.
    folding
        How text is folded first.
    prefix, unknown, ends
        The sign of a continued word, the name of an unknown one, and the names of the first and last token.
    longest_word
        Words with more characters are unknown.
    special
        Names that stand for one token wherever they occur in a text, such as [SEP].
    """

    def __init__(
        self,
        vocabulary: Mapping[str, int],
        *,
        folding: Folding | None = None,
        prefix: str = "##",
        unknown: str = "[UNK]",
        ends: tuple[str, str] = ("[CLS]", "[SEP]"),
        longest_word: int = 100,
        special: Sequence[str] = (),
    ) -> None:
        absent = [name for name in (unknown, *ends) if name not in vocabulary]
        if absent:
            raise InvalidInput(f"the vocabulary lacks the token {absent[0]!r}")
        self.vocabulary, self.folding, self.prefix = vocabulary, folding or Folding(), prefix
        self.unknown, self.longest_word = vocabulary[unknown], longest_word
        self.first, self.last = vocabulary[ends[0]], vocabulary[ends[1]]
        known = [name for name in special if name in vocabulary]
        self._special = re.compile("(" + "|".join(map(re.escape, sorted(known, key=len, reverse=True))) + ")")
        self._has_special = bool(known)
        self._pieces_of: dict[str, list[int]] = {}

    @classmethod
    def from_json(cls, tokenizer: Mapping[str, Any]) -> WordPiece | None:
        """Return the tokenizer that a tokenizer.json describes; None where it is of another kind."""
        model, normalizer = tokenizer.get("model") or {}, tokenizer.get("normalizer") or {}
        before, after = tokenizer.get("pre_tokenizer") or {}, tokenizer.get("post_processor") or {}
        kinds = (model.get("type", "WordPiece"), normalizer.get("type"), before.get("type"))
        if kinds != ("WordPiece", "BertNormalizer", "BertPreTokenizer") or not isinstance(model.get("vocab"), dict):
            return None
        lower, strip = bool(normalizer.get("lowercase", True)), normalizer.get("strip_accents")
        if not normalizer.get("clean_text", True) or not normalizer.get("handle_chinese_chars", True):
            return None
        ends = _ends(after)
        if ends is None:
            return None
        return cls(
            model["vocab"],
            folding=Folding(lower, lower if strip is None else bool(strip)),
            prefix=str(model.get("continuing_subword_prefix", "##")),
            unknown=str(model.get("unk_token", "[UNK]")),
            ends=ends,
            longest_word=int(model.get("max_input_chars_per_word", 100)),
            special=[each["content"] for each in tokenizer.get("added_tokens") or () if each.get("special")],
        )

    def encode(self, texts: Sequence[str], longest: int) -> list[list[int]]:
        """Return the numbers of the tokens of each text, first and last token among them, at most `longest`."""
        return [self._encode(text, longest) for text in texts]

    def _encode(self, text: str, longest: int) -> list[int]:
        numbers = self._numbers(_beginning(text, SLACK * longest), longest)
        if len(numbers) < longest and len(text) > SLACK * longest:  # long runs of spaces or unknown words
            numbers = self._numbers(text, longest)
        return [*numbers[: longest - 1], self.last]

    def _numbers(self, text: str, longest: int) -> list[int]:
        numbers = [self.first]
        for part in self._special.split(text) if self._has_special else (text,):
            if self._has_special and self._special.fullmatch(part):
                numbers.append(self.vocabulary[part])
            else:
                self._add(part, numbers, longest)
        return numbers

    def _add(self, text: str, numbers: list[int], longest: int) -> None:
        known = self._pieces_of
        for word in _splitter().findall(self.folding(text)):
            pieces = known.get(word)
            if pieces is None:
                if len(known) >= REMEMBERED:
                    known.clear()
                pieces = known[word] = self._split(word)
            numbers += pieces
            if len(numbers) >= longest:
                return

    def _split(self, word: str) -> list[int]:
        if len(word) > self.longest_word:
            return [self.unknown]
        numbers, start = [], 0
        while start < len(word):
            for end in range(len(word), start, -1):
                number = self.vocabulary.get((self.prefix if start else "") + word[start:end])
                if number is not None:
                    break
            else:
                return [self.unknown]
            numbers.append(number)
            start = end
        return numbers


def _beginning(text: str, size: int) -> str:
    """Return about so many characters of a long text, up to white space; all of a text without any."""
    if len(text) <= size:
        return text
    parts = text[:size].rsplit(None, 1)
    return parts[0] if len(parts) == 2 else text


def _ends(processor: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the names of the first and last token, by either of the two processors that BERT's tokenizers have."""
    if processor.get("type") == "BertProcessing":
        return str(processor["cls"][0]), str(processor["sep"][0])
    single = processor.get("single")
    if processor.get("type") != "TemplateProcessing" or not isinstance(single, list) or len(single) != 3:
        return None
    try:
        return str(single[0]["SpecialToken"]["id"]), str(single[2]["SpecialToken"]["id"])
    except (KeyError, TypeError):
        return None


TOKENIZING_SLACK = 64
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
        return [
            each.ids for each in self._tokenizer.encode_batch([text[: TOKENIZING_SLACK * longest] for text in texts])
        ]


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
