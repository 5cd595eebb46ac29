"""How classifiers keep what they have learned."""
