"""Experiments: plans, the store, tuning, studies."""

from rubricate._exports import attach

__getattr__, __dir__, __all__ = attach(__name__)
