"""Streams of any length in constant memory: 200 MB of NDJSON through a service of its own."""

from __future__ import annotations

import http.client
import json
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

pytestmark = pytest.mark.proof
SERVE = [sys.executable, "-c", "from rubricate.cli import main; main()", "serve", "--port", "0"]
LINES, SIZE = 2_000, 100_000
GROWTH = 48
"""Megabytes that buffers of a batch, of the connection and of the spool may take."""


def _resident(process, field="VmRSS"):
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
    return int(re.search(rf"{field}:\s+(\d+) kB", status)[1]) / 1024


def _lines(count, size):
    # A field that the service ignores: the bytes have to pass, but the model has little to do.
    filler = "x" * size
    for i in range(count):
        text = "wheat and corn" if i % 2 else "crude oil and gas"
        yield json.dumps({"id": i, "text": text, "filler": filler}).encode() + b"\n"


@pytest.fixture
def service(topics):
    process = subprocess.Popen([*SERVE, str(topics)], stderr=subprocess.PIPE, text=True)
    port = int(re.search(r":(\d+)/", process.stderr.readline())[1])
    threading.Thread(target=process.stderr.read, daemon=True).start()
    yield process, port
    process.terminate()
    process.wait()


@pytest.mark.parametrize("patient", [False, True], ids=["reads while it sends", "reads when all is sent"])
def test_200_megabytes_pass_in_constant_memory(service, patient):
    process, port = service
    kind = {"content-type": "application/x-ndjson"}

    def ask(count, size):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        connection.putrequest("POST", "/models/topics/classify")
        connection.putheader("transfer-encoding", "chunked")
        for name, value in kind.items():
            connection.putheader(name, value)
        connection.endheaders()
        rows = []

        def read():
            answer = connection.getresponse()
            assert answer.status == 200
            rows.extend((row["id"], row["labels"]) for row in map(json.loads, answer))

        reading = threading.Thread(target=read)
        if not patient:
            reading.start()
        for line in _lines(count, size):
            connection.send(b"%x\r\n%s\r\n" % (len(line), line))
        connection.send(b"0\r\n\r\n")
        if patient:
            reading.start()
        reading.join()
        connection.close()
        return rows

    ask(50, SIZE)
    Path(f"/proc/{process.pid}/clear_refs").write_text("5", encoding="ascii")  # the highest mark is set back
    before = _resident(process)
    rows = ask(LINES, SIZE)
    assert rows == [(str(i), ["grain"] if i % 2 else ["fuel"]) for i in range(LINES)]
    assert _resident(process, "VmHWM") - before < GROWTH
