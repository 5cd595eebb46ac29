"""What every request passes before it reaches an address: limits, origin, metrics, the log.

A plain ASGI layer, so that streams flow through it in both directions.
"""

from __future__ import annotations

import contextlib
import logging
import re
import secrets
import time
from asyncio import to_thread
from http.cookies import CookieError, SimpleCookie
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rubricate.errors import RubricateError
from rubricate.service.identity import ANYONE, OPEN, SERVICE_TOKEN, Identity, allows
from rubricate.service.logs import log
from rubricate.service.problems import Refusal, refusal_response
from rubricate.service.rates import network_of
from rubricate.service.settings import is_loopback
from rubricate.service.state import Service

__all__ = ["COOKIE", "RequestGuard"]

STREAMED = ("application/x-ndjson", "application/jsonl", "text/csv")
STREAMING = re.compile(r"/models/[^/]+/classify|/projects/[^/]+/documents")
"""Content types and addresses of bodies that are read as they come; only their lines are limited."""
MONITORED = ("/health", "/ready")
"""Addresses for monitors, outside the rate limits: a monitor that gets 429 would restart a busy service."""
PUBLIC = (*MONITORED, "/login")
"""Addresses for monitors and for those who want to log in; they tell nothing about documents."""
UNAUDITED = ("/models/{name}/classify", "/projects/{p}/queue", "unknown")
"""Addresses that change nothing, or only for whom documents are reserved for some minutes."""
HARMLESS = ("/evaluate", "/compare")
"""Addresses that change nothing, so that a plain form may send them without the header of the session."""
PUBLIC_BODY = 16 << 10
"""Most bytes of a body for /login, and of any body whose sender is unknown: a name and a password need less."""
COOKIE = "rubricate_session"
SAFE = ("GET", "HEAD", "OPTIONS")
SECURITY_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),  # with no-referrer browsers would hide the origin of our own forms
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
            most = await self._check(scope)
            await self._app(scope, receive if most is None else _limited(receive, most), noted)
        except Refusal as refusal:
            await refusal_response(refusal)(scope, receive, noted)
        except Exception as error:
            log("request failed", level=logging.ERROR, error=error, path=scope["path"])
            await refusal_response(Refusal(500, "an error of the service; its log has the details"))(
                scope, receive, noted
            )
        finally:
            await self._note(scope, status, time.perf_counter() - began)

    async def _check(self, scope: Scope) -> int | None:
        """Refuse what is not allowed; return the most bytes of the body, None for a stream."""
        service, headers, method = self._service, Headers(scope=scope), scope["method"]
        if service.rates is not None and scope["path"] not in MONITORED:
            wait = service.rates.wait(network_of(_client(scope)))
            if wait:
                raise Refusal(429, "too many requests; wait before the next", retry=wait)
        identity = await self._identity(headers)
        check_origin(method, headers, local=identity is OPEN)
        if not allows(identity, "read") and not _public(scope["path"]):
            if method == "GET" and "text/html" in headers.get("accept", ""):
                raise Refusal(303, "/login")
            raise Refusal(401, "who are you? Send 'Authorization: Bearer TOKEN', or log in")
        if identity.proof == "session" and method not in SAFE and scope["path"] not in HARMLESS:
            given = headers.get("x-csrf-token", "")
            if not secrets.compare_digest(given.encode(), identity.csrf.encode()):
                raise Refusal(403, "the header X-CSRF-Token does not fit the session; load the page again")
        scope["identity"] = identity
        most = self._body_limit(scope, headers)
        length = headers.get("content-length", "")
        if most is not None and length.isdecimal() and int(length) > most:
            raise _too_long(most)
        return most

    async def _identity(self, headers: Headers) -> Identity:
        """Return who sends a request: by the token of the service, a token or a session of an account.

        Without a token and accounts a local service is open; one that other machines can reach is closed to all.
        """
        service = self._service
        guarded = service.known_guarded()
        if not (await to_thread(service.guarded) if guarded is None else guarded):
            return OPEN if service.settings.is_local else ANYONE
        given = headers.get("authorization", "")
        if given.startswith("Bearer "):
            return await self._by_token(given.removeprefix("Bearer "))
        cookie = _cookie(headers)
        if cookie and service.workspace is not None:
            return await to_thread(service.workspace.accounts.by_session, cookie) or ANYONE
        return ANYONE

    async def _by_token(self, given: str) -> Identity:
        service, token = self._service, self._service.settings.token
        if token is not None and secrets.compare_digest(given.encode(), token.encode()):
            return SERVICE_TOKEN
        if service.workspace is None:
            return ANYONE
        return await to_thread(service.workspace.accounts.by_token, given) or ANYONE

    def _body_limit(self, scope: Scope, headers: Headers) -> int | None:
        """Return the most bytes of a body, None for a stream of somebody who may come in."""
        if scope["path"] == "/login" or not allows(scope["identity"], "read"):
            return PUBLIC_BODY
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        streamed = kind in STREAMED and scope["method"] == "POST" and STREAMING.fullmatch(scope["path"])
        return None if streamed else self._service.settings.max_body

    async def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "unknown")
        method, path, client = scope["method"], scope["path"][:200], _client(scope)
        who = scope.get("identity", ANYONE).name
        self._service.metrics.request(method, route, status, seconds=seconds)
        facts: dict[str, Any] = {"method": method, "path": path, "status": status, "who": who, "client": client}
        log("request", **facts, milliseconds=round(1000 * seconds, 2))
        if self._service.workspace is not None and method not in SAFE and route not in UNAUDITED:
            note, about = self._service.workspace.accounts.note, scope.get("about", "")
            with contextlib.suppress(RubricateError):
                await to_thread(note, who, client, method, path=path, status=status, about=about)


def _client(scope: Scope) -> str:
    client = scope.get("client")
    return client[0] if client else ""


def _public(path: str) -> bool:
    return path in PUBLIC or path.startswith("/static/")


def _cookie(headers: Headers) -> str:
    cookies = SimpleCookie()
    with contextlib.suppress(CookieError):
        cookies.load(headers.get("cookie", ""))
    return cookies[COOKIE].value if COOKIE in cookies else ""


def _limited(receive: Receive, most: int) -> Receive:
    """Count the bytes of a body, which may not say its length."""
    count = 0

    async def counted() -> Message:
        nonlocal count
        message = await receive()
        count += len(message.get("body", b""))
        if count > most:
            raise _too_long(most)
        return message

    return counted


def _too_long(most: int) -> Refusal:
    if most <= PUBLIC_BODY:
        return Refusal(413, f"the body is longer than {most >> 10} KB")
    return Refusal(413, f"the body is longer than {most >> 20} MB. Fix: send fewer documents at a time, or NDJSON")


def check_origin(method: str, headers: Headers, *, local: bool) -> None:
    """Refuse requests that a page of another site sends through the user's browser.

    A service that trusts whoever reaches it on the loopback (`local`) answers only to its own names, so that no foreign
    name that points here (DNS rebinding) is served, nor what a page of another site embeds or fetches; a link to a
    page of ours may be followed. And nothing is changed for a page of another origin.
    """
    host = headers.get("host", "")
    name = re.sub(r":\d*$", "", host).strip("[]")
    if local and name not in ("", "testserver") and not is_loopback(name):
        raise Refusal(403, f"this service is local; it does not answer to the name {name[:100]!r}")
    followed = method == "GET" and headers.get("sec-fetch-dest") == "document"
    if local and headers.get("sec-fetch-site") == "cross-site" and not followed:
        raise Refusal(403, "the request comes from a page of another site")
    origin = headers.get("origin")
    if method in SAFE or origin is None:
        return
    if origin.partition("://")[2] != host:
        raise Refusal(403, "the request comes from a page of another site")
