"""Statements of RDF files, as far as SKOS thesauri need them."""
