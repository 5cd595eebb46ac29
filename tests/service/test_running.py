"""The process that starts workers keeps nothing of what it tries out."""

from __future__ import annotations

import gc

import pytest

pytest.importorskip("uvicorn", reason="the extra serve is not installed")
from rubricate.service.models import ServedModel
from rubricate.service.running import check_settings
from rubricate.service.settings import ServiceSettings


def test_models_that_are_tried_out_are_not_kept(topics, tmp_path):
    before = sum(isinstance(each, ServedModel) for each in gc.get_objects())
    check_settings(ServiceSettings(models=(topics,), workspace=tmp_path / "w"))
    assert sum(isinstance(each, ServedModel) for each in gc.get_objects()) <= before
