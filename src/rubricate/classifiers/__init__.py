"""Vectors → scores: one file a system."""
