"""Agreement between annotators: coefficients, label sets, disagreements, and whether a model may replace a person."""
