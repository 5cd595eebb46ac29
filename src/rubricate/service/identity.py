"""Who sends a request, and what the roles allow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

__all__ = ["ANYONE", "IMPORT", "OPEN", "RESERVED", "SERVICE_TOKEN", "Identity", "Role", "allows"]

Role: TypeAlias = Literal["read", "label", "admin"]
"""read: look and classify; label: also add documents and labels; admin: also projects, training and accounts."""

ORDER: tuple[Role, ...] = get_args(Role)


@dataclass(frozen=True)
class Identity:
    """Who sends a request: a name for the history, a role (None: nothing is allowed), and how it was proved."""

    name: str
    role: Role | None
    proof: Literal["none", "token", "session"] = "none"
    csrf: str = ""


OPEN = Identity("local", "admin")
"""Whoever reaches a service on loopback without token and accounts."""
ANYONE = Identity("", None)
"""Whoever has not said who he is."""
SERVICE_TOKEN = Identity("token", "admin", "token")
"""Whoever sends the token that the service was started with."""
IMPORT = "import"
"""The annotator of labels that came with the documents."""
RESERVED = (OPEN.name, SERVICE_TOKEN.name, IMPORT)
"""Names that no account may have, because the history uses them for something else."""


def allows(identity: Identity, role: Role) -> bool:
    """Tell whether an identity has a role or a higher one.

    >>> allows(Identity("ann", "label"), "read"), allows(Identity("ann", "label"), "admin"), allows(ANYONE, "read")
    (True, False, False)
    """
    return identity.role is not None and ORDER.index(identity.role) >= ORDER.index(role)
