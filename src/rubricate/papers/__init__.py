"""Reproductions: the tables of papers as data, and how each is computed again."""
