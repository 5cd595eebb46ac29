"""Names of output files: an ending that promises another format than the one written is refused."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from rubricate.errors import InvalidInput

__all__ = ["check_ending", "inner_ending", "names_other_format"]

TABLES = {".csv", ".tsv", ".tab", ".xlsx", ".xlsm", ".xls", ".ods", ".parquet", ".pq", ".feather", ".arrow", ".sqlite"}
OBJECTS = {
    ".json",
    ".jsonl",
    ".ndjson",
    ".xml",
    ".yaml",
    ".yml",
    ".npy",
    ".npz",
    ".pkl",
    ".joblib",
    ".rubric",
    ".fasttext",
}
PAGES = {".pdf", ".svg", ".png", ".jpg", ".html", ".htm", ".md", ".tex", ".doc", ".docx", ".odt", ".rtf"}
PACKED = {".zip", ".tar", ".tgz", ".7z", ".bz2", ".xz", ".zst"}
FORMAT_ENDINGS = frozenset(TABLES | OBJECTS | PAGES | PACKED)
"""Endings that everybody takes for a format; others, such as that of `tmp.Xa3b`, promise nothing."""


def inner_ending(path: Path) -> str:
    """Return the ending in lower case, without a last `.gz`.

    >>> inner_ending(Path("run.CSV.gz")), inner_ending(Path("run"))
    ('.csv', '')
    """
    return Path(path.stem if path.suffix.lower() == ".gz" else path.name).suffix.lower()


def names_other_format(path: Path, endings: Collection[str]) -> bool:
    """Return whether the name promises a format that is none of these."""
    return inner_ending(path) in FORMAT_ENDINGS.difference(endings)


def check_ending(option: str, path: Path | None, endings: Collection[str], *, optional: bool = False) -> None:
    """Refuse a name without one of these endings; if `optional`, only one that promises another format."""
    if path is None or path.suffix.lower() in endings or (optional and not names_other_format(path, endings)):
        return
    *most, last = endings
    listed = f"{', '.join(most)} or {last}" if most else last
    raise InvalidInput(f"{option} {path}: that format is not supported. Fix: give a name that ends in {listed}")
