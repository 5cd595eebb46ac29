"""Scores → decisions: one file a way of cutting."""
