"""Rules, learned or hand-written: form, parser, engine, explanations."""

from rubricate._exports import attach

__getattr__, __dir__, __all__ = attach(__name__)
