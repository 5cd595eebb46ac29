"""Classifiers that use a hierarchy of categories."""
