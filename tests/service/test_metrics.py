"""Metrics of several processes: each shows what all have done, and gauges of those that died go away."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytest.importorskip("prometheus_client", reason="the extra serve is not installed")
from rubricate.service.metrics import GAUGES, METRICS_FOLDER, Metrics

PROCESS = """
import sys
from pathlib import Path
from rubricate.service.metrics import GAUGES, Metrics
metrics = Metrics(dict.fromkeys(GAUGES, lambda: 5.0), Path(sys.argv[1]))
metrics.documents("topics", 3)
metrics.request("GET", "/health", 200, seconds=0.02)
metrics.refresh()
if "asked" in sys.argv:
    print(metrics.text()[0].decode())
elif "stopped" in sys.argv:
    metrics.close()
"""


def _run(folder, *words):
    command = [sys.executable, "-c", PROCESS, str(folder), *words]
    environment = os.environ | {METRICS_FOLDER: str(folder)}
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def test_every_process_shows_what_all_have_done(tmp_path):
    _run(tmp_path, "stopped")
    _run(tmp_path)  # dies without closing
    text = _run(tmp_path, "asked")
    assert 'rubricate_documents_total{model="topics"} 9.0' in text
    assert 'rubricate_requests_total{method="GET",route="/health",status="200"} 3.0' in text
    assert 'rubricate_request_seconds_bucket{le="0.025",method="GET",route="/health"} 3.0' in text
    assert "rubricate_memory_bytes 5.0" in text  # of the only process that runs
    assert "rubricate_models 5.0" in text


def test_a_process_alone_counts_for_itself():
    first, second = (Metrics(dict.fromkeys(GAUGES, lambda: 2.0)) for _ in range(2))
    first.batch(3)
    text, content_type = first.text()
    assert "rubricate_batch_documents_count 1.0" in text.decode()
    assert "rubricate_waiting_documents 2.0" in text.decode()
    assert "_created" not in text.decode()
    assert content_type.startswith("text/plain")
    assert "rubricate_batch_documents_count 0.0" in second.text()[0].decode()


def test_openmetrics_is_spoken_where_it_is_asked_for():
    text, content_type = Metrics(dict.fromkeys(GAUGES, lambda: 2.0)).text("application/openmetrics-text; version=1.0.0")
    assert content_type.startswith("application/openmetrics-text")
    assert text.endswith(b"# EOF\n")
