"""Decision trees on the presence of words: growing, pruning, drawing."""
