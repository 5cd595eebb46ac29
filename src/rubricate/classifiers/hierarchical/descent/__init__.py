"""How documents go down a hierarchy of categories."""
