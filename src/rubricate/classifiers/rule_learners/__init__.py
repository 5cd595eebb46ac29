"""Classifiers that learn rules."""
