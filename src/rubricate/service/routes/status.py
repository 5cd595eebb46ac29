"""Whether the service is alive and ready, and what it has done."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from rubricate._version import __version__
from rubricate.service.problems import Refusal
from rubricate.service.state import service_of

__all__ = ["router"]

router = APIRouter(tags=["status"])


class Health(BaseModel):
    """The process runs."""

    status: Literal["ok"] = "ok"
    version: str


class Readiness(BaseModel):
    """The process can do its work."""

    status: Literal["ready"] = "ready"
    models: int


@router.get("/health", summary="Is the process alive?")
async def health() -> Health:
    """Answer as long as the process runs."""
    return Health(version=__version__)


@router.get("/ready", summary="Can it take requests?")
async def ready(request: Request) -> Readiness:
    """Answer 200 once models are open and the database is there, else 503."""
    service = service_of(request)
    if not service.ready:
        raise Refusal(503, "starting", retry=1)
    if service.workspace is not None:
        await run_in_threadpool(service.workspace.database.check)
    return Readiness(models=len(service.registry.all()))


@router.get("/metrics", summary="Metrics for Prometheus", response_class=PlainTextResponse)
async def metrics(request: Request) -> Response:
    """Return counters, gauges and histograms of all processes of the service."""
    text, content_type = service_of(request).metrics.text(request.headers.get("accept", ""))
    return Response(text, headers={"content-type": content_type})
