"""The application: routes, guards, and the state they share."""

from __future__ import annotations

import os
from pathlib import Path

from fastapi import FastAPI

from rubricate._version import __version__
from rubricate.service.guard import RequestGuard
from rubricate.service.problems import RESPONSES, install_handlers
from rubricate.service.routes import accounts, agreement, classify, jobs, judging, pages, projects, status, uploads
from rubricate.service.settings import ServiceSettings
from rubricate.service.state import Service

__all__ = ["ENVIRONMENT", "SHARED", "app_from_environment", "make_app"]

ENVIRONMENT = "RUBRICATE_SERVICE"
"""The variable that carries the settings to worker processes."""
SHARED = "RUBRICATE_SERVICE_SHARED"
"""The variable that names the folder that worker processes share."""


def make_app(settings: ServiceSettings, shared: Path | None = None) -> FastAPI:
    """Return the ASGI application of a service; any ASGI server can run it.

    Processes of one service get a folder to count rates together in, `shared`.
    """
    service = Service(settings, shared)
    app = FastAPI(
        title="Rubricate",
        version=__version__,
        summary="Classify documents, judge predictions, and keep labels.",
        lifespan=service.running,
        docs_url=None,  # these pages would fetch scripts from other sites
        redoc_url=None,
        responses=dict(RESPONSES),
    )
    app.state.service = service
    install_handlers(app)
    # In the order in which addresses are looked for: the one that is asked most comes first.
    for routes in (classify, status, judging, projects, uploads, agreement, jobs, accounts, pages):
        app.include_router(routes.router)
    app.add_middleware(RequestGuard, service=service)
    return app


def app_from_environment() -> FastAPI:
    """Return the application of a worker process."""
    from rubricate.service.logs import log_to_standard_error

    settings = ServiceSettings.from_json(os.environ[ENVIRONMENT])
    log_to_standard_error(quote=settings.log_text)
    return make_app(settings, Path(os.environ[SHARED]))
