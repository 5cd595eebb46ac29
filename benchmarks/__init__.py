"""Rubricate against its peers, side by side in one run. `python -m benchmarks` runs all and renews RESULTS.md."""
