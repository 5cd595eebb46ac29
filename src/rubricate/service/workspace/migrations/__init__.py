"""Revisions of the workspace's database for Alembic, in order; a released revision is never changed."""

from sqlalchemy import BigInteger, Integer

__all__ = ["KEY", "NUMBER"]

NUMBER = BigInteger()
"""A whole number of 64 bits."""
KEY = NUMBER.with_variant(Integer(), "sqlite")
"""A number that the database counts up; SQLite does so for INTEGER alone."""
