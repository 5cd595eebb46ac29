"""fastText: one document per line, its labels first, each behind `__label__`.

    __label__wheat __label__grain Farmers expect a good harvest

A line has no room for ids, titles or line breaks: documents are numbered, and line breaks become blanks when texts are
written. See https://fasttext.cc/docs/en/supervised-tutorial.html.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import IO

from rubricate.errors import InvalidInput
from rubricate.readers.input_file import InputFile
from rubricate.readers.reader import Reader
from rubricate.readers.record import Record

__all__ = ["FASTTEXT"]

_MARK = "__label__"
_BLANK = " \t\v\f\r\n"
_LABEL = re.compile(rf"[{_BLANK}]*{_MARK}([^{_BLANK}]+)(?=[{_BLANK}]|$)")


def _records(file: InputFile) -> Iterator[Record]:
    """Yield the records of a file; empty lines are skipped. Memory: one line."""
    number = 0
    for line, text in enumerate(file.lines(), 1):
        if not text.strip(_BLANK):
            continue
        number += 1
        labels, end = [], 0
        while match := _LABEL.match(text, end):
            labels.append(match[1])
            end = match.end()
        body = text[end:].strip(_BLANK)
        yield file.record(number, line, {"text": body, "labels": labels if file.reading.labels else None})


def _write(records: Iterable[Record], stream: IO[bytes]) -> None:
    for record in records:
        labels = [_marked(label, record) for label in record.labels]
        text = re.sub(r"[\t\v\f\r\n]+", " ", f"{record.title}\n{record.text}" if record.title else record.text).strip(
            " "
        )
        if text.startswith(_MARK):
            raise InvalidInput(f"document {record.id!r}: a text that starts with {_MARK} would be read as a label")
        if not labels and not text:
            raise InvalidInput(f"document {record.id!r}: fastText has no line for a document without text and labels")
        stream.write((" ".join([*labels, text]).rstrip(" ") + "\n").encode())


def _marked(label: str, record: Record) -> str:
    if any(sign in label for sign in _BLANK):
        raise InvalidInput(
            f"document {record.id!r}: the label {label!r} has a blank, which fastText cannot write; rename it, e.g. "
            f"{re.sub(rf'[{_BLANK}]+', '-', label)!r}"
        )
    return _MARK + label


FASTTEXT = Reader(
    _records, suffixes=(".fasttext", ".ft"), sniff=lambda start: start.startswith(b"__label__"), write=_write
)
