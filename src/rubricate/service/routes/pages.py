"""The addresses of the pages and of their scripts and styles."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from rubricate.service import pages as layout
from rubricate.service import pages as start
from rubricate.service import project_pages as project
from rubricate.service.identity import ANYONE, Identity
from rubricate.service.model_page import model_page
from rubricate.service.problems import Refusal
from rubricate.service.routes.agreement import agreed
from rubricate.service.routes.projects import project_of, workspace_of
from rubricate.service.state import service_of
from rubricate.service.workspace.comparisons import measured
from rubricate.service.workspace.documents import DocumentFilter

__all__ = ["router"]

router = APIRouter(include_in_schema=False)
PAGE, UNSURE = 50, 0.6
After = Annotated[int, Query(ge=0, le=1 << 62)]


def _who(request: Request) -> Identity:
    identity: Identity = request.scope.get("identity", ANYONE)
    return identity


def _models(request: Request) -> list[str]:
    return [served.name for served in service_of(request).registry.all()]


@router.get("/")
def first(request: Request) -> HTMLResponse:
    """Show what is here."""
    workspace = service_of(request).workspace
    return start.start_page(_who(request), _models(request), None if workspace is None else workspace.projects.all())


@router.get("/login")
def login() -> HTMLResponse:
    """Ask who it is."""
    return start.login_page()


@router.get("/try")
def try_out(request: Request, model: str | None = None) -> HTMLResponse:
    """Try a model."""
    return start.try_page(_who(request), _models(request), model)


@router.get("/judge")
def judge(request: Request) -> HTMLResponse:
    """Compare systems."""
    return start.compare_page(_who(request))


@router.get("/p/{p}/documents")
def documents(
    request: Request,
    p: str,
    *,
    query: Annotated[str, Query(max_length=1_000)] = "",
    label: Annotated[str, Query(max_length=1_000)] = "",
    state: Annotated[str, Query(max_length=20)] = "",
    after: After = 0,
) -> HTMLResponse:
    """Find documents."""
    own, store = project_of(request, p), workspace_of(request).documents
    which = DocumentFilter(
        query,
        label or None,
        labelled={"no": False, "yes": True}.get(state),
        below=UNSURE if state == "unsure" else None,
        disagreement=state == "disagreement",
    )
    found = store.find(own, which, after=after, n=PAGE, excerpt=2 * project.EXCERPT)
    asked = {"query": query, "label": label, "state": state}
    return project.documents_page(_who(request), own, found=found, asked=asked, counts=store.count(own))


@router.get("/p/{p}/label")
def label(request: Request, p: str) -> HTMLResponse:
    """Label documents."""
    own, workspace = project_of(request, p), workspace_of(request)
    frequencies = workspace.labels.frequencies(own)
    return project.label_page(_who(request), own, counts=workspace.documents.count(own), frequencies=frequencies)


@router.get("/p/{p}/model")
def model(request: Request, p: str) -> HTMLResponse:
    """Train and judge models."""
    own, workspace = project_of(request, p), workspace_of(request)
    last = workspace.jobs.last(own)
    return model_page(
        _who(request),
        own,
        models=workspace.models.all(own),
        job=None if last is None else workspace.jobs.get(last),
        agreement=agreed(request, p).model_dump(),
        measured=measured(workspace.database, own),
    )


@router.get("/p/{p}/history")
def history(request: Request, p: str, after: After = 0) -> HTMLResponse:
    """Show every action."""
    own = project_of(request, p)
    events, further = workspace_of(request).labels.history(own, after=after, n=200)
    return project.history_page(_who(request), own, events, further)


@router.get("/static/{name}")
def static(name: str) -> Response:
    """Return a script or a style; only those that are listed."""
    if name not in layout.STATIC:
        raise Refusal(404, "no such file")
    return Response(layout.static_file(name), media_type=layout.STATIC[name], headers={"cache-control": "max-age=300"})
