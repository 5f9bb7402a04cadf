"""The full-text index under the contract of derived stores, on both databases."""

from __future__ import annotations

import pytest

from seihon.derived.contract import Store
from seihon.derived.fulltext import FullText
from seihon.testing.store_suite import StoreContract


class TestFullText(StoreContract):
    @pytest.fixture
    def url(self, database_url: str) -> str:
        return database_url

    def make_store(self) -> Store:
        return FullText()
