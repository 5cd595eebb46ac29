"""Trees and graphs of categories: structure, coverage, distance; and the files that hold them."""

from rubricate._exports import attach

__getattr__, __dir__, __all__ = attach(__name__)
