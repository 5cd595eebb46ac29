"""How good a system is over all documents, from a labelled sample and its predictions for all."""
