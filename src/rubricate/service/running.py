"""Run the service with uvicorn: checks before anything listens, one process or several."""

from __future__ import annotations

import gc
import inspect
import os
import socket
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.supervisors import Multiprocess

from rubricate.errors import InvalidInput, RubricateError
from rubricate.service.app import ENVIRONMENT, SHARED, make_app
from rubricate.service.logs import log_to_standard_error
from rubricate.service.metrics import METRICS_FOLDER
from rubricate.service.settings import ServiceSettings, is_loopback
from rubricate.service.state import COUNTS, Service
from rubricate.service.workspace.workspace import Workspace

__all__ = ["check_access", "check_settings", "run", "server_config"]

GRACE_SECONDS = 10
BACKLOG = 2048
ALIVE_SECONDS = 60
"""A worker process that says nothing for so long is replaced; on a busy machine five seconds of silence are nothing."""


def check_access(settings: ServiceSettings) -> None:
    """Refuse to let other machines in without a token or an account."""
    if settings.is_local or settings.token is not None:
        return
    if settings.workspace is not None and settings.workspace.is_dir():
        workspace = Workspace(settings.workspace, settings.database)
        try:
            if workspace.accounts.any():
                return
        finally:
            workspace.close()
    if is_loopback(settings.host):
        cause, remedy = "--forwarded-allow-ips names a proxy that lets others in", "leave that option out"
    else:
        cause, remedy = f"--host {settings.host} is reachable from other machines", "listen on 127.0.0.1"
    raise InvalidInput(
        f"{cause}, and nothing says who may come in. "
        f"Fix: give --token, or make an account with 'rubricate account add', or {remedy}"
    )


def run(settings: ServiceSettings, *, announce: Callable[[str], None] | None = None) -> None:
    """Serve until a signal ends it; requests under way are finished first. `announce` gets the address."""
    check_access(settings)
    log_to_standard_error(quote=settings.log_text)
    if settings.workers > 1:
        _run_workers(settings, announce)
        return
    app = make_app(settings)
    listening = _listen(settings)
    _announce(settings.host, listening, announce)
    uvicorn.Server(server_config(app, settings)).run(sockets=[listening])


def server_config(app: Any, settings: ServiceSettings, **options: Any) -> uvicorn.Config:
    """Return the configuration of the server; headers about the client are trusted from the proxies in the settings."""
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        proxy_headers=settings.forwarded_allow_ips is not None,
        forwarded_allow_ips=settings.forwarded_allow_ips,
        **options,
    )


def _run_workers(settings: ServiceSettings, announce: Callable[[str], None] | None) -> None:
    """Serve with several processes on one socket; one that dies is started again."""
    check_settings(settings)
    listening = _listen(settings)
    patience: dict[str, Any] = {}
    if "timeout_worker_healthcheck" in inspect.signature(uvicorn.Config).parameters:
        patience["timeout_worker_healthcheck"] = ALIVE_SECONDS
    factory = "rubricate.service.app:app_from_environment"
    config = server_config(factory, settings, factory=True, workers=settings.workers, **patience)
    options: dict[str, Any] = {"sockets": [listening]}
    if "target" in inspect.signature(Multiprocess).parameters:  # of older versions of uvicorn
        options["target"] = uvicorn.Server(config).run
    with tempfile.TemporaryDirectory(prefix="rubricate-") as shared:
        counts = Path(shared) / COUNTS
        counts.mkdir()
        os.environ |= {ENVIRONMENT: settings.to_json(), SHARED: shared, METRICS_FOLDER: str(counts)}
        _announce(settings.host, listening, announce)
        Multiprocess(config, **options).run()


def check_settings(settings: ServiceSettings) -> None:
    """Open everything once, so that an error is reported once, before the processes start; keep nothing of it."""
    service: Service = make_app(settings).state.service
    if service.workspace is not None:
        service.workspace.close()
    del service
    gc.collect()  # an application and its routes refer to each other, and hold the models


def _listen(settings: ServiceSettings) -> socket.socket:
    """Return a socket at the address, or say why there is none."""
    try:
        family = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0][0]
        # asyncio turns Nagle's algorithm off only for sockets that name their protocol; else answers wait 40 ms.
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((settings.host, settings.port))
        listening.listen(BACKLOG)
        return listening
    except OSError as error:
        raise RubricateError(
            f"cannot listen on {settings.host} port {settings.port}: {error.strerror or error}. "
            "Fix: choose another --port (0 for any free one) or --host"
        ) from error


def _announce(host: str, listening: socket.socket, announce: Callable[[str], None] | None) -> None:
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listening.getsockname()[1]}/"
    print(f"rubricate: serving on {address} (Ctrl-C ends it)", file=sys.stderr, flush=True)
    if announce is not None:
        announce(address)
