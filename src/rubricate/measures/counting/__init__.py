"""Contingency tables: counted, summed, averaged, and grouped by training frequency."""
