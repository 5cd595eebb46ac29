"""Compiled loops: arrays in, arrays out. They import nothing of ours, read no configuration, log nothing."""

from rubricate.kernels._cache import code_folder, is_compiled, register

__all__ = ["code_folder", "is_compiled"]

register()  # before the first kernel is defined
