"""Confidence intervals: Wilson for proportions, the document bootstrap for everything else."""
