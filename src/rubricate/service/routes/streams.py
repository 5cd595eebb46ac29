"""Streams of documents: NDJSON and CSV in, rows out, batch by batch in constant memory."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from pydantic import ValidationError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from rubricate.errors import RubricateError
from rubricate.io.batches import batched
from rubricate.io.reader import Record
from rubricate.service.batching import QueueFull, Spool
from rubricate.service.bodies import DocumentBody
from rubricate.service.logs import log
from rubricate.service.models import ServedModel
from rubricate.service.problems import Refusal
from rubricate.service.responses import ClassifyOptions
from rubricate.service.state import Service
from rubricate.service.upload_process import ParserPool

__all__ = ["RowStream", "csv_documents", "lines_of", "ndjson_documents"]

BATCH, CHARACTERS = 256, 1 << 20
"""Most documents and characters of a stream that are in memory at once."""


async def lines_of(request: Request, most: int) -> AsyncIterator[list[bytes]]:
    """Yield the lines of a body as it comes, those that come together in one list, without their ends."""
    rest = b""
    async for chunk in request.stream():
        *lines, rest = (rest + chunk).split(b"\n")
        yield lines
        if len(rest) > most:
            raise Refusal(413, f"a line is longer than {most >> 20} MB")
    yield [rest]


async def ndjson_documents(request: Request, most: int) -> AsyncIterator[list[Record]]:
    """Yield the documents of an NDJSON body as they come; empty lines are skipped."""
    number = 0
    async for lines in lines_of(request, most):
        records: list[Record] = []
        for line in filter(bytes.strip, lines):
            number += 1
            try:
                records.append(_record(line, number))
            except Refusal:
                if records:  # what came before the broken line is answered
                    yield records
                raise
        yield records


def _record(line: bytes, number: int) -> Record:
    try:
        document = DocumentBody.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise Refusal(422, f"line {number}: {where + ': ' if where else ''}{first['msg']}") from None
    return Record(document.id or str(number), document.text, title=document.title)


async def csv_documents(
    chunks: AsyncIterator[bytes], options: Mapping[str, Any], parsers: ParserPool
) -> AsyncIterator[list[Record]]:
    """Yield the documents of a CSV file, parsed in a process of its own."""
    async with parsers.run("records", {"labels": None, "split": None, **options}) as process:
        process.feed(chunks)
        async for answer in process.lines():
            yield [Record(each["id"], each["text"], title=each["title"]) for each in answer["records"]]


class RowStream(Response):
    """An answer that is sent while documents still come in."""

    def __init__(
        self, service: Service, served: ServedModel, *, options: ClassifyOptions, documents: AsyncIterator[list[Record]]
    ) -> None:
        super().__init__(media_type="application/x-ndjson" if options.form == "json" else "text/csv; charset=utf-8")
        del self.headers["content-length"]
        self._service, self._served, self._options, self._documents = service, served, options, documents

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the first batch, so that its errors still have a status; then send rows as they are made."""
        batches = _batches(self._documents)
        first: list[Record] = await anext(batches, [])
        rows = await self._service.rows(self._served, first, self._options)
        spool = Spool()
        if self._options.form == "csv":
            form = self._options.format
            _write(spool, [line.encode() for line in form.csv_lines([form.header()])])
        _write(spool, rows)
        making = asyncio.create_task(self._make(batches, spool))
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        try:
            async for chunk in spool.chunks():
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            making.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await making

    async def _make(self, batches: AsyncIterator[list[Record]], spool: Spool) -> None:
        try:
            async for batch in batches:
                _write(spool, await self._service.rows(self._served, batch, self._options))
        except ClientDisconnect:
            log("stream left by its client")
        except QueueFull:
            self._fail(spool, "too many documents are waiting; send the rest again later")
        except (Refusal, RubricateError) as error:
            self._fail(spool, str(getattr(error, "detail", error)))
        except OSError as error:
            self._fail(spool, f"the answer cannot be kept: {error.strerror}")
        finally:
            spool.close()

    def _fail(self, spool: Spool, message: str) -> None:
        """Say in the stream why it ends: the status has been sent."""
        if self._options.form == "json":
            spool.write(json.dumps({"error": message}, ensure_ascii=False).encode() + b"\n")
        else:
            spool.write(b"# error: " + message.encode("utf-8", "replace") + b"\n")


def _write(spool: Spool, rows: list[bytes]) -> None:
    spool.write(b"".join(row + b"\n" for row in rows if row))


async def _batches(documents: AsyncIterator[list[Record]]) -> AsyncIterator[list[Record]]:
    """Yield what comes together in batches of bounded size; nothing waits for what comes later."""
    async for records in documents:
        for batch in batched(records, BATCH, CHARACTERS):
            yield batch
