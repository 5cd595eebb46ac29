"""Classifiers; `classic` has systems of the papers, `hierarchical` those that use a taxonomy.

`Scorer` is the base of them all.
"""

from rubricate._exports import attach

__getattr__, __dir__, __all__ = attach(__name__)
