"""A model as plain arithmetic: what `rubricate classify` needs for a few documents, without an estimator class."""
