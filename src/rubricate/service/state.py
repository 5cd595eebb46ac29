"""What the addresses of one process share: models and their batchers, metrics, the workspace, who may do what."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import time
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from starlette.requests import HTTPConnection, Request

from rubricate.errors import RubricateError
from rubricate.io.reader import Record
from rubricate.service.batching import RequestBatcher
from rubricate.service.logs import log
from rubricate.service.metrics import Metrics
from rubricate.service.models import ModelRegistry, ServedModel
from rubricate.service.problems import Refusal
from rubricate.service.rates import LoginLimits, RateLimits, SharedBuckets
from rubricate.service.responses import ClassifyOptions
from rubricate.service.settings import ServiceSettings
from rubricate.service.upload_process import ParserPool
from rubricate.service.workspace.workspace import Workspace

__all__ = ["COUNTS", "Service", "service_of"]

REFRESH_SECONDS = 1.0
ACCOUNTS_SECONDS = 2.0
"""For so long it is remembered whether there are accounts; another process may add the first."""
BUSY_SECONDS = 5
STREAMS_PER_PARSER = 4
"""CSV streams for each parser of whole files: a stream may be long, mostly waits, and needs little memory."""
COUNTS = "metrics"
"""The folder, in the one that worker processes share, in which they count."""
QUOTED = 1_000
"""Characters of a document in a log that may quote."""


class Service:
    """The state of one process of the service; `shared` is a folder of what all its processes count together."""

    def __init__(self, settings: ServiceSettings, shared: Path | None = None) -> None:
        self.settings = settings
        self.registry = ModelRegistry(settings.models)
        gauges = {
            "rubricate_models": lambda: float(len(self.registry.all())),
            "rubricate_waiting_documents": self._waiting,
            "rubricate_memory_bytes": _memory,
        }
        self.metrics = Metrics(gauges, None if shared is None else shared / COUNTS)
        self.workspace = None if settings.workspace is None else Workspace(settings.workspace, settings.database)
        requests, addresses, names = (
            None if shared is None else SharedBuckets(shared / name) for name in ("rates", "addresses", "names")
        )
        self.rates = None if settings.rate is None else RateLimits(settings.rate, buckets=requests)
        self.logins = LoginLimits(addresses, names)
        cores = max(1, (os.cpu_count() or 1) // settings.workers)
        parsers = cores if settings.max_parsers is None else settings.max_parsers
        self.parsers = ParserPool(parsers, seconds=settings.upload_timeout)
        self.stream_parsers = ParserPool(STREAMS_PER_PARSER * parsers, seconds=settings.upload_timeout)
        self.ready = False
        self._guarded: tuple[float, bool] = (0.0, False)
        self._served: dict[str, Path] = {}
        self.renew_models()
        self._pool = ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="model")
        self._batchers: dict[str, RequestBatcher] = {}

    def _waiting(self) -> float:
        return sum(batcher.waiting for batcher in self._batchers.values())

    @asynccontextmanager
    async def running(self, _: Any = None) -> AsyncIterator[None]:
        """Run what goes on beside the requests, from the start of the process to its end."""
        gc.freeze()  # models and code stay: looking through them for garbage would hold up requests
        watch = asyncio.create_task(self._watch())
        self.ready = True
        try:
            yield
        finally:
            self.ready = False
            watch.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await watch
            self.metrics.close()
            await self.parsers.close()
            self._pool.shutdown(wait=False, cancel_futures=True)
            if self.workspace is not None:
                await asyncio.to_thread(self.workspace.close)

    async def _watch(self) -> None:
        """Open changed model files and start jobs; requests under way keep the model they started with."""
        while True:
            try:
                for message in await asyncio.to_thread(self._look_around):
                    log(message)
            except Exception as error:
                log("looking around failed", level=logging.ERROR, error=error)
            await asyncio.sleep(REFRESH_SECONDS)

    def _look_around(self) -> list[str]:
        self.metrics.refresh()
        messages = self.registry.refresh()
        if self.workspace is not None:
            messages += [f"job {key}: started" for key in self.workspace.jobs.start_due()]
            messages += self.renew_models()
        return messages

    def renew_models(self) -> list[str]:
        """Serve the model in use of every project under its name, unless a model file has that name."""
        if self.workspace is None:
            return []
        messages, files = [], {path.stem for path in self.settings.models}
        for name, path in self.workspace.models.in_use().items():
            if name in files or self._served.get(name) == path:
                continue
            try:
                self.registry.put(name, path)
                messages.append(f"project {name}: {path.name} in use")
            except RubricateError as error:
                messages.append(f"project {name}: {error}")
            self._served[name] = path
        return messages

    def project_models(self) -> set[str]:
        """Return the names of the projects whose model is served."""
        return {name for name in self._served if name not in {path.stem for path in self.settings.models}}

    def known_guarded(self) -> bool | None:
        """Tell whether requests must say who sends them, as far as that is known without asking the database."""
        if self.settings.token is not None or self.workspace is None:
            return self.settings.token is not None
        moment, known = self._guarded
        return None if time.monotonic() > moment else known

    def guarded(self) -> bool:
        """Tell whether requests must say who sends them: there is a token, or an account."""
        known = self.known_guarded()
        if known is None and self.workspace is not None:
            known = self.workspace.accounts.any()
            self._guarded = (time.monotonic() + ACCOUNTS_SECONDS, known)
        return bool(known)

    def forget_accounts(self) -> None:
        """Look again whether there are accounts."""
        self._guarded = (0.0, False)

    def _batcher(self, served: ServedModel) -> RequestBatcher:
        batcher = self._batchers.get(served.name)
        if batcher is None:
            batcher = RequestBatcher(self._pool, limit=self.settings.max_waiting, observe=self.metrics.batch)
            self._batchers[served.name] = batcher
        return batcher

    async def rows(self, served: ServedModel, documents: Sequence[Record], options: ClassifyOptions) -> list[bytes]:
        """Classify documents in the batcher of their model; 503 where that takes too long."""
        try:
            work = self._batcher(served).rows(served, documents, options)
            rows = await asyncio.wait_for(work, self.settings.timeout)
        except TimeoutError:
            text = f"not done within {self.settings.timeout:g} seconds; try again, or send fewer documents at a time"
            raise Refusal(503, text, retry=BUSY_SECONDS) from None
        self._classified(served, documents)
        return rows

    async def rows_for(
        self, request: Request, served: ServedModel, documents: Sequence[Record], options: ClassifyOptions
    ) -> list[bytes]:
        """Classify the documents of a request whose body was read; stop when its client goes away."""
        rows = await self._batcher(served).at_once(served, documents, options)
        if rows is None:
            found: list[bytes] = await self.unless_gone(request, self.rows(served, documents, options))
            return found
        self._classified(served, documents)
        return rows

    def _classified(self, served: ServedModel, documents: Sequence[Record]) -> None:
        self.metrics.documents(served.name, len(documents))
        if self.settings.log_text:
            texts = [{"id": each.id, "text": each.text[:QUOTED]} for each in documents]
            log("classified", model=served.name, documents=texts)

    async def unless_gone(self, request: Request, work: Any) -> Any:
        """Await some work; stop it when the client goes away. The body must have been read."""
        doing = asyncio.ensure_future(work)
        leaving = asyncio.ensure_future(_gone(request))
        try:
            await asyncio.wait({doing, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if doing.done():
                return doing.result()
            raise Refusal(499, "the client went away")
        finally:
            leaving.cancel()
            doing.cancel()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _memory() -> float:
    try:
        with open("/proc/self/statm", encoding="ascii") as stream:  # noqa: PTH123
            return float(stream.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0.0


def service_of(connection: HTTPConnection) -> Service:
    """Return the state that a request belongs to."""
    service: Service = connection.app.state.service
    return service
