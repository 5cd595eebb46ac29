"""The file of a sample: people fill in the column `labels`, the other columns say how the documents were drawn.

Columns: document, labels, stratum, size (documents of the stratum in the population), probability (of being drawn),
batch, design, check. A cell `?` is not labelled yet; an empty cell says that no category applies. `check` is a
digest of the row without its labels: a row whose design was changed is refused.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rubricate.errors import InvalidFile, InvalidInput
from rubricate.io.predictions import read_truth
from rubricate.io.tables import InputTable, open_file, tables
from rubricate.labelling.population_categories import LabelledSample
from rubricate.labelling.predictions import labels_over_run
from rubricate.labelling.sample import Sample
from rubricate.labels import label_matrix
from rubricate.storage import atomic_text
from rubricate.types import Run

__all__ = ["UNLABELLED", "SampleFile", "read_labelled", "read_sample", "write_sample"]

UNLABELLED = "?"
COLUMNS = ("document", "labels", "stratum", "size", "probability", "batch", "design", "check")


def _check(document: str, stratum: int, size: int, probability: float, design: str) -> str:
    text = f"{document}\n{stratum}\n{size}\n{probability:.10g}\n{design}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def write_sample(sample: Sample, path: str | Path, *, labels: Mapping[str, str] | None = None) -> Path:
    """Write the file to label, as CSV; `labels` has the cells of documents that were labelled before."""
    place = Path(path)
    design = f"{sample.design}:{sample.measure}:{sample.seed}"
    known = labels or {}
    with atomic_text(place) as text:
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row, name in enumerate(sample.documents):
            h, p = int(sample.stratum[row]), float(sample.probability[row])
            size = int(sample.sizes[h])
            check = _check(name, h, size, p, design)
            cells = (name, known.get(name, UNLABELLED), h, size, f"{p:.10g}", int(sample.batch[row]), design, check)
            writer.writerow(cells)
    return place


@dataclass(frozen=True, eq=False)
class SampleFile:
    """A sample read from its file, with the cells that people filled in."""

    path: Path
    sample: Sample
    cells: Mapping[str, str]

    def labelled(self, run: Run) -> LabelledSample:
        """Return the labelled documents as a sample of a population.

        Documents that are not labelled yet count as not drawn: within a stratum those labelled must be a random part,
        as they are if people label from the top.
        """
        done = [row for row, name in enumerate(self.sample.documents) if self.cells[name].strip() != UNLABELLED]
        if not done:
            raise InvalidFile(
                "no document is labelled", path=self.path, remedy=f"replace {UNLABELLED} in the column labels"
            )
        names = [self.sample.documents[row] for row in done]
        matrix, categories = label_matrix([_set(self.cells[name]) for name in names])
        labels = labels_over_run(matrix, categories, run)
        return LabelledSample(_places(names, run), self.sample.stratum[done], self.sample.sizes, labels)


def _set(cell: str) -> set[str]:
    return {part.strip() for part in cell.split(";") if part.strip()}


def _places(names: Sequence[str], run: Run) -> np.ndarray:
    place = {str(name): row for row, name in enumerate(run.documents)}
    outside = [name for name in names if name not in place]
    if outside:
        raise InvalidInput(
            f"labels outside the population: {len(outside)} labelled documents are not among all documents, such as "
            f"{outside[0]}; give the predictions that the sample was drawn from"
        )
    return np.array([place[name] for name in names], np.int64)


def _has_design(path: Path) -> bool:
    with open_file(path) as file:
        header = file.start.lower()
        if file.kind == "workbook":
            header = " ".join(next(tables(file)).names).lower()
    return "check" in header and "probability" in header and "stratum" in header


def read_labelled(path: str | Path, run: Run) -> LabelledSample:
    """Read labelled documents of a population: the file of a sample, or any file of labels (a uniform sample then)."""
    place = Path(path)
    if _has_design(place):
        return read_sample(place).labelled(run)
    truth = read_truth(place)
    rows = _places([str(name) for name in truth.documents], run)
    labels = labels_over_run(truth.values, truth.categories, run)
    return LabelledSample(rows, np.zeros(len(rows), np.int64), np.array([len(run.documents)]), labels)


def read_sample(path: str | Path) -> SampleFile:
    """Read the file of a sample and check that its design is what was written."""
    place = Path(path)
    rows: list[dict[str, str]] = []
    with open_file(place) as file:
        table = next(tables(file), InputTable([], iter(())))
        names = [str(name).strip().lower() for name in table.names]
        missing = [name for name in COLUMNS if name not in names]
        if missing:
            raise InvalidFile(
                f"column {missing[0]!r} is missing", path=place, line=1, remedy="keep the columns of rubricate sample"
            )
        for line, cells in table.rows:
            row = {name: str(cell) for name, cell in zip(names, cells, strict=False)}
            _checked(row, place, line)
            rows.append(row)
    if not rows:
        raise InvalidFile("the sample has no documents", path=place, remedy="draw one with rubricate sample")
    if len({row["document"] for row in rows}) < len(rows):
        raise InvalidFile("a document occurs twice", path=place, remedy="keep one row per document")
    if len({row["design"] for row in rows}) > 1:
        raise InvalidFile("rows of different samples", path=place, remedy="keep the samples in files of their own")
    design, measure, seed = rows[0]["design"].split(":")
    stratum = np.array([int(row["stratum"]) for row in rows], np.int64)
    sizes = np.zeros(int(stratum.max()) + 1, np.int64)
    sizes[stratum] = [int(row["size"]) for row in rows]
    documents = tuple(row["document"] for row in rows)
    batch = np.array([int(row["batch"] or 1) for row in rows], np.int64)
    empty = np.zeros(len(rows), np.int64)
    sample = Sample(documents, empty, stratum, sizes, batch, design, measure, int(seed))
    return SampleFile(place, sample, {row["document"]: row["labels"] for row in rows})


def _checked(row: Mapping[str, str], path: Path, line: int) -> None:
    try:
        stratum, size, probability = int(row["stratum"]), int(row["size"]), float(row["probability"])
    except (KeyError, ValueError):
        raise InvalidFile(
            "stratum, size or probability is not a number", path=path, line=line, remedy="restore the row as written"
        ) from None
    if not 0 < probability <= 1:
        raise InvalidFile(
            f"the inclusion probability {probability:g} is not within 0 and 1, so the document has no weight",
            path=path,
            line=line,
            remedy="restore the row as rubricate sample wrote it",
        )
    if row["check"].strip() != _check(row["document"], stratum, size, probability, row["design"]):
        raise InvalidFile(
            f"the design of document {row['document']!r} was changed (inclusion probability, stratum or size)",
            path=path,
            line=line,
            remedy="restore the row as rubricate sample wrote it, and change only the column labels",
        )
