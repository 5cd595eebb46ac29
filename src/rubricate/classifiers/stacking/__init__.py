"""The second level of a stack: cells and their blend."""
