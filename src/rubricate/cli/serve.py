"""`rubricate serve`: models and a workspace over HTTP."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from rubricate.errors import InvalidInput, MissingExtra
from rubricate.registry import command

__all__ = ["serve"]

_Models = Annotated[list[Path] | None, typer.Argument(help="Model files; each is served under the stem of its name.")]
_Workspace = Annotated[
    Path | None, typer.Option(help="A folder for projects, documents and labels; created if it is missing.")
]
_Database = Annotated[
    str | None,
    typer.Option(
        help="Keep the workspace in this database, such as postgresql://…; default: SQLite in the workspace.",
        envvar="RUBRICATE_DATABASE",
    ),
]
_Host = Annotated[str, typer.Option(help="The address to listen on; beyond loopback a token or accounts are needed.")]
_Port = Annotated[int, typer.Option(help="The port to listen on; 0 for a free one.", min=0, max=65535)]
_Workers = Annotated[int, typer.Option(help="The number of processes.", min=1)]
_Token = Annotated[
    str | None,
    typer.Option(help="Whoever sends this as a bearer token has the role admin.", envvar="RUBRICATE_TOKEN"),
]
_ForwardedAllowIps = Annotated[
    str | None,
    typer.Option(
        help="Trust X-Forwarded-For and X-Forwarded-Proto from these addresses or networks of your proxies, separated "
        "by commas; default: from nobody.",
        envvar="RUBRICATE_FORWARDED_ALLOW_IPS",
    ),
]
_Rate = Annotated[
    float | None,
    typer.Option(help="Requests per second for each client; default: no limit for a local service, else 50.", min=0),
]
_MaxBody = Annotated[int, typer.Option("--max-body", help="The largest request, in megabytes.", min=1)]
_Timeout = Annotated[float, typer.Option(help="Seconds that a request may wait for its answer.", min=0.1)]
_LogText = Annotated[bool, typer.Option("--log-text", help="Let logs quote documents.")]


@command("serve")
def serve(
    models: _Models = None,
    *,
    workspace: _Workspace = None,
    database: _Database = None,
    host: _Host = "127.0.0.1",
    port: _Port = 8000,
    workers: _Workers = 1,
    token: _Token = None,
    forwarded_allow_ips: _ForwardedAllowIps = None,
    rate: _Rate = None,
    max_body: _MaxBody = 64,
    timeout: _Timeout = 60.0,
    log_text: _LogText = False,
) -> None:
    """Serve models and a workspace over HTTP, until interrupted.

    GET /models lists the models, POST /models/NAME/classify classifies documents, GET /openapi.json describes every
    address; docs/guides/service.md has examples. When a model file is replaced, the new model is used
    without dropping a request.

    Logs are JSON lines on standard error. Beyond loopback and behind a proxy (--forwarded-allow-ips), --token or
    accounts ('rubricate account') are required.
    """
    try:
        from rubricate.service.running import run
    except ImportError as error:
        raise MissingExtra("serve", "The commands of the service") from error
    from rubricate.service.settings import MEGABYTE, ServiceSettings, is_loopback

    if token is not None and len(token) < 16:
        raise InvalidInput("--token is shorter than 16 characters; Fix: make one with 'openssl rand -hex 16'")
    if rate is None and (forwarded_allow_ips is not None or not is_loopback(host)):
        rate = 50.0
    run(
        ServiceSettings(
            models=tuple(path.resolve() for path in models or ()),
            workspace=None if workspace is None else Path(os.path.abspath(workspace)),  # noqa: PTH100
            database=database,
            host=host,
            port=port,
            workers=workers,
            token=token,
            forwarded_allow_ips=forwarded_allow_ips,
            rate=rate or None,
            max_body=max_body * MEGABYTE,
            timeout=timeout,
            log_text=log_text,
        )
    )
