"""The model file: an estimator as JSON and arrays."""
