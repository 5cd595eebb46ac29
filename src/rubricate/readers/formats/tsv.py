"""TSV: like CSV, with a tab between cells."""

from __future__ import annotations

from functools import partial

from rubricate.readers.delimited import delimited_records, write_delimited
from rubricate.readers.reader import Reader

__all__ = ["TSV"]

TSV = Reader(
    partial(delimited_records, delimiter="\t"),
    suffixes=(".tsv", ".tab"),
    write=partial(write_delimited, delimiter="\t"),
)
