"""Decisions and rankings → numbers: one file a measure."""
