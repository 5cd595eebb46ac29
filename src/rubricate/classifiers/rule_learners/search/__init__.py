"""How rules are searched and pruned."""
