"""`/projects`: documents, labels, the queue, training, export and history."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from starlette.requests import Request
from starlette.responses import StreamingResponse

from rubricate.service.identity import Identity, allows
from rubricate.service.problems import Refusal
from rubricate.service.roles import Admin, Labeller
from rubricate.service.state import service_of
from rubricate.service.workspace.comparisons import measured
from rubricate.service.workspace.documents import DocumentFilter
from rubricate.service.workspace.export import export
from rubricate.service.workspace.projects import Project
from rubricate.service.workspace.queue import Order
from rubricate.service.workspace.workspace import Workspace
from rubricate.service.workspace_bodies import (
    DocumentList,
    HistoryPage,
    JobBody,
    LabelBody,
    LabelEvent,
    MeasuredBody,
    ModelsOfProject,
    ProjectBody,
    ProjectDescription,
    ProjectDocument,
    ProjectList,
    QueueBody,
    QueuePage,
    TrainBody,
)

__all__ = ["project_of", "router", "workspace_of"]

router = APIRouter(tags=["projects"])
After = Annotated[int, Query(ge=0, le=1 << 62, description="`next` of the page before.")]
Number = Annotated[int, Path(ge=0, le=1 << 62)]
PageSize = Annotated[int, Query(ge=1, le=1_000)]


def workspace_of(request: Request) -> Workspace:
    """Return the workspace of the service."""
    workspace = service_of(request).workspace
    if workspace is None:
        raise Refusal(404, "this service has no workspace; start it with --workspace DIR")
    return workspace


def project_of(request: Request, name: str) -> Project:
    """Return the project of an address."""
    return workspace_of(request).projects.get(name)


@router.post("/projects", status_code=201, summary="Create a project")
def create(request: Request, body: ProjectBody, who: Admin) -> ProjectDescription:
    """Create a project with categories, or with a taxonomy of [parent, child] pairs."""
    workspace = workspace_of(request)
    edges = tuple((parent, child) for parent, child in body.taxonomy or ())
    project = workspace.projects.create(body.name, body.categories, kind=body.kind, taxonomy=edges, who=who.name)
    return _described(workspace, project)


def _described(workspace: Workspace, project: Project) -> ProjectDescription:
    return ProjectDescription(
        name=project.name,
        kind=project.kind,
        categories=list(project.categories),
        taxonomy=[list(edge) for edge in project.taxonomy],
        **workspace.documents.count(project),
    )


@router.get("/projects", summary="List the projects")
def projects(request: Request) -> ProjectList:
    """Return every project with the numbers of its documents."""
    return ProjectList.model_validate({"projects": workspace_of(request).projects.all()})


@router.get("/projects/{p}", summary="Describe a project")
def project(request: Request, p: str) -> ProjectDescription:
    """Return categories, taxonomy and sizes."""
    return _described(workspace_of(request), project_of(request, p))


@router.get("/projects/{p}/documents", summary="Find documents")
def documents(
    request: Request,
    p: str,
    *,
    query: Annotated[str, Query(max_length=1_000, description="Words that occur; the last may be unfinished.")] = "",
    label: Annotated[str | None, Query(max_length=1_000, description="A label that somebody gave.")] = None,
    decided: Annotated[str | None, Query(max_length=1_000, description="A label that the model gives.")] = None,
    labelled: bool | None = None,
    below: Annotated[float | None, Query(ge=0, le=1, description="The model is less sure than this.")] = None,
    disagreement: Annotated[bool, Query(description="The model disagrees with the labels.")] = False,
    after: After = 0,
    n: PageSize = 50,
) -> DocumentList:
    """Return documents in the order they were added, a page at a time."""
    which = DocumentFilter(query, label or None, decided or None, labelled, below, disagreement)
    found, further = workspace_of(request).documents.find(project_of(request, p), which, after=after, n=n)
    return DocumentList.model_validate({"documents": found, "next": further})


@router.get("/projects/{p}/documents/{document:path}", summary="Show one document")
def document(request: Request, p: str, document: str) -> ProjectDocument:
    """Return a document with its labels and the decision of the model in use."""
    found = workspace_of(request).documents.get(project_of(request, p), document)
    if found is None:
        raise Refusal(404, f"no document named {document[:200]!r} in this project")
    return ProjectDocument.model_validate(found)


@router.post("/projects/{p}/labels", status_code=201, summary="Label a document")
def label(request: Request, p: str, body: LabelBody, who: Labeller) -> LabelEvent:
    """Store the labels of an annotator; answered when they are on the disk. Only an admin may name somebody else."""
    annotator, own = _annotator(body.annotator, who), project_of(request, p)
    labels = workspace_of(request).labels
    return LabelEvent(event=labels.add(own, body.document, body.labels, annotator=annotator, sender=who.name))


def _annotator(named: str | None, who: Identity) -> str:
    """Return the annotator: the sender, by session and by token alike, unless an admin names another person."""
    if named not in (None, who.name) and not allows(who, "admin"):
        raise Refusal(403, f"{who.name} labels under their own name; only an admin may name another annotator")
    return named or who.name


@router.delete("/projects/{p}/labels/{event}", summary="Undo a label")
def undo(request: Request, p: str, event: Number, who: Labeller) -> LabelEvent:
    """Add an undo event; what the annotator had said before stands again. Only an admin may undo others' labels."""
    labels, own = workspace_of(request).labels, project_of(request, p)
    return LabelEvent(event=labels.undo(own, event, who=who.name, any_annotator=allows(who, "admin")))


@router.get("/projects/{p}/queue", summary="See what to label next")
def queue(
    request: Request, p: str, *, order: Order = "random", n: Annotated[int, Query(ge=1, le=200)] = 10
) -> QueuePage:
    """Return the next documents without reserving them: random, uncertain, suspect, or needed to measure."""
    return QueuePage.model_validate(workspace_of(request).queue.take(project_of(request, p), order, n=n))


@router.post("/projects/{p}/queue", summary="Take documents to label")
def take(request: Request, p: str, who: Labeller, body: QueueBody | None = None) -> QueuePage:
    """Return the next documents and reserve them for the annotator for ten minutes.

    Only an admin may name another annotator than themselves.
    """
    own = body or QueueBody.model_validate({})
    taken = workspace_of(request).queue.take(
        project_of(request, p),
        own.order,
        n=own.n,
        annotator=_annotator(own.annotator, who),
        random_share=own.random_share,
        overlap=own.overlap,
    )
    return QueuePage.model_validate(taken)


@router.post("/projects/{p}/train", status_code=202, summary="Train a model")
def train(request: Request, p: str, who: Admin, body: TrainBody | None = None) -> JobBody:
    """Start training on the labels that stand, in the background; `GET /jobs/{id}` shows the progress.

    A project has one training at a time: 409 with the address of the job (`Location`) until it has ended.
    """
    workspace, own = workspace_of(request), body or TrainBody.model_validate({})
    data = {"classifier": own.classifier, "use": own.use, "who": who.name}
    key = workspace.jobs.create(project_of(request, p), "train", data, who=who.name)
    workspace.jobs.start_due()
    return JobBody.model_validate(workspace.jobs.get(key))


@router.get("/projects/{p}/models", summary="List the models of a project")
def models(request: Request, p: str) -> ModelsOfProject:
    """Return the models with their figures, newest first."""
    return ModelsOfProject.model_validate({"models": workspace_of(request).models.all(project_of(request, p))})


@router.post("/projects/{p}/models/{number}/use", summary="Put a model into use")
def use(request: Request, p: str, number: Number, who: Admin) -> ModelsOfProject:
    """Use a model from now on: one that was trained, or an earlier one to go back to."""
    workspace, own = workspace_of(request), project_of(request, p)
    workspace.models.use(own, number, who=who.name)
    service_of(request).renew_models()
    return ModelsOfProject.model_validate({"models": workspace.models.all(own)})


@router.get("/projects/{p}/estimate", summary="Measure the model in use")
def estimate(request: Request, p: str) -> MeasuredBody:
    """Return precision, recall and F1 with intervals, weighted, from the labels of the queue `measure`."""
    found = measured(workspace_of(request).database, project_of(request, p))
    if found is None:
        raise Refusal(409, "there is no model in use with a sample to measure it; train one first")
    return MeasuredBody.model_validate(found)


@router.get(
    "/projects/{p}/export",
    summary="Export documents and labels",
    response_class=StreamingResponse,
    responses={200: {"content": {"application/x-ndjson": {}, "text/csv": {}}, "description": "All documents"}},
)
def exported(
    request: Request,
    p: str,
    *,
    format: Literal["jsonl", "csv"] = "jsonl",
    separator: Annotated[str, Query(min_length=1, max_length=10)] = ";",
) -> StreamingResponse:
    """Return everything that was put in, at any moment."""
    rows: Iterator[bytes] = export(workspace_of(request).documents, project_of(request, p), format, separator=separator)
    kind = "application/x-ndjson" if format == "jsonl" else "text/csv; charset=utf-8"
    headers = {"content-disposition": f'attachment; filename="export.{format}"'}
    return StreamingResponse(rows, media_type=kind, headers=headers)


@router.get("/projects/{p}/history", summary="What was done")
def history(request: Request, p: str, *, after: After = 0, n: PageSize = 100) -> HistoryPage:
    """Return every event of a project, oldest first."""
    events, further = workspace_of(request).labels.history(project_of(request, p), after=after, n=n)
    return HistoryPage.model_validate({"events": events, "next": further})
