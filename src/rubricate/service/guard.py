"""What every request passes before it reaches an address: limits, origin, metrics, the log.

A plain ASGI layer, so that streams flow through it in both directions.
"""

from __future__ import annotations

import logging
import re
import secrets
import time
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rubricate.service.access.identity import ANYONE, OPEN, Identity, allows
from rubricate.service.logs import log
from rubricate.service.problems import Refusal, refusal_response
from rubricate.service.settings import ServiceSettings, is_loopback
from rubricate.service.state import Service

__all__ = ["RequestGuard"]

STREAMED = ("application/x-ndjson", "application/jsonl", "text/csv")
"""Bodies that are read as they come; only their lines are limited."""
PUBLIC = ("/health", "/ready")
"""Addresses for monitors, which tell nothing about documents."""
SAFE = ("GET", "HEAD", "OPTIONS")
SECURITY_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


class RequestGuard:
    """Refuses what is too long or comes from another site; counts and logs every request."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app, self._service = app, service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), 500

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *SECURITY_HEADERS]
            await send(message)

        try:
            self._check(scope)
            await self._app(scope, self._limited(scope, receive), noted)
        except Refusal as refusal:
            await refusal_response(refusal)(scope, receive, noted)
        except Exception as error:
            log("request failed", level=logging.ERROR, error=error, path=scope["path"])
            await refusal_response(Refusal(500, "an error of the service; its log has the details"))(
                scope, receive, noted
            )
        finally:
            self._note(scope, status, time.perf_counter() - began)

    def _check(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        check_origin(scope["method"], headers, self._service.settings)
        identity = self._identity(headers)
        if not allows(identity, "read") and scope["path"] not in PUBLIC:
            raise Refusal(401, "no valid token; send 'Authorization: Bearer TOKEN'")
        scope["identity"] = identity
        length = headers.get("content-length", "")
        if length.isdigit() and int(length) > self._service.settings.max_body and not _streamed(headers):
            raise self._too_long()

    def _identity(self, headers: Headers) -> Identity:
        token = self._service.settings.token
        if token is None:
            return OPEN
        given = headers.get("authorization", "").removeprefix("Bearer ")
        same = secrets.compare_digest(given.encode(), token.encode())
        return Identity("token", "admin", "token") if same else ANYONE

    def _limited(self, scope: Scope, receive: Receive) -> Receive:
        """Count the bytes of a body that does not say its length."""
        if _streamed(Headers(scope=scope)):
            return receive
        count = 0

        async def counted() -> Message:
            nonlocal count
            message = await receive()
            count += len(message.get("body", b""))
            if count > self._service.settings.max_body:
                raise self._too_long()
            return message

        return counted

    def _too_long(self) -> Refusal:
        most = self._service.settings.max_body >> 20
        return Refusal(413, f"the body is longer than {most} MB; send fewer documents at a time, or NDJSON")

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "unknown")
        self._service.metrics.request(scope["method"], route, status, seconds=seconds)
        facts: dict[str, Any] = {"method": scope["method"], "path": scope["path"][:200], "status": status}
        client = scope.get("client")
        log("request", **facts, milliseconds=round(1000 * seconds, 2), client=client[0] if client else None)


def _streamed(headers: Headers) -> bool:
    return headers.get("content-type", "").partition(";")[0].strip().lower() in STREAMED


def check_origin(method: str, headers: Headers, settings: ServiceSettings) -> None:
    """Refuse requests that a page of another site sends through the user's browser.

    A service on the loopback answers only to its own names, so that no foreign name that points here (DNS rebinding)
    is served; and nothing is changed for a page of another origin.
    """
    host = headers.get("host", "")
    name = re.sub(r":\d*$", "", host).strip("[]")
    if is_loopback(settings.host) and name not in ("", "testserver") and not is_loopback(name):
        raise Refusal(403, f"this service is local; it does not answer to the name {name[:100]!r}")
    origin = headers.get("origin")
    if method in SAFE or origin is None:
        return
    if origin.partition("://")[2] != host:
        raise Refusal(403, "the request comes from a page of another site")
