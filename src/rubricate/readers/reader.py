"""What a format of documents is: one `Reader` per file in `readers/formats/`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from rubricate.readers.input_file import InputFile
from rubricate.readers.record import Record
from rubricate.types import Documents

__all__ = ["Reader"]


@dataclass(frozen=True)
class Reader:
    """A format of documents, a plug-in of the kind `readers`; its file name is the name of the format.

    Parameters
    ----------
    records
        Yields the records of a file, one at a time.
    suffixes
        Endings of file names that mean this format, in lower case and with the dot; a `.gz` behind them is ignored.
    sniff
        Says whether bytes that start like this (without byte order mark and white space) are of this format.
        Used for standard input, which has no name.
    streams
        Whether the format can be read in one pass, as standard input must be.
    folder
        Says whether a folder is of this format; one that no format claims is a folder per category.
    write
        Writes records to a stream of bytes such that `records` gives them back; None where a format is only read.
        What the format cannot hold is InvalidInput, not a loss.
    batches
        Yields the same documents without labels and by column (`readers.document_batches`); None where records, some
        at a time, are good enough.
    has_vectors
        Whether documents are vectors, in the field `vectors`, and have no text.
    """

    records: Callable[[InputFile], Iterator[Record]]
    suffixes: tuple[str, ...] = ()
    sniff: Callable[[bytes], bool] = lambda start: False
    streams: bool = True
    folder: Callable[[Path], bool] = lambda path: False
    write: Callable[[Iterable[Record], IO[bytes]], None] | None = None
    batches: Callable[[InputFile, int, int], Iterator[Documents]] | None = None
    has_vectors: bool = False
