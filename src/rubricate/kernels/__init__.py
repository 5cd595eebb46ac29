"""Compiled loops: arrays in, arrays out. They import nothing of ours, read no configuration, log nothing."""
