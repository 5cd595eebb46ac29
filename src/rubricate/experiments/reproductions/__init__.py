"""One paper per file: what was published, with which settings, and how ours is computed."""
