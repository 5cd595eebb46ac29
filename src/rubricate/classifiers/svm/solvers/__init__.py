"""Solvers and parameters of support vector machines."""
