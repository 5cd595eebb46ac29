"""Estimates of whole systems: texts, corpora and labels in any form."""
