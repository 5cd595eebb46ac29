"""Predictions of any system, in files and in memory."""
