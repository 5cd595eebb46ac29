"""Trees and graphs of categories: structure, coverage, distance."""
