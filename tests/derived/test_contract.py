"""Each derived store under the contract, on both databases."""

from __future__ import annotations

import pytest

from seihon.canonical.summaries import range_key
from seihon.core import ranges
from seihon.derived.contract import Store
from seihon.derived.fulltext import FullText
from seihon.derived.summaries import Summaries
from seihon.derived.vectors import Vectors
from seihon.model import Message
from seihon.models.summariser import OfflineSummariser
from seihon.testing.embedder import FakeEmbedder
from seihon.testing.store_suite import StoreContract


class TestFullText(StoreContract):
    @pytest.fixture
    def url(self, database_url: str) -> str:
        return database_url

    def make_store(self) -> Store:
        return FullText()


class TestSummaries(StoreContract):
    messages = ranges.SIZE
    retracts = True

    @pytest.fixture
    def url(self, database_url: str) -> str:
        return database_url

    def key_of(self, message: Message) -> str:
        return range_key(ranges.block_of(message.seq), message.conversation)

    def make_store(self) -> Store:
        return Summaries(OfflineSummariser())


class TestVectors(StoreContract):
    @pytest.fixture
    def url(self, database_url: str) -> str:
        return database_url

    def make_store(self) -> Store:
        return Vectors([FakeEmbedder()])
