"""`GET /projects/{p}/agreement`: how far the annotators of a project agree."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, Field
from starlette.requests import Request

from rubricate.labelling import agreement
from rubricate.labels import label_matrix
from rubricate.service.routes.projects import project_of, workspace_of
from rubricate.types import Decisions

__all__ = ["router"]

router = APIRouter(tags=["projects"])
DRAWS = 500


class AgreementBody(BaseModel):
    """Agreement on the documents that two or more people labelled; empty where there are none."""

    annotators: list[str]
    documents: int = Field(description="Documents with labels of two or more annotators.")
    overall: dict[str, Any] = {}
    categories: list[dict[str, Any]] = []
    disagreements: list[dict[str, Any]] = []


@router.get("/projects/{p}/agreement", summary="How far annotators agree")
def agreed(request: Request, p: str) -> AgreementBody:
    """Return percent, kappa, alpha and AC1 with intervals, per category and overall, and the disagreements."""
    project = project_of(request, p)
    given: dict[str, dict[str, tuple[str, ...]]] = {}
    for document, predictions in workspace_of(request).labels.standing(project, shared=True).items():
        for annotator, labels, _ in predictions:
            given.setdefault(annotator, {})[document] = labels
    names = sorted(given)
    if not names:
        return AgreementBody(annotators=[], documents=0)
    judged = [
        Decisions(
            label_matrix(list(given[name].values()), project.categories)[0], project.categories, list(given[name])
        )
        for name in names
    ]
    found = agreement(judged, names=names, draws=DRAWS).to_dict()
    fields = {key: found[key] for key in ("annotators", "documents", "overall", "categories", "disagreements")}
    return AgreementBody.model_validate(fields)
