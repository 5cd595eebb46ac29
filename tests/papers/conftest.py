"""The small corpus that the tests of experiments have."""

from __future__ import annotations

from tests.experiments.conftest import corpus

__all__ = ["corpus"]
