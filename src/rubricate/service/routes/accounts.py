"""Accounts, sessions and tokens."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from rubricate.service.guard import COOKIE
from rubricate.service.problems import Refusal
from rubricate.service.roles import Admin, Reader
from rubricate.service.routes.projects import workspace_of
from rubricate.service.state import service_of
from rubricate.service.workspace_bodies import AccountBody, AccountList, LoginBody, SessionBody, TokenBody

__all__ = ["router"]

router = APIRouter(tags=["accounts"])


class AuditPage(BaseModel):
    """Lines of the audit log, oldest first."""

    lines: list[dict[str, Any]]


@router.post("/login", summary="Start a session")
def login(request: Request, body: LoginBody) -> SessionBody:
    """Check name and password and set the cookie of a session.

    Five attempts per minute are allowed from one address, and ten per minute with one name from addresses from which
    that account has not logged in before.
    """
    accounts = workspace_of(request).accounts
    client = request.client.host if request.client else ""
    request.scope["about"] = body.name
    known = partial(accounts.has_logged_in_from, body.name, client)
    wait = service_of(request).logins.wait(client, body.name, is_known=known)
    if wait:
        raise Refusal(429, "too many attempts to log in", retry=wait)
    session = accounts.log_in(body.name, body.password)
    if session is None:
        raise Refusal(401, "wrong name or password")
    identity = accounts.by_session(session[0])
    if identity is None or identity.role is None:
        raise Refusal(401, "wrong name or password")
    request.scope["identity"] = identity  # for the audit log
    content = SessionBody(name=identity.name, role=identity.role, csrf=session[1])
    response = JSONResponse(content.model_dump())
    secure = request.url.scheme == "https"
    response.set_cookie(COOKIE, session[0], httponly=True, samesite="strict", secure=secure, path="/")
    return response  # type: ignore[return-value]


@router.post("/logout", status_code=204, summary="End the session", response_class=Response)
def logout(request: Request, who: Reader) -> Response:
    """End the session of the cookie."""
    secret = request.cookies.get(COOKIE)
    if secret:
        workspace_of(request).accounts.log_out(secret)
    response = Response(status_code=204)
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return response


@router.get("/accounts", summary="List the accounts")
def accounts(request: Request, who: Admin) -> AccountList:
    """Return names and roles."""
    return AccountList.model_validate({"accounts": workspace_of(request).accounts.all()})


@router.post("/accounts", status_code=201, summary="Add an account, or change it")
def add(request: Request, body: AccountBody, who: Admin) -> AccountList:
    """Add an account with a role, or give one another password and role, which revokes its sessions and tokens."""
    request.scope["about"] = body.name
    own = workspace_of(request).accounts
    own.add(body.name, body.password, body.role)
    service_of(request).forget_accounts()
    return AccountList.model_validate({"accounts": own.all()})


@router.delete("/accounts/{name}", status_code=204, summary="Remove an account", response_class=Response)
def remove(request: Request, name: str, who: Admin) -> Response:
    """Remove an account with its sessions and tokens; its labels stay. The last account cannot be removed here."""
    request.scope["about"] = name
    workspace_of(request).accounts.remove(name)
    service_of(request).forget_accounts()
    return Response(status_code=204)


@router.post("/accounts/{name}/tokens", status_code=201, summary="Make a token")
def token(request: Request, name: str, who: Admin) -> TokenBody:
    """Return a token for programs, with the role of the account; only its hash is kept."""
    request.scope["about"] = name
    return TokenBody(token=workspace_of(request).accounts.add_token(name))


@router.get("/audit", summary="Who changed what")
def audit(
    request: Request,
    who: Admin,
    *,
    after: Annotated[int, Query(ge=0, le=1 << 62)] = 0,
    n: Annotated[int, Query(ge=1, le=1_000)] = 100,
) -> AuditPage:
    """Return the audit log."""
    return AuditPage(lines=workspace_of(request).accounts.audit(after=after, n=n))
