"""Every address of the description, fuzzed by schemathesis: no 5xx, no undocumented answer."""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from rubricate.service.app import make_app
from rubricate.service.settings import ServiceSettings

pytestmark = pytest.mark.proof
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
SLOW = ("/evaluate", "/compare", "/projects/{p}/train", "/login", "/accounts")
"""Addresses that start processes or hash passwords: fewer examples."""


@pytest.fixture(scope="module")
def app(topics, tmp_path_factory):
    from starlette.testclient import TestClient

    app = make_app(ServiceSettings(models=(topics,), workspace=tmp_path_factory.mktemp("w"), upload_timeout=20))
    with TestClient(app) as client:
        client.post("/projects", json={"name": "0", "categories": ["a", "b"]})
        client.post("/projects/0/documents", json={"documents": [{"id": "0", "text": "wheat"}]})
        yield app


def _operations():
    description = make_app(ServiceSettings()).openapi()
    return [(path, method) for path, methods in description["paths"].items() for method in methods]


@pytest.mark.parametrize(("path", "method"), _operations())
def test_no_answer_is_a_surprise(app, path, method):
    schema = schemathesis.openapi.from_asgi("/openapi.json", app)
    operation = schema[path][method.upper()]
    examples = 5 if path in SLOW else 40

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
    @given(case=operation.as_strategy())
    def fuzz(case):
        if path == "/accounts" and method == "post":
            return  # an account would close the service to the others
        case.call_and_validate(checks=CHECKS, timeout=300)  # seconds: parsers are processes, and machines are busy

    fuzz()
