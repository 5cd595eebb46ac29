"""Files of clients: limited, stored under names of ours, parsed in processes that can be killed."""

from __future__ import annotations

__all__ = ["UNNAMED"]

UNNAMED = "\x00row "
"""How the ids begin of documents that have none in their file."""
