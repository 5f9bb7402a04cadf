"""The machines' own modules show the two sides of a failed comparison, like test modules do."""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite("tests.machines.looking", "tests.machines.machine", "tests.machines.said")
