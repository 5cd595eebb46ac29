"""One paper a file: what was published, with which settings, and how ours is made."""
