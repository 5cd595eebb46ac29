"""`/evaluate` and `/compare`: files of truth and predictions → the numbers and the report page."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, File, Form, UploadFile
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from rubricate.service.problems import Refusal
from rubricate.service.state import service_of
from rubricate.service.upload_process import ParserPool

__all__ = ["router"]

router = APIRouter(tags=["judging"])
CHUNK = 1 << 20
MOST_RUNS = 20
Truth = Annotated[UploadFile, File(description="The true labels.")]
Runs = Annotated[list[UploadFile], File(description="The predictions of each system, named by its file.")]
Cut = Annotated[str, Form(max_length=100, description="Turn scores into decisions: 0.5, rcut:1, …")]
Answer = Annotated[Literal["json", "html"], Form(description="json: the numbers and the page; html: the page alone")]
_HTML: dict[int | str, dict[str, Any]] = {200: {"content": {"text/html": {}}}}


class EvaluationBody(BaseModel):
    """Every measure of every run, and the report page where there are decisions."""

    evaluations: list[dict[str, Any]]
    report: str | None


class ComparisonBody(BaseModel):
    """Every test on every pair of runs, and the report page where there are decisions."""

    comparison: dict[str, Any]
    report: str | None


@router.post("/evaluate", summary="Measure predictions", response_model=EvaluationBody, responses=_HTML)
async def evaluate(
    request: Request, truth: Truth, runs: Runs, cut: Cut = "", answer: Answer = "json"
) -> Response | dict[str, Any]:
    """Return every measure of the runs against the truth, and the report page."""
    return await _judged(request, "evaluate", {"truth": truth, "runs": runs, "cut": cut, "answer": answer})


@router.post("/compare", summary="Compare systems", response_model=ComparisonBody, responses=_HTML)
async def compare(
    request: Request, truth: Truth, runs: Runs, cut: Cut = "", answer: Answer = "json"
) -> Response | dict[str, Any]:
    """Return the significance tests of all pairs of runs, and the report page."""
    return await _judged(request, "compare", {"truth": truth, "runs": runs, "cut": cut, "answer": answer})


async def _judged(request: Request, task: str, given: dict[str, Any]) -> Response | dict[str, Any]:
    """Store the files under names of ours and let a process judge them."""
    if len(given["runs"]) > MOST_RUNS:
        raise Refusal(422, f"{len(given['runs'])} runs; give at most {MOST_RUNS}")
    with tempfile.TemporaryDirectory(prefix="rubricate-") as name:
        folder = Path(name)
        await _store(given["truth"], folder / "truth")
        names: list[str] = []
        for number, run in enumerate(given["runs"], 1):
            await _store(run, folder / f"run-{number}")
            names.append(_shown_name(run.filename, number, names))
        options = {"folder": str(folder), "names": names, "cut": given["cut"], "report": True}
        service = service_of(request)
        answers = await service.unless_gone(request, _answers(service.parsers, task, options))
    if not answers:
        raise Refusal(422, "the files could not be judged")
    if given["answer"] == "html":
        if answers[0]["report"] is None:
            raise Refusal(422, "a report needs decisions; give a cut, such as 0.5 or rcut:1")
        return HTMLResponse(answers[0]["report"], headers={"x-report": "whole"})
    return answers[0]


async def _answers(parsers: ParserPool, task: str, options: dict[str, Any]) -> list[dict[str, Any]]:
    async with parsers.run(task, options) as process:
        return [answer async for answer in process.lines()]


async def _store(file: UploadFile, path: Path) -> None:
    """Write a file of the form beside the others, under a name of ours."""
    with path.open("wb") as target:
        while chunk := await file.read(CHUNK):
            await run_in_threadpool(target.write, chunk)


def _shown_name(filename: str | None, number: int, taken: list[str]) -> str:
    """Return the name of a run for the tables: what the client calls it, if that is new."""
    stem = (filename or "").replace("\\", "/").rpartition("/")[2].rpartition(".")[0][:100]
    return stem if stem and stem not in taken else f"run {number}"
