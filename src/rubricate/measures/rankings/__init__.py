"""Scores as rankings and probabilities: places of true labels, cuts, abstention, reliability."""
