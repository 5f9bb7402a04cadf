"""Any run of verbs, on both databases, against a dict model."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test
from tests.conftest import DEEP, Backend
from tests.machines.machine import MemoryMachine
from tests.machines.world import world_of

RUNS = settings(
    max_examples=200 if DEEP else 10,
    stateful_step_count=50 if DEEP else 30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)


# Some forty seconds alone; a machine that is busy with others takes three times as long.
@pytest.mark.timeout(7_200 if DEEP else 400)
def test_any_run_of_verbs_agrees_with_a_dict(backend: Backend) -> None:
    with world_of(backend.url) as world:

        class Here(MemoryMachine):
            def __init__(self) -> None:
                super().__init__(world)

        run_state_machine_as_test(Here, settings=RUNS)
