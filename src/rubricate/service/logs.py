"""Structured logs: one JSON object per line on standard error; no text of documents unless asked."""

from __future__ import annotations

import json
import logging
import sys
import time
from typing import Any

__all__ = ["log", "log_to_standard_error"]

_LOGGER = logging.getLogger("rubricate.service")


class _JsonLines(logging.Formatter):
    """Formats a record as one JSON object."""

    def format(self, record: logging.LogRecord) -> str:
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        entry: dict[str, Any] = {
            "time": f"{moment}.{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, "facts", {}),
        }
        if record.exc_info:
            entry["traceback"] = self.formatException(record.exc_info)
        return json.dumps(entry, ensure_ascii=False, default=str)


def log(event: str, *, level: int = logging.INFO, error: BaseException | None = None, **facts: Any) -> None:
    """Log an event with facts; `error` adds where it happened."""
    _LOGGER.log(level, event, extra={"facts": facts}, exc_info=error)


def log_to_standard_error() -> None:
    """Send the logs of the service to standard error; the command does this, a library user decides for himself."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonLines())
    _LOGGER.handlers[:] = [handler]
    _LOGGER.setLevel(logging.INFO)
    _LOGGER.propagate = False
