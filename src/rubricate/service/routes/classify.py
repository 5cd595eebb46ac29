"""`/models`: what they are, and what they say of documents."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response

from rubricate.io.reader import Record
from rubricate.reports.model_card import describe_model
from rubricate.service.bodies import (
    Classification,
    ClassifyBody,
    ExplainBody,
    Explanation,
    ModelDescription,
    ModelList,
    ModelSummary,
    StreamOptions,
)
from rubricate.service.models import ServedModel
from rubricate.service.nearest import nearest_labelled
from rubricate.service.problems import Refusal
from rubricate.service.responses import ClassifyOptions
from rubricate.service.routes.streams import RowStream, csv_documents, ndjson_documents
from rubricate.service.routes.uploads import file_chunks
from rubricate.service.state import Service, service_of

__all__ = ["router"]

router = APIRouter(tags=["models"])

_FILE = {"type": "object", "properties": {"file": {"type": "string", "format": "binary"}}, "required": ["file"]}
_OPENAPI = {
    # Read by us, where a stream comes: FastAPI would spend more on six parameters than a model on a short text.
    "parameters": [
        {"name": name, "in": "query", "required": False, "schema": schema}
        for name, schema in StreamOptions.model_json_schema()["properties"].items()
    ],
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": ClassifyBody.model_json_schema(ref_template="#/components/schemas/{model}")},
            "application/x-ndjson": {
                "schema": {"type": "string", "description": "One document per line: id?, title?, text."}
            },
            "text/csv": {"schema": {"type": "string", "description": "Columns text, and id and title if there."}},
            "multipart/form-data": {"schema": _FILE},
        },
    },
    "responses": {
        "200": {
            "description": "Answers, in the form of the request: JSON, NDJSON or CSV",
            "content": {
                "application/json": {"schema": {"$ref": "#/components/schemas/Classification"}},
                "application/x-ndjson": {"schema": {"type": "string"}},
                "text/csv": {"schema": {"type": "string"}},
            },
        }
    },
}


class _PlainRoute(APIRoute):
    """An address whose function reads the request and makes the response itself.

    FastAPI describes it as any other; looking for parameters and dependencies would take longer than a short document.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return what answers a request: the function itself, with the names in the path."""

        async def answer(request: Request) -> Response:
            response: Response = await self.endpoint(request, **request.path_params)
            return response

        return answer


async def classify(request: Request, name: str) -> Response:
    """Return labels, confidence, scores and evidence of each document, in the form of the request.

    JSON takes the options in the body. NDJSON (`application/x-ndjson`: one document per line, of any number) and CSV
    (`text/csv`, or a form with the field `file`) take them from the query, are answered as they come, and end with an
    error in the last line where something is wrong after the first answers were sent.
    """
    service = service_of(request)
    served = service.registry.get(name)
    kind = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    if kind == "application/json":
        return await _json(service, served, request)
    asked = _options(request)
    options = ClassifyOptions(asked.top, asked.explain, asked.abstain, "json" if "json" in kind else "csv")
    if kind in ("application/x-ndjson", "application/jsonl"):
        return _stream(service, served, options, ndjson_documents(request, service.settings.max_line))
    if kind == "text/csv":
        chunks: AsyncIterator[bytes] = request.stream()
    elif kind == "multipart/form-data":
        chunks = await _file(request)
    else:
        raise Refusal(415, "send application/json, application/x-ndjson, text/csv, or a form with a file")
    columns = {"format": "csv", **asked.model_dump(include={"text", "title", "id"}, exclude_none=True)}
    documents = csv_documents(chunks, columns, service.stream_parsers)
    return _stream(service, served, options, documents)


@router.get("/models", summary="List the models in use")
async def models(request: Request) -> ModelList:
    """Return every model with its size."""
    return ModelList(models=[_summary(served) for served in service_of(request).registry.all()])


def _summary(served: ServedModel) -> ModelSummary:
    model = served.model
    return ModelSummary(
        name=served.name,
        categories=len(model.categories_),
        documents=len(model.ids_),
        single_label=bool(model.single_label_),
    )


@router.get("/models/{name}", summary="Describe a model")
async def model(
    request: Request, name: str, terms: Annotated[int, Query(ge=0, le=100, description="Top terms.")] = 8
) -> ModelDescription:
    """Return settings, figures, and the categories with the terms that speak most for them."""
    served = service_of(request).registry.get(name)
    described = await run_in_threadpool(describe_model, served.model, terms)
    settings = {key: described[key] for key in ("signature", "classifier", "cut", "representation")}
    return ModelDescription(
        name=name,
        settings=settings,
        figures=described["cross_validation"],
        documents=described["documents"],
        single_label=described["single_label"],
        categories=described["categories"],
    )


def _options(request: Request) -> StreamOptions:
    try:
        return StreamOptions.model_validate({name: value for name, value in request.query_params.items() if value})
    except ValidationError as error:
        raise RequestValidationError([{**part, "loc": ("query", *part["loc"])} for part in error.errors()]) from None


router.add_api_route(
    "/models/{name}/classify",
    classify,
    methods=["POST"],
    summary="Classify documents",
    openapi_extra=_OPENAPI,
    response_model=Classification,
    route_class_override=_PlainRoute,
)


@router.post("/models/{name}/explain", summary="Explain a category")
def explain(request: Request, name: str, body: ExplainBody) -> Explanation:
    """Return the words of a text for and against a category, and which of them would change the answer."""
    service = service_of(request)
    served = service.registry.get(name)
    if body.category not in served.model.categories_:
        raise Refusal(422, f"the model {name!r} has no category {body.category[:200]!r}")
    found = served.writer.explain(body.text, body.category, body.limit)
    places = sorted(found["evidence"], key=lambda each: -each["weight"])
    words = [body.text[each["start"] : each["end"]] for each in places if each["weight"] > 0]
    return Explanation.model_validate(
        {
            **found,
            "change": served.writer.change(body.text, body.category, found["evidence"]),
            "nearest": _nearest(service, served, body.text, words),
        }
    )


def _nearest(service: Service, served: ServedModel, text: str, words: list[str]) -> list[dict[str, Any]]:
    """Return labelled documents of the model's project that are like the text; none where it is no project's."""
    if service.workspace is None or served.name not in service.project_models():
        return []
    project = service.workspace.projects.get(served.name)
    return nearest_labelled(service.workspace.documents, project, served, text=text, words=words)


def _stream(service: Service, served: ServedModel, options: ClassifyOptions, documents: Any) -> RowStream:
    _check_abstain(served, options.abstain)
    return RowStream(service, served, options=options, documents=documents)


def _check_abstain(served: ServedModel, abstain: float | None) -> None:
    if abstain is not None and served.model.model_.confidence is None:
        raise Refusal(422, f"the model {served.name!r} was trained without folds and cannot abstain")


async def _json(service: Service, served: ServedModel, request: Request) -> Response:
    try:
        body = ClassifyBody.model_validate_json(await request.body())
    except ValidationError as error:
        raise RequestValidationError([{**part, "loc": ("body", *part["loc"])} for part in error.errors()]) from None
    most = service.settings.max_documents
    if len(body.documents) > most:
        raise Refusal(422, f"{len(body.documents):,} documents; a call takes {most:,}. Fix: several calls, or NDJSON")
    _check_abstain(served, body.abstain)
    options = ClassifyOptions(body.top, body.explain or 0, body.abstain)
    documents = [
        Record(str(place) if document.id is None else document.id, document.text, title=document.title)
        for place, document in enumerate(body.documents, 1)
    ]
    rows = await service.rows_for(request, served, documents, options)
    return Response(b'{"documents": [' + b", ".join(rows) + b"]}", media_type="application/json")


async def _file(request: Request) -> AsyncIterator[bytes]:
    """Return the bytes of the file in a form; the form is on disk when it is long."""
    form = await request.form(max_files=1, max_fields=10)
    file = form.get("file")
    if not isinstance(file, UploadFile):
        raise Refusal(422, "the form has no file; name its field 'file'")
    return file_chunks(file)
