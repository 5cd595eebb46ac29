"""Compiled loops: arrays in, arrays out.

One library in plain C11 (`native/*.c` in the sources), loaded once by `library`; one thin module for each family of
functions. Modules here import nothing of ours except `errors`, read no configuration and log nothing.
"""
