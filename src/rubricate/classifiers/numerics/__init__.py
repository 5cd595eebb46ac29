"""Numerical methods that classifiers share: matrices, decompositions, networks, trees, nearest neighbours."""
