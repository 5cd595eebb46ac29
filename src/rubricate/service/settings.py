"""What a service is started with; also how it is handed to worker processes."""

from __future__ import annotations

import ipaddress
import json
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from rubricate.errors import InvalidInput

__all__ = ["ServiceSettings", "is_loopback"]

MEGABYTE = 1 << 20


@lru_cache(maxsize=64)  # asked for the same few names with every request
def is_loopback(host: str) -> bool:
    """Tell whether a host to listen on is reachable from this machine alone.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _check_networks(addresses: str) -> None:
    for part in addresses.split(","):
        try:
            ipaddress.ip_network(part.strip(), strict=False)
        except ValueError:
            raise InvalidInput(
                f"--forwarded-allow-ips: {part.strip()!r} is not an address or a network. "
                "Fix: give those of your proxy, such as 127.0.0.1 or 10.0.0.0/8"
            ) from None


@dataclass(frozen=True)
class ServiceSettings:
    """What to serve, where, and within which limits.

    Parameters
    ----------
    models
        Model files; each is served under the stem of its name.
    workspace
        The folder of the workspace: its database unless `database` names one, and the models trained in it. None for a
        service without projects.
    database
        A database URL such as `postgresql://user@host/name`; None for SQLite in the workspace.
    host, port, workers
        Where to listen, and with how many processes.
    token
        Whoever sends it as a bearer token has the role admin.
    forwarded_allow_ips
        Addresses and networks of proxies, separated by commas, whose headers `X-Forwarded-For` and `X-Forwarded-Proto`
        are trusted; None to trust nobody's. A service behind a proxy counts as reachable from other machines.
    max_body, max_line
        Most bytes of a request body, and of one line of a stream (whose length is not limited).
    max_documents
        Most documents in one JSON call.
    max_waiting
        Most documents that wait for a model; further requests are answered with 503.
    timeout
        Seconds that a request may wait for its answer.
    upload_timeout
        Seconds that an upload may be parsed.
    max_parsers
        Most processes that parse uploads at once, in each process of the service; None to share the processor cores.
    rate
        Requests per second that one client may send on average; None for no limit.
    log_text
        Whether logs may quote documents: what is classified, and the messages of unexpected errors.
    """

    models: tuple[Path, ...] = ()
    workspace: Path | None = None
    database: str | None = None
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    token: str | None = None
    forwarded_allow_ips: str | None = None
    max_body: int = 64 * MEGABYTE
    max_line: int = 16 * MEGABYTE
    max_documents: int = 10_000
    max_waiting: int = 50_000
    timeout: float = 60.0
    upload_timeout: float = 120.0
    max_parsers: int | None = None
    rate: float | None = None
    log_text: bool = False

    def __post_init__(self) -> None:
        if self.database is not None and self.workspace is None:
            raise InvalidInput("--database needs --workspace, the folder of the models that are trained in it")
        limits = ("max_body", "max_line", "max_documents", "max_waiting", "max_parsers")
        for name in (*limits, "timeout", "upload_timeout", "workers"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise InvalidInput(f"{name} must be above 0, got {value}")
        if self.forwarded_allow_ips is not None:
            _check_networks(self.forwarded_allow_ips)
        stems = [path.stem for path in self.models]
        twice = sorted({stem for stem in stems if stems.count(stem) > 1})
        if twice:
            raise InvalidInput(f"two model files are named {twice[0]!r}; a model is served under the stem of its file")

    @property
    def is_local(self) -> bool:
        """Whether only this machine reaches the service: it listens on loopback, and no proxy lets others in."""
        return is_loopback(self.host) and self.forwarded_allow_ips is None

    def to_json(self) -> str:
        """Return the settings as text, for the environment of worker processes."""
        return json.dumps(asdict(self), default=str)

    @classmethod
    def from_json(cls, text: str) -> ServiceSettings:
        """Read what `to_json` wrote."""
        values: dict[str, Any] = json.loads(text)
        workspace = values["workspace"]
        return cls(
            **values
            | {
                "models": tuple(map(Path, values["models"])),
                "workspace": None if workspace is None else Path(workspace),
            }
        )
