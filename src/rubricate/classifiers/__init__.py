"""Classifiers: one file per system, packages for families. `Scorer` is the base of them all."""

from rubricate._exports import attach

__getattr__, __dir__, __all__ = attach(__name__)
