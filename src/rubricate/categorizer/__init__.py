"""The whole flow as one estimator, its model file, and predictions read from and written to files."""
