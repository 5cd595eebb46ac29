"""CSV: comma-separated values, or another delimiter if the header shows it."""

from __future__ import annotations

from rubricate.readers.delimited import delimited_records, write_delimited
from rubricate.readers.reader import Reader

__all__ = ["CSV"]

CSV = Reader(delimited_records, suffixes=(".csv",), write=write_delimited)
