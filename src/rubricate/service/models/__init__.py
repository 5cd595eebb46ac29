"""Models in use: opened once, swapped when their file changes, asked in batches."""
