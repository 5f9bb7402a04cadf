"""One attempt to reach a system outside has one deadline: from the search for its name to the answer."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from typing import Any

import pytest
from tests.support.receiver import SECRET as SHARED
from tests.support.receiver import receiving

from seihon.derived.outside import Webhook, posting
from seihon.derived.outside.webhook import Letter, Unreached
from seihon.model import OutsideState


def send(hook: Webhook) -> OutsideState:
    return posting.post(hook, Letter("r_1", b"{}"), 1)


def code_of(hook: Webhook) -> tuple[str, float]:
    """Return why a system was not reached, and after how many seconds."""
    begun = time.monotonic()
    with pytest.raises(Unreached) as raised:
        send(hook)
    return raised.value.code, time.monotonic() - begun


def resolving(*addresses: str, after: float = 0.0) -> Callable[..., list[Any]]:
    """Return a search for names that knows one, ``crm.test``."""
    plain = socket.getaddrinfo

    def found(host: str, port: int, *args: Any, **more: Any) -> list[Any]:
        if host != "crm.test":
            return plain(host, port, *args, **more)
        time.sleep(after)
        return [(2, 1, 6, "", (address, port)) for address in addresses]

    return found


def test_the_search_for_a_name_is_part_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posting.socket, "getaddrinfo", resolving("127.0.0.1", after=1.5))
    code, took = code_of(Webhook("crm", "http://crm.test/", SHARED, private=True, timeout=0.2))
    assert code == "timeout" and took < 1.0


def test_the_next_address_is_tried_where_one_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    connect = socket.create_connection

    def first_is_silent(address: tuple[str, int], timeout: float) -> socket.socket:
        if address[0] == "127.0.0.2":
            time.sleep(timeout)
            raise TimeoutError
        return connect(address, timeout=timeout)

    with receiving() as crm:
        port = crm.hook().parts.port
        hook = Webhook("crm", f"http://crm.test:{port}/", SHARED, private=True, timeout=2)
        monkeypatch.setattr(posting.socket, "create_connection", first_is_silent)
        monkeypatch.setattr(posting.socket, "getaddrinfo", resolving("127.0.0.2", "127.0.0.1"))
        assert send(hook) is OutsideState.ACKNOWLEDGED
        assert len(crm.got) == 1


def test_addresses_share_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = list[str]()

    def silent(address: tuple[str, int], timeout: float) -> socket.socket:
        tried.append(address[0])
        time.sleep(timeout)
        raise TimeoutError

    monkeypatch.setattr(posting.socket, "getaddrinfo", resolving("127.0.0.1", "127.0.0.2", "127.0.0.3"))
    monkeypatch.setattr(posting.socket, "create_connection", silent)
    code, took = code_of(Webhook("crm", "http://crm.test/", SHARED, private=True, timeout=0.3))
    assert code == "timeout" and took < 0.8
    assert tried == ["127.0.0.1", "127.0.0.2", "127.0.0.3"]


def test_an_exchange_has_what_the_connection_left_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    connect = socket.create_connection

    def late(address: tuple[str, int], timeout: float) -> socket.socket:
        time.sleep(0.6)
        return connect(address, timeout=timeout)

    with receiving() as crm:
        crm.answers = [lambda _handler: time.sleep(1.5)]
        hook = crm.hook(timeout=1.0)
        monkeypatch.setattr(posting.socket, "create_connection", late)
        code, took = code_of(hook)
    assert code == "timeout" and took < 1.4
