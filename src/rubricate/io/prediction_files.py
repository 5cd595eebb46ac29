"""Write runs and labels to files that `read_runs` and `read_truth` read back."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy import sparse

from rubricate.errors import InvalidInput, MissingExtra, UnknownName
from rubricate.io.predictions import PREFIX
from rubricate.io.text_files import inert
from rubricate.labels import label_tuples
from rubricate.storage import atomic, atomic_text
from rubricate.types import Decisions, Run, Scores

__all__ = ["write_labels", "write_run"]

LayoutName: TypeAlias = Literal["long", "wide", "trec", "fasttext", "xmc"]
HeadedRows: TypeAlias = tuple[list[str], Iterable[Sequence[Any]]]
"""The header of a table and its rows."""


def write_run(run: Run, path: str | Path, *, layout: LayoutName = "long", disarm: bool = False) -> Path:
    """Write the predictions of a system, without the truth, as CSV, JSON Lines or Parquet (by the suffix).

    The file appears whole or not at all. `long` holds scores and decisions, every score to its last digit; `wide` holds
    the decisions; `trec` holds the scores, as a run whose topics are documents; `fasttext` has one line of labels per
    document, without the ids; `xmc` holds the scores as files of the Extreme Classification Repository do, without the
    ids, of categories that are numbers. `disarm` puts a `'` before CSV cells that a spreadsheet would run as formulas;
    such names are read back with that sign.
    """
    if layout == "long":
        return _write_table(Path(path), _long(run), disarm)
    if layout in ("trec", "xmc"):
        return _write_lines(Path(path), _trec_run(run) if layout == "trec" else _xmc_run(run))
    if run.decisions is None:
        raise InvalidInput(
            f"run {run.name!r} has no decisions to write as {layout!r}; write it long, or cut the scores"
        )
    return write_labels(run.decisions, path, layout=layout, disarm=disarm)


def write_labels(labels: Decisions, path: str | Path, *, layout: LayoutName = "wide", disarm: bool = False) -> Path:
    """Write labels or decisions: wide (`a;b` in CSV, lists elsewhere), long, as TREC qrels, or as fastText lines."""
    place = Path(path)
    if layout == "wide":
        joined = place.suffix in (".csv", ".tsv", ".txt")
        _check_names(labels.categories, ";" if joined else "")
        rows = ((name, ";".join(own) if joined else own) for name, own in _label_sets(labels))
        return _write_table(place, (["document", "labels"], rows), disarm)
    if layout == "long":
        pairs = ((name, label) for name, own in _label_sets(labels) for label in own or [""])
        return _write_table(place, (["document", "category"], pairs), disarm)
    if layout == "trec":
        _check_names((*labels.categories, *labels.documents), " \t")
        return _write_lines(place, (f"{name} 0 {label} 1" for name, own in _label_sets(labels) for label in own))
    if layout == "fasttext":
        _check_names(labels.categories, " \t")
        return _write_lines(place, (" ".join(PREFIX + label for label in own) for _, own in _label_sets(labels)))
    raise UnknownName("layout", layout, ("long", "wide", "trec", "fasttext", "xmc"))


def _check_names(names: Iterable[str], forbidden: str) -> None:
    for name in names:
        if any(sign in name for sign in forbidden):
            raise InvalidInput(
                f"{name!r} holds a character that separates names in this layout; write it with layout='long'"
            )


def _label_sets(labels: Decisions) -> Iterator[tuple[str, tuple[str, ...]]]:
    return zip(labels.documents, label_tuples(labels.values, labels.categories), strict=True)


def _long(run: Run) -> HeadedRows:
    header = ["document", "category"]
    header += ["score"] if run.scores is not None else []
    header += ["decision"] if run.decisions is not None else []
    return header, _long_rows(run)


def _long_rows(run: Run) -> Iterator[Sequence[Any]]:
    """Yield one row per pair with a score or a positive decision; a document without any has a row of empty cells."""
    for row, name in enumerate(run.documents):
        scores = _scores(run.scores, row) if run.scores is not None else {}
        chosen = set(_columns(run.decisions.values, row)) if run.decisions is not None else set()
        extra = (run.scores is not None) + (run.decisions is not None)
        for column in sorted({*scores, *chosen}):
            cells: list[Any] = [name, run.categories[column]]
            cells += [scores.get(column)] if run.scores is not None else []
            cells += [int(column in chosen)] if run.decisions is not None else []
            yield cells
        if not scores and not chosen:
            yield [name, "", *[None] * extra]


def _columns(matrix: Any, row: int) -> list[int]:
    return matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]].tolist()


def _scores(scores: Scores, row: int) -> dict[int, float]:
    """Return the scores of a document by column; a finite floor is written out, -inf is not."""
    values: Any = scores.values
    if not sparse.issparse(values):
        return {column: float(score) for column, score in enumerate(values[row]) if score > -np.inf}
    stored = values.data[values.indptr[row] : values.indptr[row + 1]].tolist()
    every = {} if scores.floor == -np.inf else dict.fromkeys(range(values.shape[1]), float(scores.floor))
    return {**every, **dict(zip(_columns(values, row), stored, strict=True))}


def _trec_run(run: Run) -> Iterator[str]:
    if run.scores is None:
        raise InvalidInput(f"run {run.name!r} has no scores, and a TREC run needs them; write it long")
    _check_names((*run.categories, *run.documents, run.name), " \t")
    for row, name in enumerate(run.documents):
        order = sorted(_scores(run.scores, row).items(), key=lambda item: -item[1])
        for rank, (column, score) in enumerate(order, start=1):
            yield f"{name} Q0 {run.categories[column]} {rank} {score!r} {run.name}"


def _xmc_run(run: Run) -> Iterator[str]:
    if run.scores is None:
        raise InvalidInput(f"run {run.name!r} has no scores, which this layout holds; write it long")
    other = next((name for name in run.categories if not (name.isascii() and name.isdigit())), None)
    if other is not None:
        raise InvalidInput(f"the category {other!r} is not a number, which this layout asks for; write it long")
    yield f"{len(run.documents)} {max(map(int, run.categories), default=-1) + 1}"
    for row in range(len(run.documents)):
        scores = sorted(_scores(run.scores, row).items(), key=lambda item: -item[1])
        yield " ".join(f"{run.categories[column]}:{score!r}" for column, score in scores)


def _write_lines(path: Path, lines: Iterable[str]) -> Path:
    with atomic_text(path) as text:
        text.writelines(f"{line}\n" for line in lines)
    return path


def _write_table(path: Path, table: HeadedRows, disarm: bool) -> Path:
    writers: dict[str, Callable[[Path, HeadedRows], Path]] = {".parquet": _write_parquet, ".pq": _write_parquet}
    writers |= {".jsonl": _write_json, ".ndjson": _write_json}
    if path.suffix in writers:
        return writers[path.suffix](path, table)
    return _write_csv(path, (table[0], ([inert(cell) for cell in row] for row in table[1])) if disarm else table)


def _write_csv(path: Path, table: HeadedRows) -> Path:
    header, rows = table
    with atomic_text(path) as text:
        writer = csv.writer(text, delimiter="\t" if path.suffix == ".tsv" else ",", lineterminator="\n")
        writer.writerow(header)
        writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
    return path


def _write_json(path: Path, table: HeadedRows) -> Path:
    header, rows = table
    return _write_lines(path, (json.dumps(dict(zip(header, row, strict=True)), ensure_ascii=False) for row in rows))


def _write_parquet(path: Path, table: HeadedRows) -> Path:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra("frames", "Parquet files") from None
    header, rows = table
    columns = list(zip(*rows, strict=True)) or [()] * len(header)
    content = pyarrow.table({name: list(cells) for name, cells in zip(header, columns, strict=True)})
    with atomic(path) as stream:
        pyarrow.parquet.write_table(content, stream)
    return path
