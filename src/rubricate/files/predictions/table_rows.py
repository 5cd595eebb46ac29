"""Rows of CSV, JSON Lines and Parquet files, one after the other, each with its line."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain, groupby
from pathlib import Path
from typing import Any, BinaryIO, TextIO, TypeAlias, cast

from rubricate.errors import InvalidFile, MissingExtra
from rubricate.readers.unpacking import unpacked

__all__ = ["csv_rows", "first_line", "json_rows", "opened", "parquet_batches"]

DELIMITERS = ",;\t|"

Complain: TypeAlias = Callable[[InvalidFile], None]
"""Gets a row that cannot be read; where it returns, the row is left out."""


@contextmanager
def opened(path: Path) -> Iterator[TextIO]:
    """Open a file as UTF-8 text, with or without a byte order mark; a name that ends in `.gz` is decompressed."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        raise InvalidFile("no such file", path=path, remedy="check the name") from None
    except OSError as error:
        raise InvalidFile(f"the file cannot be opened ({error.strerror})", path=path) from None
    with file, _bytes(file, path) as raw, io.TextIOWrapper(raw, encoding="utf-8-sig", newline="") as text:
        try:
            yield text
        except UnicodeDecodeError as error:
            raise InvalidFile(f"not UTF-8 text ({error})", path=path, remedy="save it as UTF-8") from None
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise InvalidFile(f"not a whole gzip file ({error})", path=path, remedy="compress it again") from None


def _bytes(file: BinaryIO, path: Path) -> BinaryIO:
    return cast(BinaryIO, unpacked(file, path)) if path.suffix == ".gz" else file


def _raised(problem: InvalidFile) -> None:
    raise problem


def csv_rows(
    path: Path, text: TextIO, *, complain: Complain = _raised
) -> tuple[list[str], str, Iterator[tuple[int, list[str]]]]:
    """Return the header, the delimiter (whichever of `,` `;` tab `|` the header has most of), and the rows by line.

    Rows of the wrong length go to `complain` and are left out.
    """
    first = text.readline()
    delimiter = max(DELIMITERS, key=first.count)
    header = next(csv.reader([first], delimiter=delimiter), [])
    reader = csv.reader(text, delimiter=delimiter, strict=True)
    remedy = f"quote cells that hold {delimiter!r}, fill in missing ones"
    return (
        [name.strip() for name in header],
        delimiter,
        _checked_rows(path, reader, len(header), remedy=remedy, complain=complain),
    )


def _checked_rows(
    path: Path, reader: Any, width: int, *, remedy: str, complain: Complain
) -> Iterator[tuple[int, list[str]]]:
    line = 1
    try:
        for row in reader:
            if row and len(row) != width:
                problem = f"the row has {len(row)} cells, the header {width}"
                complain(InvalidFile(problem, path=path, line=line + 1, remedy=remedy))
            elif row:
                yield line + 1, row
            line = reader.line_num + 1
    except csv.Error as error:
        raise InvalidFile(f"not valid CSV ({error})", path=path, line=line + 1, remedy="check the quotes") from None


def first_line(path: Path) -> str:
    """Return the first line that is not empty; an error where there is none."""
    with opened(path) as text:
        first = next((line for line in text if line.strip()), None)
    if first is None:
        raise InvalidFile("the file is empty", path=path, remedy="give at least one document")
    return first.strip()


def json_rows(
    path: Path, text: TextIO, *, complain: Complain = _raised
) -> Iterator[tuple[int, tuple[str, ...], Iterator[tuple[int, list[Any]]]]]:
    """Yield the objects of JSON Lines as rows: first line, keys and rows of each run of lines with the same keys.

    Lines that are not objects go to `complain` and are left out.
    """
    for keys, records in groupby(_records(path, text, complain), key=lambda record: tuple(record[1])):
        first = next(records)
        yield first[0], keys, ((line, list(record.values())) for line, record in chain([first], records))


def _records(path: Path, text: TextIO, complain: Complain) -> Iterator[tuple[int, dict[str, Any]]]:
    for line, content in enumerate(text, start=1):
        if not content.strip():
            continue
        try:
            record = json.loads(content)
        except (ValueError, RecursionError) as error:
            remedy = "write one object per line"
            complain(InvalidFile(f"not JSON ({error})", path=path, line=line, remedy=remedy))
            continue
        if not isinstance(record, dict):
            remedy = 'write one object per line, such as {"document": …}'
            complain(InvalidFile("not a JSON object", path=path, line=line, remedy=remedy))
            continue
        yield line, record


def parquet_batches(path: Path) -> Iterator[tuple[list[str], Iterator[tuple[int, tuple[Any, ...]]]]]:
    """Yield the column names and the rows of a Parquet file, numbered from 1, one batch at a time."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra("frames", "Parquet files") from None
    first = 1
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=1 << 16):
                columns = batch.to_pydict()
                yield list(columns), enumerate(zip(*columns.values(), strict=True), start=first)
                first += batch.num_rows
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InvalidFile(f"not a valid Parquet file ({error})", path=path, remedy="write it again") from None
