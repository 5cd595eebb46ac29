"""Files of answers: CSV and JSON lines, plain or gzipped, and Parquet; a file appears when all is written."""

from __future__ import annotations

import gzip
import io
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias

import typer

from rubricate.errors import MissingExtra
from rubricate.training.answer_files import AnswerFormat

if TYPE_CHECKING:
    from rubricate.text.evidence import Located
    from rubricate.training.answers import AnswerColumns

__all__ = ["PARQUET", "Write", "open_answers"]

PARQUET = (".parquet", ".pq")
GROUP = 1 << 16
"""Rows of a Parquet file that are written together."""
LEVEL = 6
"""gzip's usual compression; higher ones take twice the time for 2 % fewer bytes."""

Write: TypeAlias = "Callable[[Sequence[str], AnswerColumns, Sequence[Located]], None]"


@contextmanager
def open_answers(output: Path | None, form: AnswerFormat) -> Iterator[Write]:
    """Give the function that writes the answers of a batch; the name of the file says whether it is Parquet."""
    if output is not None and output.suffix.lower() in PARQUET:
        with _parquet(output, form) as write:
            yield write
        return
    with _text(output) as target:
        if not form.as_json:
            target.writelines(f"{line}\n" for line in form.csv_lines([form.header()]))

        def write(ids: Sequence[str], answers: AnswerColumns, evidence: Sequence[Located]) -> None:
            target.write("".join(f"{row}\n" for row in form.rows(ids, answers, evidence) if row))
            target.flush()

        yield write


@contextmanager
def _parquet(output: Path, form: AnswerFormat) -> Iterator[Write]:
    from rubricate.storage import atomic

    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtra("frames", "Parquet files") from error
    text = pyarrow.string()
    kinds = {"labels": pyarrow.list_(text), "score": pyarrow.float64(), "confidence": pyarrow.float64()}
    kinds |= {"decision": pyarrow.bool_(), "abstained": pyarrow.bool_()}
    schema = pyarrow.schema([(name, kinds.get(name, text)) for name in form.header()])
    held: list[Any] = []
    with atomic(output) as raw, parquet.ParquetWriter(raw, schema, compression="zstd") as writer:

        def write(ids: Sequence[str], answers: AnswerColumns, evidence: Sequence[Located]) -> None:
            held.append(pyarrow.table(form.columns(ids, answers), schema=schema))
            if sum(table.num_rows for table in held) >= GROUP:
                writer.write_table(pyarrow.concat_tables(held))
                held.clear()

        yield write
        if held:
            writer.write_table(pyarrow.concat_tables(held))


@contextmanager
def _text(output: Path | None) -> Iterator[IO[str]]:
    """Open standard output, or a file that appears when all is written; a name that ends in .gz is compressed."""
    from rubricate.storage import atomic

    if output is None:
        try:
            yield sys.stdout
        except BrokenPipeError:  # the reader of the pipe has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit from None
        return
    packed = output.suffix.lower() == ".gz"
    with atomic(output) as raw:
        stream: Any = gzip.GzipFile("", "wb", LEVEL, raw, mtime=0) if packed else raw
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="", write_through=not packed)
        yield text
        text.flush()
        text.detach()
        if packed:
            stream.close()
