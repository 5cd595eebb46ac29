"""Tables, figures and the report page."""

from rubricate._exports import attach

__getattr__, __dir__, __all__ = attach(__name__)
