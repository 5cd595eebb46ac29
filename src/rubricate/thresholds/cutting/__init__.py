"""Scores in one checked form, the cuts worth trying, and decisions at cuts."""
