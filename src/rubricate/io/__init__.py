"""Files of documents, predictions and taxonomies: one module per format, or for formats that are alike."""

from rubricate._exports import attach

__getattr__, __dir__, __all__ = attach(__name__)
