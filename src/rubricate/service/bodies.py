"""The JSON that clients send and get, as types; the description of the service is generated from them."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictFloat, StrictInt, StrictStr

__all__ = [
    "Classification",
    "ClassifiedDocument",
    "ClassifyBody",
    "DocumentBody",
    "ExplainBody",
    "Explanation",
    "ModelDescription",
    "ModelList",
    "ModelSummary",
    "Place",
    "Reason",
    "StreamOptions",
]

LONGEST_ID = 1_000


def _as_text(value: Any) -> Any:
    """Return a whole number as text: ids may be numbers."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


DocumentId = Annotated[StrictStr, BeforeValidator(_as_text, json_schema_input_type=str | int)]


class DocumentBody(BaseModel):
    """A document to classify; further fields are ignored."""

    id: DocumentId | None = Field(None, max_length=LONGEST_ID, description="Numbered from 1 where it is left out.")
    title: StrictStr | None = None
    text: StrictStr


class ClassifyBody(BaseModel):
    """Documents to classify, and what to say of each."""

    model_config = ConfigDict(extra="forbid")

    documents: list[DocumentBody]
    top: StrictInt | None = Field(None, ge=1, le=100_000, description="Scores of so many best categories.")
    explain: StrictInt | None = Field(None, ge=0, le=1_000, description="So many reasons for each label.")
    abstain: StrictInt | StrictFloat | None = Field(
        None, ge=0, le=1, description="Labels are null where the confidence is below this probability."
    )


class StreamOptions(BaseModel):
    """What is asked of a stream; in the query, as its body has documents alone."""

    top: int | None = Field(None, ge=1, le=100_000, description="Scores of so many best categories.")
    explain: int = Field(0, ge=0, le=1_000, description="So many reasons for each label.")
    abstain: float | None = Field(None, ge=0, le=1, description="No labels where the confidence is below this.")
    text: str | None = Field(None, max_length=200, description="The name of a column of a CSV file.")
    title: str | None = Field(None, max_length=200, description="The name of a column of a CSV file.")
    id: str | None = Field(None, max_length=200, description="The name of a column of a CSV file.")


class Place(BaseModel):
    """Characters of a text that spoke for (weight above 0) or against a category."""

    category: str
    start: int
    end: int
    weight: float
    source: str = Field(description="The term, as the model counts it.")
    detail: str = ""


class Reason(BaseModel):
    """A reason that has no place in the text: a rule, a training document, a member of a stack."""

    category: str
    source: str
    kind: str
    weight: float
    detail: str = Field("", description="Further facts in words.")


class ClassifiedDocument(BaseModel):
    """What a model says of a document."""

    id: str
    labels: list[str] | None = Field(description="null where the model abstains")
    confidence: float | None = Field(description="The estimated chance that exactly these labels are right.")
    scores: dict[str, float | None]
    evidence: list[Place] = Field(description="Offsets in `text`; the weights of a term add up over its places.")
    title_evidence: list[Place] = Field(default=[], description="Offsets in `title`.")
    reasons: list[Reason] = []


class ExplainBody(BaseModel):
    """A text and the category to explain."""

    model_config = ConfigDict(extra="forbid")

    text: StrictStr
    category: StrictStr
    limit: StrictInt = Field(20, ge=1, le=1_000, description="So many reasons.")


class Change(BaseModel):
    """What would change the answer: without these words it would be these labels."""

    without: list[str]
    labels: list[str]


class Neighbour(BaseModel):
    """A labelled document that is like the text."""

    id: str
    text: str
    labels: list[str]
    similarity: float = Field(description="The cosine of their vectors.")


class Explanation(BaseModel):
    """Why a text belongs to a category, or not."""

    evidence: list[Place]
    reasons: list[Reason]
    change: Change | None
    nearest: list[Neighbour] = Field(description="Of the project's labelled documents, where the model is a project's.")


class Classification(BaseModel):
    """Answers in the order of the documents."""

    documents: list[ClassifiedDocument]


class ModelSummary(BaseModel):
    """A model in use."""

    name: str
    categories: int
    documents: int = Field(description="Training documents.")
    single_label: bool


class ModelList(BaseModel):
    """The models in use."""

    models: list[ModelSummary]


class CategoryDescription(BaseModel):
    """A category of a model."""

    name: str
    documents: int
    top_terms: list[str]


class ModelDescription(BaseModel):
    """A model: how it was trained, its figures, its categories with the terms that speak for them."""

    name: str
    settings: dict[str, Any]
    figures: dict[str, Any] | None
    documents: int
    single_label: bool
    categories: list[CategoryDescription]
