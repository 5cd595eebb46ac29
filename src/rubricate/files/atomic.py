"""The one safe writer, by its former name; see `rubricate.atomic`."""

from __future__ import annotations

from rubricate.atomic import atomic, atomic_text, write_file

__all__ = ["atomic", "atomic_text", "write_file"]
