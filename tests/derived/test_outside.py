"""Systems outside are told of each deletion: signed, until they take it, and apart from what is verified."""

from __future__ import annotations

import datetime as dt
import ssl
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.x509.oid import NameOID
from tests.conftest import Backend
from tests.contract.memories import SCHEMA, SECRET, say
from tests.support.receiver import DELETED, KEY, Receiver, receiving
from tests.support.receiver import SECRET as SHARED

from seihon import errors
from seihon.derived import receipts
from seihon.derived.outside import Webhook, posting
from seihon.derived.outside.webhook import Letter, Unreached
from seihon.memory import Derive, Memory
from seihon.model import OutsideState, Receipt, StoreState
from seihon.testing import faults
from seihon.testing.clock import FakeClock

CANARY = "極秘カナリア七 ZXCANARY7f3a"


@pytest.fixture
def crm() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


def opened(backend: Backend, clock: FakeClock, *hooks: Webhook, derive: Derive = Derive.EXTERNAL) -> Memory:
    return Memory.open(
        backend.url, clock=clock, schema=SCHEMA, tenant="acme", secret=SECRET, derive=derive, webhooks=hooks
    )


def work(memory: Memory) -> None:
    """Do what a worker does until nothing is due."""
    memory.work()


def outside(memory: Memory, receipt: Receipt) -> dict[str, tuple[OutsideState, int, str]]:
    found = memory.receipt("ann", receipt.id).outside
    return {one.name: (one.state, one.attempts, one.error) for one in found}


def test_p2_a_system_outside_is_told_and_its_word_stands_apart(
    backend: Backend, clock: FakeClock, crm: Receiver
) -> None:
    with opened(backend, clock, crm.hook()) as memory:
        said = say(memory, CANARY)
        receipt = memory.forget_message("ann", said.id, reason="card number pasted")
        assert outside(memory, receipt) == {"crm": (OutsideState.PENDING, 0, "")}
        assert crm.got == []
        work(memory)
        found = memory.receipt("ann", receipt.id)
        assert found.state is StoreState.VERIFIED
        assert "outside:crm" not in {one.store for one in found.stores}
        assert outside(memory, receipt) == {"crm": (OutsideState.ACKNOWLEDGED, 1, "")}
        work(memory)
    [got] = crm.got
    assert got.is_signed()
    assert not got.is_signed(KEY + b"!")
    assert got.path == "/deletions?from=seihon"
    assert got.headers["webhook-id"] == receipt.id
    assert got.headers["webhook-timestamp"] == str(int(clock().timestamp()))
    assert got.data == {
        "tenant": "acme",
        "owner": "ann",
        "kind": "message",
        "key": said.id,
        "records": [f"message:{said.id}"],
        "receipt": receipt.id,
        "epoch": 1,
        "at": receipt.as_dict()["opened_at"],
    }


@pytest.mark.scenario("D4")
def test_a_message_holds_no_word_of_what_was_deleted(
    backend: Backend, clock: FakeClock, crm: Receiver
) -> None:
    with opened(backend, clock, crm.hook(), derive=Derive.INLINE) as memory:
        said = say(memory, CANARY)
        memory.add_note("ann", CANARY, sources=[said.id], id="n1")
        memory.set("ann", "city", CANARY)
        memory.forget_field("ann", "city")
        memory.forget_conversation("ann", "c1")
        memory.forget_owner("ann")
    assert [got.data["kind"] for got in crm.got] == ["field", "conversation", "owner"]
    assert sorted(crm.got[1].data["records"]) == ["conversation:c1", "note:n1"]
    for got in crm.got:
        assert "カナリア" not in got.body.decode() and "CANARY" not in got.body.decode()


@pytest.mark.parametrize(
    "answer", [(202, b""), (200, b'{"status": "queued"}'), (200, b"[1]"), (204, b""), (200, b"[" * 60_000)]
)
def test_taking_the_message_is_told_from_having_deleted(
    backend: Backend, clock: FakeClock, crm: Receiver, answer: tuple[int, bytes]
) -> None:
    crm.answers = [answer]
    with opened(backend, clock, crm.hook(), derive=Derive.INLINE) as memory:
        receipt = memory.forget_message("ann", say(memory, "tea").id)
        assert receipt.state is StoreState.VERIFIED
        assert outside(memory, receipt) == {"crm": (OutsideState.SENT, 1, "")}
        clock.advance(seconds=7200)
        work(memory)
    assert len(crm.got) == 1


def test_what_was_not_taken_is_sent_again_later_each_time_under_the_same_id(
    backend: Backend, clock: FakeClock, crm: Receiver
) -> None:
    crm.answers = [(500, b""), (429, b""), (302, b""), DELETED]
    with opened(backend, clock, crm.hook()) as memory:
        receipt = memory.forget_message("ann", say(memory, "tea").id)
        work(memory)
        assert outside(memory, receipt) == {"crm": (OutsideState.FAILED, 1, "status_500")}
        assert memory.receipt("ann", receipt.id).state is StoreState.VERIFIED
        assert not memory.health().ok
        clock.advance(seconds=0.4)
        work(memory)
        assert len(crm.got) == 1, "not before its time"
        for code in ("status_429", "redirect"):
            clock.advance(seconds=5)
            work(memory)
            assert outside(memory, receipt)["crm"][2] == code
        clock.advance(seconds=5)
        work(memory)
        assert outside(memory, receipt) == {"crm": (OutsideState.ACKNOWLEDGED, 4, "")}
        assert memory.health().ok
    assert {got.headers["webhook-id"] for got in crm.got} == {receipt.id}
    assert len({got.headers["webhook-timestamp"] for got in crm.got}) == 4
    assert all(got.is_signed() for got in crm.got)


def test_one_that_fails_holds_up_no_other(backend: Backend, clock: FakeClock, crm: Receiver) -> None:
    nowhere = Webhook("gone", "http://127.0.0.1:1/", SHARED, private=True)
    with opened(backend, clock, nowhere, crm.hook(), derive=Derive.INLINE) as memory:
        receipt = memory.forget_message("ann", say(memory, "tea").id)
        assert outside(memory, receipt) == {
            "gone": (OutsideState.FAILED, 1, "refused"),
            "crm": (OutsideState.ACKNOWLEDGED, 1, ""),
        }
        again = memory.forget_message("ann", say(memory, "more tea").id)
        assert outside(memory, again)["crm"] == (OutsideState.ACKNOWLEDGED, 1, "")


def test_waiting_for_a_receipt_tells_what_is_due(backend: Backend, clock: FakeClock, crm: Receiver) -> None:
    crm.answers = [(503, b""), DELETED]
    with opened(backend, clock, crm.hook(), derive=Derive.INLINE) as memory:
        receipt = memory.forget_message("ann", say(memory, "tea").id)
        assert receipt.state is StoreState.VERIFIED
        clock.advance(seconds=5)
        assert receipt.wait().outside[0].state is OutsideState.ACKNOWLEDGED


def test_a_message_outlives_its_owner_and_reaches_a_system_that_was_set_up_again(
    backend: Backend, clock: FakeClock, crm: Receiver
) -> None:
    with opened(backend, clock, crm.hook()) as memory:
        say(memory, "tea")
        receipt = memory.forget_owner("ann")
    with opened(backend, clock) as memory:
        for _ in range(3):
            work(memory)
        assert memory.receipt("ann", receipt.id).state is StoreState.VERIFIED
        assert outside(memory, receipt) == {"crm": (OutsideState.FAILED, 1, "not_set_up")}
        assert memory.copies.worker.run_once().owners == 0, "nothing is due: the worker rests"
    clock.advance(seconds=3700)
    with opened(backend, clock, crm.hook()) as memory:
        work(memory)
        assert outside(memory, receipt) == {"crm": (OutsideState.ACKNOWLEDGED, 2, "")}


@pytest.mark.parametrize("into", ["nothing", "a life of its own"])
def test_a_message_that_waits_goes_along_with_a_migration(
    backend: Backend, clock: FakeClock, crm: Receiver, into: str
) -> None:
    with opened(backend, clock, crm.hook()) as memory:
        receipt = memory.forget_message("ann", say(memory, "tea").id)
        receipts.advance(memory.db, memory.copies.stores, memory.key("ann"), receipt.id)
        assert memory.receipt("ann", receipt.id).state is StoreState.VERIFIED
        lines = list(memory.export("ann", kind="migration"))
        if into != "nothing":
            say(memory, "something", owner="eve")
        memory.import_export(lines, owner="eve")
        work(memory)
        told = {(got.data["owner"], got.data["receipt"]) for got in crm.got}
        assert told == {("ann", receipt.id), ("eve", receipt.id)}
        assert memory.receipt("eve", receipt.id).outside[0].state is OutsideState.ACKNOWLEDGED


def test_two_workers_send_a_message_once(backend: Backend, clock: FakeClock, crm: Receiver) -> None:
    with opened(backend, clock, crm.hook()) as memory, opened(backend, clock, crm.hook()) as other:
        receipt = memory.forget_message("ann", say(memory, "tea").id)

        def meanwhile(handler: BaseHTTPRequestHandler) -> None:
            work(other)
            handler.send_response(200)
            handler.end_headers()
            handler.wfile.write(DELETED[1])

        crm.answers = [meanwhile]
        work(memory)
        assert outside(memory, receipt) == {"crm": (OutsideState.ACKNOWLEDGED, 1, "")}
    assert len(crm.got) == 1


def test_a_worker_whose_lease_ran_out_tells_no_state(
    backend: Backend, clock: FakeClock, crm: Receiver
) -> None:
    with opened(backend, clock, crm.hook()) as memory, opened(backend, clock, crm.hook()) as other:
        receipt = memory.forget_message("ann", say(memory, "tea").id)

        def slow(handler: BaseHTTPRequestHandler) -> None:
            clock.advance(seconds=120)
            crm.answers = [DELETED]
            work(other)
            handler.send_response(500)
            handler.end_headers()

        crm.answers = [slow]
        work(memory)
        assert outside(memory, receipt) == {"crm": (OutsideState.ACKNOWLEDGED, 1, "")}


@pytest.mark.parametrize("point", [point for point in faults.POINTS if point.startswith("outside.")])
def test_p6_a_worker_that_dies_leaves_the_message_to_the_next(
    backend: Backend, clock: FakeClock, crm: Receiver, point: str
) -> None:
    with opened(backend, clock, crm.hook()) as memory:
        receipt = memory.forget_message("ann", say(memory, "tea").id)
        with pytest.raises(faults.Crash), faults.crash(point):
            work(memory)
    with opened(backend, clock, crm.hook()) as memory:
        work(memory)
        clock.advance(seconds=120)
        work(memory)
        assert outside(memory, receipt)["crm"][0] is OutsideState.ACKNOWLEDGED
    assert len(crm.got) == (2 if point == "outside.after_send" else 1)
    assert {got.headers["webhook-id"] for got in crm.got} == {receipt.id}


def test_nothing_is_told_of_a_deletion_that_was_not_committed(
    backend: Backend, clock: FakeClock, crm: Receiver
) -> None:
    with opened(backend, clock, crm.hook(), derive=Derive.INLINE) as memory:
        said = say(memory, "tea")
        with pytest.raises(errors.NotFound):
            memory.forget_messages("ann", [said.id, "nobody"])
        work(memory)
    assert crm.got == []


# --- The network ---


def send(hook: Webhook) -> OutsideState:
    return posting.post(hook, Letter("r_1", b"{}"), 1)


def code_of(hook: Webhook) -> str:
    with pytest.raises(Unreached) as raised:
        send(hook)
    return raised.value.code


PRIVATE = [
    "127.0.0.1",
    "10.1.2.3",
    "192.168.0.1",
    "169.254.169.254",
    "0.0.0.0",  # noqa: S104 - an address to refuse
    "100.64.0.1",
    "[::1]",
    "[fd00::1]",
    "[fe80::1]",
    "[::ffff:127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "224.0.0.1",
    "localhost",
    "2130706433",
]


@pytest.mark.parametrize("host", PRIVATE)
def test_a_private_address_is_refused_in_every_disguise(host: str) -> None:
    assert code_of(Webhook("crm", f"http://{host}:9/", SHARED, timeout=2)) == "private_address"


def test_a_name_is_judged_by_every_address_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    def both(*_args: object, **_more: object) -> list[Any]:
        return [(2, 1, 6, "", (address, 80)) for address in ("93.184.216.34", "10.0.0.1")]

    monkeypatch.setattr(posting.socket, "getaddrinfo", both)
    assert code_of(Webhook("crm", "http://example.test/", SHARED)) == "private_address"


def test_a_redirect_is_not_followed(crm: Receiver) -> None:
    crm.answers = [(307, b""), DELETED]
    assert code_of(crm.hook()) == "redirect"
    assert len(crm.got) == 1


def _silent(_handler: BaseHTTPRequestHandler) -> None:
    time.sleep(1.5)


def _dripping(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.end_headers()
    try:
        for _ in range(30):
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.05)
    except OSError:
        pass


@pytest.mark.parametrize("answer", [_silent, _dripping])
def test_an_attempt_ends_in_its_time_whatever_comes(crm: Receiver, answer: Any) -> None:
    crm.answers = [answer]
    begun = time.monotonic()
    assert code_of(crm.hook(timeout=0.3)) == "timeout"
    assert time.monotonic() - begun < 1.2


def _chatter(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"hello\r\n\r\n")


def _endless(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.end_headers()
    try:
        while True:
            handler.wfile.write(b"x" * 65_536)
    except OSError:
        pass


def test_what_is_no_http_or_has_no_end_does_no_harm(crm: Receiver) -> None:
    crm.answers = [_chatter, _endless, DELETED]
    assert code_of(crm.hook()) == "no_http"
    assert send(crm.hook()) is OutsideState.SENT
    assert send(crm.hook()) is OutsideState.ACKNOWLEDGED
    assert code_of(Webhook("crm", "http://no.such.host.invalid/", SHARED)) == "name_not_found"


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate of ``localhost`` with its key, in one file."""
    key, name = (
        generate_private_key(SECP256R1()),
        x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")]),
    )
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    plain = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file = tmp_path / "server.pem"
    file.write_bytes(plain + made.public_bytes(pem))
    return file


def test_a_server_that_nobody_vouches_for_is_told_nothing(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with receiving(context) as receiver:
        assert code_of(receiver.hook()) == "tls"
        assert receiver.got == []
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert send(receiver.hook()) is OutsideState.ACKNOWLEDGED
        wrong = receiver.hook()
        elsewhere = Webhook("crm", wrong.url.replace("localhost", "127.0.0.1"), SHARED, private=True)
        assert code_of(elsewhere) == "tls"


@pytest.mark.parametrize(
    ("name", "url", "secret", "timeout"),
    [
        ("CRM", "https://a.test/", SHARED, 10),
        ("", "https://a.test/", SHARED, 10),
        ("crm", "ftp://a.test/", SHARED, 10),
        ("crm", "https:///path", SHARED, 10),
        ("crm", "https://user:pass@a.test/", SHARED, 10),
        ("crm", "https://a.test:0/", SHARED, 10),
        ("crm", "https://a.test:99999/", SHARED, 10),
        ("crm", "https://a.test/\r\nx: y", SHARED, 10),
        ("crm", "https://a.test/遥", SHARED, 10),
        ("crm", "https://[::1/", SHARED, 10),
        ("crm", "https://a.test/", "whsec_AAAA", 10),
        ("crm", "https://a.test/", "whsec_not base64", 10),
        ("crm", "https://a.test/", SHARED, 0),
        ("crm", "https://a.test/", SHARED, 61),
    ],
)
def test_a_webhook_that_cannot_be_used_is_refused_at_once(
    name: str, url: str, secret: str, timeout: int
) -> None:
    with pytest.raises(errors.InvalidArgument) as raised:
        Webhook(name, url, secret, timeout=timeout)
    assert secret not in str(raised.value) and "pass@" not in str(raised.value)


def test_a_webhook_shows_neither_its_secret_nor_its_address() -> None:
    assert repr(Webhook("crm", "https://a.test/token/123", SHARED)) == (
        "Webhook(name='crm', private=False, timeout=10.0)"
    )


def test_two_systems_of_one_name_are_refused(backend: Backend, clock: FakeClock) -> None:
    hooks = [Webhook("crm", f"https://{host}.test/", SHARED) for host in ("a", "b")]
    with pytest.raises(errors.InvalidArgument, match="name of its own"):
        opened(backend, clock, *hooks)


def test_the_signature_is_that_of_the_standard() -> None:
    letter = Letter("msg_p5jXN8AQM9LWM0D4loKWxJek", b'{"test": 2432232314}')
    key = Webhook("crm", "https://a.test/", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").key
    assert posting.signature(key, letter, 1614265330) == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
