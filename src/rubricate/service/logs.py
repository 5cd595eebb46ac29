"""Structured logs: one JSON object per line on standard error; no text of documents unless asked."""

from __future__ import annotations

import json
import logging
import sys
import time
import traceback
from types import TracebackType
from typing import Any

__all__ = ["log", "log_to_standard_error"]

_LOGGER = logging.getLogger("rubricate.service")
_SERVER = logging.getLogger("uvicorn.error")


class _JsonLines(logging.Formatter):
    """Formats a record as one JSON object; the words of an error, which may be a document's, only where `quote` is."""

    def __init__(self, *, quote: bool) -> None:
        super().__init__()
        self._quote = quote

    def format(self, record: logging.LogRecord) -> str:
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        entry: dict[str, Any] = {
            "time": f"{moment}.{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, "facts", {}),
        }
        if record.exc_info and record.exc_info[0] is not None:
            kind, _, place = record.exc_info
            entry["error"] = kind.__name__
            entry["traceback"] = self.formatException(record.exc_info) if self._quote else _places(place)
        return json.dumps(entry, ensure_ascii=False, default=str)


def log(event: str, *, level: int = logging.INFO, error: BaseException | None = None, **facts: Any) -> None:
    """Log an event with facts; `error` adds where it happened."""
    _LOGGER.log(level, event, extra={"facts": facts}, exc_info=error)


def _places(place: TracebackType | None) -> list[str]:
    """Return where an error happened, without its words and without the lines of code."""
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(place)]


def log_to_standard_error(*, quote: bool = False) -> None:
    """Send the logs of the service to standard error; the command does this, a library user decides for himself.

    `quote` lets messages of errors be quoted, which may hold text of documents.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonLines(quote=quote))
    for logger, level in ((_LOGGER, logging.INFO), (_SERVER, logging.WARNING)):
        logger.handlers[:] = [handler]
        logger.setLevel(level)
        logger.propagate = False
