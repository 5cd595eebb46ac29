"""`/jobs`: progress of background work, and how to stop it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from starlette.requests import Request

from rubricate.service.roles import Admin
from rubricate.service.routes.projects import workspace_of
from rubricate.service.workspace_bodies import JobBody

__all__ = ["router"]

router = APIRouter(tags=["jobs"])
JobNumber = Annotated[int, Path(ge=0, le=1 << 62)]


@router.get("/jobs/{j}", summary="Show a job")
def job(request: Request, j: JobNumber) -> JobBody:
    """Return state and progress; `result` when it is done."""
    return JobBody.model_validate(workspace_of(request).jobs.get(j))


@router.delete("/jobs/{j}", summary="Cancel a job")
def cancel(request: Request, j: JobNumber, who: Admin) -> JobBody:
    """Stop a job within a second or two; one that has ended stays as it is."""
    jobs = workspace_of(request).jobs
    jobs.cancel(j, who=who.name)
    return JobBody.model_validate(jobs.get(j))
