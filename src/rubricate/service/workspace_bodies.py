"""The JSON of projects, documents, labels, jobs and accounts, as types."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictStr

from rubricate.service.bodies import LONGEST_ID, DocumentId
from rubricate.service.identity import Role
from rubricate.service.workspace.queue import Order

__all__ = [
    "AccountBody",
    "AccountList",
    "AddedDocuments",
    "Annotation",
    "Decision",
    "DocumentList",
    "DocumentsBody",
    "EstimateBody",
    "HistoryPage",
    "JobBody",
    "LabelBody",
    "LabelEvent",
    "LoginBody",
    "MeasuredBody",
    "ModelsOfProject",
    "ProjectBody",
    "ProjectDescription",
    "ProjectDocument",
    "ProjectList",
    "QueueBody",
    "QueuePage",
    "SessionBody",
    "TokenBody",
    "TrainBody",
    "UploadedDocument",
]

Name = Annotated[StrictStr, Field(min_length=1, max_length=200)]
AnnotatorName = Annotated[Name, Field(description="By default the sender's own; another needs the role admin.")]
Label = Annotated[StrictStr, Field(min_length=1, max_length=1_000)]

Edge = Annotated[list[Label], Field(min_length=2, max_length=2)]
"""Parent and child; a list, as OpenAPI has no tuples."""


class _Strict(BaseModel):
    """A body that takes no other fields."""

    model_config = ConfigDict(extra="forbid")


class ProjectBody(_Strict):
    """A new project."""

    name: Name
    categories: list[Label] = Field(default=[], max_length=100_000)
    taxonomy: list[Edge] | None = Field(None, description="Pairs [parent, child].", max_length=200_000)
    kind: Literal["single", "multi"] = Field("multi", description="One label per document, or several.")


class ProjectDescription(BaseModel):
    """A project with its categories and sizes."""

    name: str
    kind: Literal["single", "multi"]
    categories: list[str]
    taxonomy: list[Edge]
    documents: int
    labelled: int


class ProjectEntry(BaseModel):
    """A project in a list."""

    name: str
    kind: Literal["single", "multi"]
    documents: int
    labelled: int


class ProjectList(BaseModel):
    """All projects."""

    projects: list[ProjectEntry]


class UploadedDocument(BaseModel):
    """A document to keep; without an id it is named by its content. Labels that come with it are kept as events."""

    id: Annotated[DocumentId, Field(min_length=1, max_length=LONGEST_ID)] | None = None
    title: StrictStr | None = None
    text: StrictStr
    labels: list[Label] | None = None


class DocumentsBody(_Strict):
    """Documents to keep."""

    documents: list[UploadedDocument]


class AddedDocuments(BaseModel):
    """What became of documents."""

    added: int
    known: int = Field(description="Documents that were there already, word for word.")


class Annotation(BaseModel):
    """What one annotator says."""

    annotator: str
    labels: list[str]
    event: int


class Decision(BaseModel):
    """What the model in use says, out of fold where it was trained on the document."""

    labels: list[str]
    confidence: float | None
    suspect: float | None = Field(
        description="How wrong the labels given look (rubricate suspects); null if they do not."
    )


class ProjectDocument(BaseModel):
    """A document of a project."""

    id: str
    title: str | None
    text: str
    annotations: list[Annotation]
    decision: Decision | None


class DocumentList(BaseModel):
    """A page of documents; `next` is the `after` of the next page."""

    documents: list[ProjectDocument]
    next: int | None


class LabelBody(_Strict):
    """The labels that an annotator gives to a document."""

    document: Annotated[DocumentId, Field(min_length=1, max_length=LONGEST_ID)]
    labels: list[Label] = Field(max_length=1_000)
    annotator: AnnotatorName | None = None


class LabelEvent(BaseModel):
    """An event of the history that is durable."""

    event: int


class QueuedDocument(BaseModel):
    """A document to label, with what the model suggests."""

    id: str
    title: str | None
    text: str
    suggested: list[str] | None
    confidence: float | None


class QueueBody(_Strict):
    """Which documents to take."""

    order: Order = "random"
    n: int = Field(10, ge=1, le=200)
    annotator: AnnotatorName | None = None
    random_share: float = Field(0.0, ge=0, le=1, description="Random documents among the others.")
    overlap: float = Field(0.0, ge=0, le=1, description="Share of documents that two people label.")


class QueuePage(BaseModel):
    """The next documents to label; `order` is `random` where there is no model for the order asked for."""

    order: str
    documents: list[QueuedDocument]


class TrainBody(_Strict):
    """How to train."""

    classifier: Name | None = Field(None, description="By default a linear SVM, tuned.")
    use: bool = Field(True, description="Put the model into use when it is ready.")


class JobBody(BaseModel):
    """A background job."""

    id: int
    project: str
    kind: str
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    done: int
    total: int
    message: str
    result: dict[str, Any] | None
    created: float
    ended: float | None


class HistoryEvent(BaseModel):
    """Something that was done."""

    id: int
    kind: str
    document: str | None
    annotator: str
    sender: str | None = Field(description="Who sent it; null for events of versions before 0.3.")
    data: dict[str, Any]
    undoes: int | None
    created: float


class HistoryPage(BaseModel):
    """A page of events, oldest first; `next` is the `after` of the next page."""

    events: list[HistoryEvent]
    next: int | None


class ProjectModel(BaseModel):
    """A model of a project, with its figures."""

    number: int
    created: float
    in_use: bool
    summary: dict[str, Any]


class ModelsOfProject(BaseModel):
    """The models of a project, newest first."""

    models: list[ProjectModel]


class EstimateBody(BaseModel):
    """A measure over all documents, with its 95 % interval; `estimate` is null where only the interval holds."""

    measure: str
    estimate: float | None
    low: float
    high: float


class MeasuredBody(BaseModel):
    """How good the model in use is on the documents that had no labels when it was made."""

    documents: int = Field(description="Documents of which the sample is drawn.")
    labelled: int = Field(description="Documents of the sample with labels.")
    strata: int = Field(description="Groups by predicted category and confidence.")
    more: int = Field(description="Labels that are missing until there are estimates.")
    estimates: list[EstimateBody]


class AccountBody(_Strict):
    """A new account, or a new password and role of one."""

    name: Name
    password: StrictStr = Field(min_length=1, max_length=1_000)
    role: Role


class AccountEntry(BaseModel):
    """An account."""

    name: str
    role: Role


class AccountList(BaseModel):
    """All accounts."""

    accounts: list[AccountEntry]


class TokenBody(BaseModel):
    """A token for programs; it is shown this once."""

    token: str


class LoginBody(_Strict):
    """Name and password."""

    name: StrictStr = Field(max_length=200)
    password: StrictStr = Field(max_length=1_000)


class SessionBody(BaseModel):
    """A session: send `csrf` as the header X-CSRF-Token with everything that changes something."""

    name: str
    role: Role
    csrf: str
