"""A service that really listens, in a thread of the tests."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from rubricate.service.app import make_app
from rubricate.service.running import server_config
from rubricate.service.settings import ServiceSettings


@contextmanager
def live_service(port: int = 0, **settings: Any) -> Iterator[str]:
    """Serve on a port, by default a free one; yield the address."""
    listening = socket.create_server(("127.0.0.1", port))
    own = ServiceSettings(**settings)
    server = uvicorn.Server(server_config(make_app(own), own))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
