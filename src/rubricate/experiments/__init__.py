"""Plans, running them, the store of results, and the reproductions of the papers."""
