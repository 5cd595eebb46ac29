"""Deprecated: this package is now `rubricate.io`."""

from rubricate._deprecated import forward

__getattr__ = forward(__name__)
