"""What to check first: labels that look wrong, and decisions whose correction gains most."""
