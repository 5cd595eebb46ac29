"""Test statistics and their null distributions, free of systems and runs."""
