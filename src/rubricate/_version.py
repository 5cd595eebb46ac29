"""The version, below everything, so that results can carry it."""

from __future__ import annotations

__all__ = ["__version__"]

__version__ = "0.2.0"
