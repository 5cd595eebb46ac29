"""Download one address to one file by HTTPS, and resume where a download broke off.

Plain HTTP is allowed to this machine only, as are redirects to it from it; everything else must be HTTPS.
What has arrived so far is kept beside the target under the name `….part`; it becomes the target only when it is
whole and the caller has checked it. A server that does not know ranges sends everything again.
"""

from __future__ import annotations

import http.client
import os
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from rubricate.errors import InvalidFile, InvalidInput
from rubricate.types import Progress

__all__ = ["MAX_BYTES", "download", "part_of"]

_BLOCK = 1 << 18
_SECONDS = 30.0
_ATTEMPTS = 3
_PARTIAL, _NO_SUCH_RANGE = 206, 416
MAX_BYTES = 2 << 30
"""Most bytes of one download; the largest file on record has less than a tenth of that."""


def part_of(target: Path) -> Path:
    """Return where an unfinished download of this target is kept."""
    return target.with_name(target.name + ".part")


def download(address: str, target: Path, *, progress: Progress | None = None, max_bytes: int = MAX_BYTES) -> Path:
    """Download a file and return the path of the finished part file; OSError when the address cannot be read."""
    if not (_is_https(address) or _is_local(address)):
        raise InvalidInput(f"cannot download {address!r}; give an https address")
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            if _continue(address, target, progress, max_bytes=max_bytes):
                return part_of(target)
        except (OSError, http.client.HTTPException) as error:
            if attempt == _ATTEMPTS or isinstance(error, urllib.error.HTTPError):
                raise OSError(f"{address}: {error or type(error).__name__}") from error
    raise OSError(f"{address}: the connection ends before the file does")


def _is_https(address: str) -> bool:
    return urlsplit(address).scheme == "https"


def _is_local(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme == "http" and parts.hostname in ("127.0.0.1", "::1", "localhost")


class _SafeRedirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects to HTTPS only; urllib would also follow them to plain HTTP and FTP."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        if _is_https(newurl) or (_is_local(newurl) and _is_local(req.full_url)):
            return super().redirect_request(req, fp, code, msg, headers, newurl)
        problem = f"redirects to {newurl!r:.200}, which is not an https address"
        raise urllib.error.HTTPError(req.full_url, code, problem, headers, fp)


def _continue(address: str, target: Path, progress: Progress | None, *, max_bytes: int) -> bool:
    """Fetch what is missing; return whether the whole file has arrived."""
    part = part_of(target)
    have = part.stat().st_size if part.exists() else 0
    request = urllib.request.Request(address, headers={"Range": f"bytes={have}-"} if have else {})  # noqa: S310
    try:
        with urllib.request.build_opener(_SafeRedirects).open(request, timeout=_SECONDS) as answer:
            have = have if answer.status == _PARTIAL else 0
            return _receive(answer, part, have, progress=progress, max_bytes=max_bytes)
    except urllib.error.HTTPError as error:
        if error.code != _NO_SUCH_RANGE or not have:
            raise
        if error.headers.get("Content-Range", "").endswith(f"/{have}"):
            return True
        part.unlink()
        return False


def _receive(answer: Any, part: Path, have: int, *, progress: Progress | None, max_bytes: int) -> bool:
    length = answer.headers.get("Content-Length", "")
    total = have + int(length) if length.isdecimal() else None
    _check_size(part, max(have, total or 0), max_bytes)
    with part.open("ab" if have else "wb") as sink:
        if progress is not None:
            progress(have, total=total, text=part.name.removesuffix(".part"))
        while block := answer.read(_BLOCK):
            sink.write(block)
            have += len(block)
            _check_size(part, have, max_bytes)
            if progress is not None:
                progress(len(block))
        sink.flush()
        os.fsync(sink.fileno())  # a power cut after the renaming must not leave other bytes than were checked
    return total is None or have == total


def _check_size(part: Path, size: int, max_bytes: int) -> None:
    if size > max_bytes:
        part.unlink(missing_ok=True)
        problem = f"the server sends more than {max_bytes:,} bytes"
        raise InvalidFile(problem, path=part, remedy="get the file yourself and give it with --from PATH")
