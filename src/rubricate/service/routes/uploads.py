"""`POST /projects/{p}/documents`: JSON, NDJSON, or a file in any format that Rubricate reads."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from typing import Any

from fastapi import APIRouter
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.requests import Request

from rubricate.service.problems import Refusal
from rubricate.service.roles import Labeller
from rubricate.service.routes.projects import project_of, workspace_of
from rubricate.service.routes.streams import lines_of
from rubricate.service.state import service_of
from rubricate.service.upload_process import UNNAMED
from rubricate.service.workspace.documents import NewDocument
from rubricate.service.workspace_bodies import AddedDocuments, DocumentsBody, UploadedDocument

__all__ = ["file_chunks", "router"]

router = APIRouter(tags=["projects"])
CHUNK = 1 << 16
SUFFIXES = {form: form for form in ("csv", "tsv", "jsonl", "xlsx", "parquet")} | {"ndjson": "jsonl", "json": "jsonl"}
"""Formats by the suffix of a client's file name; nothing else of the name is used."""
_FILE = {"type": "object", "properties": {"file": {"type": "string", "format": "binary"}}, "required": ["file"]}
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": {"$ref": "#/components/schemas/DocumentsBody"}},
            "application/x-ndjson": {"schema": {"type": "string"}},
            "text/csv": {"schema": {"type": "string"}},
            "multipart/form-data": {"schema": _FILE},
        },
    }
}


@router.post("/projects/{p}/documents", status_code=201, summary="Add documents", openapi_extra=_BODY)
async def upload(request: Request, p: str, who: Labeller) -> AddedDocuments:
    """Add documents; answered when all are on the disk.

    A document that is there already with the same text is counted as known, so that an upload can be repeated; another
    text under its id is 409. Files (CSV, JSON lines, xlsx, Parquet; columns id, title, text, labels) are parsed in a
    process of their own. Long uploads are kept in steps; what came before an error stays.
    """
    workspace, project = workspace_of(request), await run_in_threadpool(project_of, request, p)
    added = known = 0
    read = _kind(request) == "multipart/form-data"  # a form is read to its end first; else reading tells
    async for documents in _documents(request):
        if read and await request.is_disconnected():
            raise Refusal(499, "the client went away")
        result = await run_in_threadpool(workspace.documents.add, project, documents, who.name)
        added, known = added + result.added, known + result.known
    return AddedDocuments(added=added, known=known)


async def _documents(request: Request) -> AsyncIterator[list[NewDocument]]:
    """Yield the documents of a body, in the form that its content type says."""
    service = service_of(request)
    kind = _kind(request)
    if kind == "application/json":
        yield _from_json(await request.body())
    elif kind in ("application/x-ndjson", "application/jsonl"):
        number = 0
        async for lines in lines_of(request, service.settings.max_line):
            wanted = [line for line in lines if line.strip()]
            yield [_from_line(line, number + place) for place, line in enumerate(wanted, 1)]
            number += len(wanted)
    elif kind in ("text/csv", "multipart/form-data"):
        form = "csv"
        chunks: AsyncIterator[bytes] = request.stream()
        if kind != "text/csv":
            form, chunks = await _form_file(request)
        async with service.parsers.run("file", {"format": form}) as process:
            process.feed(chunks)
            number = 0
            async for answer in process.lines():
                yield [_from_record(record, number + place) for place, record in enumerate(answer["records"], 1)]
                number += len(answer["records"])
    else:
        raise Refusal(415, "send application/json, application/x-ndjson, text/csv, or a form with a file")


def _kind(request: Request) -> str:
    return request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()


def _from_json(body: bytes) -> list[NewDocument]:
    try:
        parsed = DocumentsBody.model_validate_json(body)
    except ValidationError as error:
        raise RequestValidationError([{**part, "loc": ("body", *part["loc"])} for part in error.errors()]) from None
    return [_new(document) for document in parsed.documents]


def _from_line(line: bytes, number: int) -> NewDocument:
    try:
        return _new(UploadedDocument.model_validate_json(line))
    except ValidationError as error:
        raise _wrong(error, number) from None


def _from_record(record: Any, number: int) -> NewDocument:
    if isinstance(record, dict) and str(record.get("id", "")).startswith(UNNAMED):
        record = record | {"id": None}
    try:
        return _new(UploadedDocument.model_validate(record))
    except ValidationError as error:
        raise _wrong(error, number) from None


def _wrong(error: ValidationError, number: int) -> Refusal:
    first = error.errors()[0]
    where = ".".join(map(str, first["loc"]))
    return Refusal(422, f"document {number}: {where + ': ' if where else ''}{first['msg']}")


def _new(document: UploadedDocument) -> NewDocument:
    labels = None if document.labels is None else tuple(dict.fromkeys(document.labels))
    name = document.id or _content_name(document.title, document.text)
    return NewDocument(name, document.text, document.title, labels)


def _content_name(title: str | None, text: str) -> str:
    """Return a name for a document that has none: the same for the same content."""
    return hashlib.sha256(f"{title or ''}\n{text}".encode("utf-8", "replace")).hexdigest()[:16]


async def _form_file(request: Request) -> tuple[str, AsyncIterator[bytes]]:
    form = await request.form(max_files=1, max_fields=10)
    file = form.get("file")
    if not isinstance(file, UploadFile):
        raise Refusal(422, "the form has no file; name its field 'file'")
    suffix = (file.filename or "").rpartition(".")[2].lower()
    if suffix not in SUFFIXES:
        raise Refusal(422, f"the file's name ends in none of {', '.join(SUFFIXES)}")
    return SUFFIXES[suffix], file_chunks(file)


async def file_chunks(file: UploadFile) -> AsyncIterator[bytes]:
    """Yield the bytes of a file of a form."""
    while chunk := await file.read(CHUNK):
        yield chunk
