"""Numbered migrations: `NNNN_name.sql`, or one file per kind of database. Applied once, in order, never changed."""
