"""Errors as answers: what went wrong in one sentence, with the status that fits, and when to try again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse, Response

from rubricate.errors import InvalidInput, RubricateError, UnknownName
from rubricate.service.accounts import PasswordsBusy
from rubricate.service.batching import QueueFull
from rubricate.service.workspace.database import DatabaseUnavailable
from rubricate.service.workspace.jobs import JobActive
from rubricate.service.workspace.projects import Conflict, NotAllowed, UnknownCategory

__all__ = ["RESPONSES", "ErrorBody", "Refusal", "install_handlers", "refusal_response"]

RETRY_SECONDS = 1


class ErrorBody(BaseModel):
    """Why a request was not done."""

    detail: str = Field(description="What is wrong and what to do.")
    errors: list[str] = Field(default=[], description="Each part of the body that is wrong.")


class Refusal(HTTPException):
    """A request that is refused with this status; `retry` are the seconds after which it may succeed."""

    def __init__(self, status: int, detail: str, *, retry: int | None = None, errors: list[str] | None = None) -> None:
        super().__init__(status, detail)
        self.retry, self.errors = retry, errors or []


RESPONSES: Mapping[int | str, dict[str, Any]] = {
    status: {"model": ErrorBody, "description": description}
    for status, description in (
        (400, "The request cannot be read"),
        (401, "No valid token or session"),
        (403, "The role does not allow it, or the request comes from another site"),
        (404, "Nothing has this name"),
        (405, "The address does not take this method"),
        (409, "It contradicts what is there"),
        (413, "The body is too long"),
        (415, "The content type is not one of those listed"),
        (422, "The body or a parameter is wrong"),
        (429, "Too many requests from this client"),
        (503, "Too much to do; try again"),
    )
}
"""What every address may answer besides success."""


def refusal_response(refusal: Refusal) -> Response:
    """Return a refusal as JSON."""
    if refusal.status_code == 303:
        return RedirectResponse(str(refusal.detail), 303)
    headers = {} if refusal.retry is None else {"Retry-After": str(refusal.retry)}
    if refusal.status_code == 401:
        headers["WWW-Authenticate"] = "Bearer"
    content = ErrorBody(detail=str(refusal.detail), errors=refusal.errors).model_dump()
    return JSONResponse(content, status_code=refusal.status_code, headers=headers)


def install_handlers(app: FastAPI) -> None:
    """Turn every error into an answer that says what to do."""

    @app.exception_handler(Refusal)
    async def refused(_: Request, error: Refusal) -> Response:
        return refusal_response(error)

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> Response:
        errors = [f"{'.'.join(map(str, part['loc']))}: {part['msg']}" for part in error.errors()[:20]]
        return refusal_response(Refusal(422, f"wrong request: {errors[0]}", errors=errors))

    @app.exception_handler(UnknownName)
    async def unknown(_: Request, error: UnknownName) -> Response:
        return refusal_response(Refusal(404, str(error)))

    @app.exception_handler(Conflict)
    async def contradicted(_: Request, error: Conflict) -> Response:
        return refusal_response(Refusal(409, str(error)))

    @app.exception_handler(NotAllowed)
    async def not_allowed(_: Request, error: NotAllowed) -> Response:
        return refusal_response(Refusal(403, str(error)))

    @app.exception_handler(JobActive)
    async def job_active(_: Request, error: JobActive) -> Response:
        response = refusal_response(Refusal(409, str(error)))
        response.headers["Location"] = f"/jobs/{error.job}"
        return response

    @app.exception_handler(UnknownCategory)
    async def unknown_category(_: Request, error: UnknownCategory) -> Response:
        return refusal_response(Refusal(422, str(error)))

    @app.exception_handler(PasswordsBusy)
    @app.exception_handler(DatabaseUnavailable)
    async def unavailable(_: Request, error: RubricateError) -> Response:
        return refusal_response(Refusal(503, str(error), retry=RETRY_SECONDS))

    @app.exception_handler(InvalidInput)
    async def wrong(_: Request, error: InvalidInput) -> Response:
        return refusal_response(Refusal(422, str(error)))

    @app.exception_handler(RubricateError)
    async def failed(_: Request, error: RubricateError) -> Response:
        return refusal_response(Refusal(422, str(error)))

    @app.exception_handler(QueueFull)
    async def full(_: Request, __: QueueFull) -> Response:
        return refusal_response(Refusal(503, "too many documents are waiting; try again", retry=RETRY_SECONDS))

    @app.exception_handler(HTTPException)
    async def plain(_: Request, error: HTTPException) -> Response:
        response = refusal_response(Refusal(error.status_code, str(error.detail)))
        response.headers.update(error.headers or {})
        return response
