"""The user's own files: CSV, JSON lines, Parquet, folders of texts; one file per format in `formats/`."""

from rubricate._exports import attach

__getattr__, __dir__, __all__ = attach(__name__)
