"""Exact leave-one-out of support vector machines: which documents are in doubt, and their retraining."""
