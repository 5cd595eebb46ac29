"""Answers as CSV, JSON Lines or Parquet, plain or gzipped, written by column."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise, repeat
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias

import typer

from rubricate.errors import InvalidInput, MissingExtra

if TYPE_CHECKING:
    from rubricate.training.answer_columns import AnswerColumns
    from rubricate.types import Evidence

__all__ = ["PARQUET", "AnswerFile", "Write"]

PARQUET = (".parquet", ".pq")
GROUP = 1 << 16
"""Rows of a Parquet file that are written together."""
LEVEL = 6
"""gzip's usual compression; higher ones take twice the time for 2 % fewer bytes."""

Write: TypeAlias = "Callable[[Sequence[str], AnswerColumns], None]"
_quoted = json.encoder.encode_basestring  # as json.dumps(…, ensure_ascii=False) does


@dataclass(frozen=True)
class AnswerFile:
    """Where and how answers are written: the name of the file says whether it is Parquet, and whether it is gzipped."""

    output: Path | None
    as_json: bool
    top: int | None
    explain: bool
    separator: str
    disarm: bool
    abstaining: bool

    @contextmanager
    def opened(self) -> Iterator[Write]:
        """Give the function that writes the answers of a batch; a file appears when all is written."""
        if self.output is not None and self.output.suffix.lower() in PARQUET:
            with self._parquet(self.output) as write:
                yield write
            return
        with _text(self.output) as target:
            rows = self._json if self.as_json else self._csv(target)

            def write(ids: Sequence[str], answers: AnswerColumns) -> None:
                rows(target, ids, answers)
                target.flush()

            yield write

    def header(self) -> list[str]:
        """Return the names of the columns of CSV and Parquet."""
        names = ["id", "category", "score", "decision"] if self.top else ["id", "labels"]
        names += ["confidence", "abstained"] if self.abstaining else []
        return names + (["evidence"] if self.explain else [])

    def _json(self, target: IO[str], ids: Sequence[str], answers: AnswerColumns) -> None:
        names = [_quoted(name) for name in answers.categories]
        labels = _split(answers.labels[0], [names[c] for c in answers.labels[1].tolist()], ", ".join)
        starts, columns, values = answers.scores
        pairs = [f"{names[c]}: {v}" for c, v in zip(columns.tolist(), _numbers(values), strict=True)]
        scores = _split(starts, pairs, ", ".join)
        chances = repeat("") if answers.confidence is None else map(_chance, answers.confidence.tolist())
        reasons = map(_evidence_json, answers.evidence) if self.explain else repeat("")
        given = ["null" if held else f"[{own}]" for own, held in zip(labels, answers.withheld.tolist(), strict=True)]
        rows = zip(ids, given, chances, scores, reasons, strict=False)
        lines = (
            f'{{"id": {_quoted(name)}, "labels": {own}{chance}, "scores": {{{shown}}}{why}}}\n'
            for name, own, chance, shown, why in rows
        )
        target.write("".join(lines))

    def _csv(self, target: IO[str]) -> Callable[[IO[str], Sequence[str], AnswerColumns], None]:
        from rubricate.files.spreadsheets import inert

        writer = csv.writer(target, lineterminator="\n")
        writer.writerow(self.header())

        def write(target: IO[str], ids: Sequence[str], answers: AnswerColumns) -> None:
            columns = self._columns(ids, answers, joined=True)
            rows = zip(*columns.values(), strict=True)
            writer.writerows((map(inert, row) for row in rows) if self.disarm else rows)

        return write

    @contextmanager
    def _parquet(self, output: Path) -> Iterator[Write]:
        from rubricate.atomic import atomic

        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError as error:
            raise MissingExtra("frames", "Parquet files") from error
        text = pyarrow.string()
        kinds = {"labels": pyarrow.list_(text), "score": pyarrow.float64(), "confidence": pyarrow.float64()}
        kinds |= {"decision": pyarrow.bool_(), "abstained": pyarrow.bool_()}
        schema = pyarrow.schema([(name, kinds.get(name, text)) for name in self.header()])
        held: list[Any] = []
        with atomic(output) as raw, parquet.ParquetWriter(raw, schema, compression="zstd") as writer:

            def write(ids: Sequence[str], answers: AnswerColumns) -> None:
                held.append(pyarrow.table(self._columns(ids, answers, joined=False), schema=schema))
                if sum(table.num_rows for table in held) >= GROUP:
                    writer.write_table(pyarrow.concat_tables(held))
                    held.clear()

            yield write
            if held:
                writer.write_table(pyarrow.concat_tables(held))

    def _columns(self, ids: Sequence[str], answers: AnswerColumns, *, joined: bool) -> dict[str, Any]:
        """Return the cells of each column: as text where `joined`, else as Parquet holds them."""
        columns = self._pairs(ids, answers) if self.top else self._label_sets(ids, answers, joined=joined)
        if not joined:
            return columns
        if "decision" in columns:
            columns["decision"] = [int(given) for given in columns["decision"]]
        if self.abstaining:
            columns["confidence"] = [f"{chance:.4f}" for chance in columns["confidence"]]
            columns["abstained"] = [str(int(held)) for held in columns["abstained"]]
        return columns

    def _label_sets(self, ids: Sequence[str], answers: AnswerColumns, *, joined: bool) -> dict[str, Any]:
        given = answers.without_labels(answers.withheld) if answers.withheld.any() else answers
        starts, columns = given.labels
        names = [answers.categories[c] for c in columns.tolist()]
        cells: dict[str, Any] = {"id": ids, "labels": _split(starts, names, self.separator.join if joined else list)}
        if not joined and answers.withheld.any():
            pairs = zip(cells["labels"], answers.withheld.tolist(), strict=True)
            cells["labels"] = [None if held else own for own, held in pairs]
        if self.abstaining:
            cells |= {"confidence": _list(answers.confidence), "abstained": answers.withheld.tolist()}
        if self.explain:
            cells["evidence"] = [_reasons(evidence, evidence) for evidence in answers.evidence]
        return cells

    def _pairs(self, ids: Sequence[str], answers: AnswerColumns) -> dict[str, Any]:
        import numpy as np

        starts, columns, values = answers.scores
        row = np.repeat(np.arange(len(ids)), np.diff(starts))
        width = len(answers.categories)
        own = np.repeat(np.arange(len(ids)), np.diff(answers.labels[0])) * width + answers.labels[1]
        given = np.isin(row * width + columns, own) & ~answers.withheld[row]
        rows = row.tolist()
        names = [answers.categories[c] for c in columns.tolist()]
        cells: dict[str, Any] = {"id": [ids[i] for i in rows], "category": names}
        cells |= {"score": values.tolist(), "decision": given.tolist()}
        if self.abstaining:
            chances = _list(answers.confidence)
            cells |= {"confidence": [chances[i] for i in rows], "abstained": answers.withheld[row].tolist()}
        if self.explain:
            pairs = zip(rows, names, strict=True)
            cells["evidence"] = [_reasons(answers.evidence[i], (name,)) for i, name in pairs]
        return cells


@contextmanager
def _text(output: Path | None) -> Iterator[IO[str]]:
    """Open standard output, or a file that appears when all is written; a name that ends in .gz is compressed."""
    from rubricate.atomic import atomic

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


def _split(starts: Any, values: list[Any], join: Callable[[list[Any]], Any]) -> list[Any]:
    return [join(values[a:b]) for a, b in pairwise(starts.tolist())]


def _list(numbers: Any) -> list[float]:
    if numbers is None:
        raise InvalidInput("the model knows no confidence; fit it with folds=5")
    return list(numbers.tolist())


def _numbers(values: Any) -> Sequence[str]:
    """Return numbers as JSON has them; what is not finite is null."""
    return [repr(value) if math.isfinite(value) else "null" for value in values.tolist()]


def _chance(value: float) -> str:
    return f', "confidence": {round(value, 6)!r}'


def _evidence_json(evidence: Mapping[str, Sequence[Evidence]]) -> str:
    listed = {
        category: [[e.source, e.weight, *([e.detail] if e.detail else [])] for e in reasons]
        for category, reasons in evidence.items()
    }
    return f', "evidence": {json.dumps(listed, ensure_ascii=False)}'


def _reasons(evidence: Mapping[str, Sequence[Evidence]], categories: Any) -> str:
    """Format evidence as `grain: wheat +0.556, export +0.147; trade: …`."""
    return "; ".join(
        f"{name}: " + ", ".join(f"{e.source} {e.weight:+.3f}" for e in evidence[name])
        for name in categories
        if name in evidence
    )
