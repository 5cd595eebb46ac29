"""Load on the service: many requests at some concurrency; status codes, latency and memory, as JSON.

python -m tools.service_load [--requests 100000] [--concurrency 64] [--json FILE]

Starts `rubricate serve` with a small model, sends single documents over kept-alive connections, and reads the resident
memory of the process at the start (after warming up), on the way and at the end.
"""

from __future__ import annotations

import argparse
import http.client
import json
import platform
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import rubricate as rb

WORDS = ["wheat", "corn", "harvest", "exports", "crude", "oil", "gas", "pipeline", "gold", "silver", "mine", "port"]
WARM = 2_000


def _text(number: int) -> str:
    return " ".join(WORDS[(number * step) % len(WORDS)] for step in range(1, 12)) + f" {number}"


def _client(port: int, numbers: Any, statuses: Counter[str], seconds: list[float]) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    for number in numbers:
        body = json.dumps({"documents": [{"id": str(number), "text": _text(number)}]})
        began = time.perf_counter()
        try:
            connection.request("POST", "/models/topics/classify", body, {"content-type": "application/json"})
            answer = connection.getresponse()
            content = json.loads(answer.read())
            right = answer.status != 200 or content["documents"][0]["id"] == str(number)
            statuses[str(answer.status) if right else "wrong answer"] += 1
        except OSError as error:
            statuses[type(error).__name__] += 1
            connection.close()
        seconds.append(time.perf_counter() - began)


def _memory(process: int) -> float:
    pages = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 2**20


def send(port: int, first: int, count: int, concurrency: int) -> tuple[Counter[str], list[float]]:
    """Send requests from as many threads as connections."""
    statuses: Counter[str] = Counter()
    seconds: list[float] = []
    parts = [range(first + k, first + count, concurrency) for k in range(concurrency)]
    threads = [threading.Thread(target=_client, args=(port, part, statuses, seconds)) for part in parts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return statuses, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "topics.rubric"
        texts = [_text(i) for i in range(200)]
        rb.Categorizer(rb.SVM()).fit(texts, [f"c{i % 4}" for i in range(200)]).save(model)
        command = [sys.executable, "-c", "from rubricate.cli import main; main()", "serve", str(model), "--port", "0"]
        log = (Path(folder) / "log").open("w+")
        process = subprocess.Popen(command, stderr=log)
        try:
            report = _measure(process.pid, log, options)
        finally:
            process.terminate()
            process.wait()
            log.close()
    text = json.dumps(report, indent=2)
    print(text)
    if options.json:
        options.json.write_text(text + "\n", encoding="utf-8")


def _measure(process: int, log: Any, options: Any) -> dict[str, Any]:
    address = None
    while address is None:
        time.sleep(0.1)
        log.seek(0)
        address = re.search(r":(\d+)/", log.read())
    port = int(address[1])
    send(port, 0, WARM, options.concurrency)
    memory = [_memory(process)]
    statuses: Counter[str] = Counter()
    seconds: list[float] = []
    began = time.perf_counter()
    steps = 10
    for step in range(steps):
        size = options.requests // steps
        counted, taken = send(port, WARM + step * size, size, options.concurrency)
        statuses += counted
        seconds += taken
        memory.append(_memory(process))
    total = time.perf_counter() - began
    ordered = sorted(seconds)
    return {
        "requests": len(seconds),
        "concurrency": options.concurrency,
        "statuses": dict(statuses),
        "requests_per_second": round(len(seconds) / total),
        "milliseconds": {f"p{p}": round(1000 * ordered[int(len(ordered) * p / 100)], 2) for p in (50, 90, 99)},
        "memory_mb": [round(each, 1) for each in memory],
        "python": platform.python_version(),
    }


if __name__ == "__main__":
    main()
