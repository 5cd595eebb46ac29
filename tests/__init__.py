"""Tests; a package of its own, because some peers install one of this name."""
