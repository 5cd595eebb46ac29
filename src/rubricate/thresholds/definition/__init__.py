"""What a threshold is, how one is found by name, and decisions in one call."""
