"""Try the properties of the kernels on many fresh random cases and report how many: `make soak CASES=100000`.

Each property compares a kernel with its slow, obvious twin (tests/oracles) or with the definition of its result. Cases
are drawn from the strategies of the properties by plain random numbers (tools/plain_draws.py); seeds are fresh in every
run. A case that fails is printed with what was drawn. The report is one JSON object.

    python tools/soak.py --cases 100000 --seconds 600 [KERNEL …] > docs/soak.json

The properties of tests/kernels/test_K.py are those of the kernel K; the others are named in `ELSEWHERE`. The cases of a
kernel are shared out among its properties. With `--merge FILE` the counts of an earlier report are added, if it has the
same versions of Python, Numba and NumPy.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import secrets
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from plain_draws import Cases, Invalid

ROOT = Path(__file__).resolve().parents[1]
KERNELS = ROOT / "src" / "rubricate" / "kernels"
ELSEWHERE: dict[str, tuple[str, ...]] = {}
