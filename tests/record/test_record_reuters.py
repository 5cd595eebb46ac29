"""The numbers on Reuters are as recorded; a file of its own, so that it can run beside the other."""

from __future__ import annotations

import pytest
from tests.record.parts import cases, changed


@pytest.mark.proof
@pytest.mark.parametrize("part, case", cases("reuters", "reuters_commands"))
def test_numbers_on_reuters_are_as_recorded(part, case, reuters_folder):
    assert changed(part, case) == []
