"""Two systems → p-values: one file a test; corrections for many."""
