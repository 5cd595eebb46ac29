"""A corpus in numbers: counts, skew and duplicates."""
