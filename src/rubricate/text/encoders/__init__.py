"""Encoders: texts → dense vectors, from files that the user has. Nothing here downloads or executes anything."""
