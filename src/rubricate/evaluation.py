"""Deprecated: this package is now `rubricate.measures`."""

from rubricate._deprecated import forward

__getattr__ = forward(__name__)
