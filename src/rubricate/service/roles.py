"""The role that an address needs, as a dependency."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends
from starlette.requests import Request

from rubricate.service.identity import ANYONE, Identity, Role, allows
from rubricate.service.problems import Refusal

__all__ = ["Admin", "Labeller", "Reader"]


def _needs(role: Role) -> Callable[[Request], Identity]:
    def check(request: Request) -> Identity:
        identity: Identity = request.scope.get("identity", ANYONE)
        if not allows(identity, role):
            raise Refusal(403, f"this needs the role {role}; {identity.name or 'you'} has {identity.role or 'none'}")
        return identity

    return check


Reader = Annotated[Identity, Depends(_needs("read"))]
Labeller = Annotated[Identity, Depends(_needs("label"))]
Admin = Annotated[Identity, Depends(_needs("admin"))]
