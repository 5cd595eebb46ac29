"""Training: settings, plan, run, and the fitted model with its answers.

Model files are here, not in `io`, because they need classifiers.
"""
