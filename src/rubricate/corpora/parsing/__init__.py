"""Parsers of formats that several or old corpora use: HTML, MEDLINE, text of mixed encodings."""
