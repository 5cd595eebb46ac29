"""What a measure is, how one is found by name, and the answer to 0/0."""
