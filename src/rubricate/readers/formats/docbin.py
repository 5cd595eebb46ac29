"""spaCy's DocBin: tokenised documents with categories (`doc.cats`), without the library.

The text is put together from the words and the blanks between them; a category is a label from a value of .5 on.
See https://spacy.io/api/docbin.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from rubricate.readers import unpacking
from rubricate.readers.input_file import InputFile
from rubricate.readers.message_pack import unpack
from rubricate.readers.reader import Reader
from rubricate.readers.record import Record
from rubricate.readers.spacy_strings import strings_by_number
from rubricate.readers.text_lines import opened

__all__ = ["DOCBIN"]

_LABEL = 0.5


def _records(file: InputFile) -> Iterator[Record]:
    try:
        content = unpack(_unpacked(file))
        words, spaces, starts, cats = _columns(content)
    except (ValueError, KeyError, TypeError, zlib.error) as error:
        file.fail(f"not a DocBin of spaCy ({error})", None, "write it by DocBin(docs=docs).to_disk(path)")
    for number, ((start, end), given) in enumerate(zip(pairwise(starts), cats, strict=True), 1):
        pairs = zip(words[start:end], spaces[start:end], strict=True)
        text = "".join(word + " " * space for word, space in pairs)
        labels = [name for name, value in given.items() if value >= _LABEL] if file.reading.labels else []
        yield file.record(number, number, {"text": text, "labels": labels})


def _unpacked(file: InputFile) -> bytes:
    packer = zlib.decompressobj()
    with opened(file.path) as stream:
        packed = stream.read()
    most = max(unpacking.RATIO_FROM, unpacking.MOST_TIMES * len(packed))
    content = packer.decompress(packed, most + 1)
    if len(content) > most:
        raise ValueError(f"it unpacks to more than {most:,} bytes, {unpacking.MOST_TIMES} times its size or more")
    return content


def _columns(content: Any) -> tuple[list[str], list[bool], list[int], list[dict[str, float]]]:
    """Return all words, whether a blank follows each, where each document starts, and the categories of each."""
    if not isinstance(content["strings"], list) or not all(isinstance(text, str) for text in content["strings"]):
        raise ValueError("its strings are something else")
    strings = strings_by_number(content["strings"])
    lengths = np.frombuffer(content["lengths"], np.int32)
    tokens = np.frombuffer(content["tokens"], np.uint64).reshape(-1, max(len(content["attrs"]), 1))
    spaces = np.frombuffer(content["spaces"], np.bool_)
    if (lengths < 0).any() or not len(tokens) == len(spaces) == lengths.sum():
        raise ValueError(f"{len(tokens)} words and {len(spaces)} blanks for documents of {lengths.sum()} words")
    unknown = next((int(number) for number in tokens[:, 0] if int(number) not in strings), None)
    if unknown is not None:
        raise ValueError(f"no string for the word {unknown}")
    cats = content["cats"]
    if len(cats) != len(lengths) or not all(isinstance(given, dict) for given in cats):
        raise ValueError(f"categories of {len(cats)} documents, words of {len(lengths)}")
    pairs = [pair for given in cats for pair in given.items()]
    if not all(isinstance(name, str) and isinstance(value, (int, float)) for name, value in pairs):
        raise ValueError("its categories are not names with numbers")
    words = [strings[int(number)] for number in tokens[:, 0]]
    return words, spaces.tolist(), [0, *accumulate(lengths.tolist())], cats


DOCBIN = Reader(_records, suffixes=(".spacy",), streams=False)
