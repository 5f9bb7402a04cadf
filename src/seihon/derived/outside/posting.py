"""One signed POST to a system outside: no redirects, no proxies, no private addresses, and an end in time.

The standard library's client is enough for one request, and lets the address be looked at before it is used:
a name is resolved once, and what was checked is what is connected to. There is one deadline, from before that
to the last byte of the answer.
"""

from __future__ import annotations

import base64
import hmac
import http.client
import json
import queue
import socket
import ssl
import threading
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Final

from seihon.derived.outside.webhook import Letter, Unreached, Webhook
from seihon.model.outside import OutsideState

MOST_BYTES: Final = 65_536
"""How much of an answer is read: an acknowledgement is a line."""

# An IPv4 address behind the gateway of an IPv6 network is in its last four bytes.
_NAT64: Final = IPv6Network("64:ff9b::/96")


def signature(key: bytes, letter: Letter, timestamp: int) -> str:
    """Return the signature of the Standard Webhooks form: ``v1,`` and an HMAC-SHA256 in base64."""
    signed = b".".join([letter.id.encode(), str(timestamp).encode(), letter.body])
    return "v1," + base64.b64encode(hmac.digest(key, signed, sha256)).decode()


def post(hook: Webhook, letter: Letter, timestamp: int) -> OutsideState:
    """Send a letter; return ``acknowledged`` or ``sent``.

    ``timestamp``: seconds since the epoch. The webhook's ``timeout`` is for all of it: finding the name's
    addresses, trying one after the other, and the exchange.

    Raises:
        Unreached: it was not taken: no answer in time, or another one than 2xx.
    """
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "seihon",
        "webhook-id": letter.id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signature(hook.key, letter, timestamp),
    }
    status, body = _exchange(hook, letter.body, headers)
    if not 200 <= status < 300:
        raise Unreached("redirect" if 300 <= status < 400 else f"status_{status}")
    return OutsideState.ACKNOWLEDGED if _acknowledges(body) else OutsideState.SENT


def _acknowledges(body: bytes) -> bool:
    """Tell whether an answer says that the other system has deleted."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and found.get("status") == "deleted"  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


def _exchange(hook: Webhook, body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
    until = time.monotonic() + hook.timeout
    parts = hook.parts
    secure = parts.scheme == "https"
    host, port = parts.hostname or "", parts.port or (443 if secure else 80)
    raw = _connected(hook, host, port, until)
    with _line(raw, host, until, secure=secure) as line:
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        connection = kind(host, port)
        connection.sock = line
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        try:
            connection.request("POST", target, body=body, headers=dict(headers))
            with connection.getresponse() as answer:
                return answer.status, answer.read(MOST_BYTES)
        finally:
            connection.close()


@contextmanager
def _line(raw: socket.socket, host: str, until: float, *, secure: bool) -> Generator[socket.socket]:
    """Yield a connection for an exchange; it ends at ``until`` (``time.monotonic``)."""
    over = threading.Event()

    def end() -> None:
        over.set()
        with suppress(OSError):
            # Past the TLS layer, which another thread must not touch.
            socket.socket.shutdown(raw, socket.SHUT_RDWR)

    # Each byte that comes would restart the time of a read: this ends the whole.
    watch = threading.Timer(max(0.0, until - time.monotonic()), end)
    watch.daemon = True
    watch.start()
    try:
        raw.settimeout(_left(until))
        yield ssl.create_default_context().wrap_socket(raw, server_hostname=host) if secure else raw
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise Unreached("timeout" if over.is_set() else _code_of(error)) from None
    finally:
        watch.cancel()
        raw.close()
    if over.is_set():
        # An answer without a length ends where its line does, which looks like a whole one.
        raise Unreached("timeout")


def _connected(hook: Webhook, host: str, port: int, until: float) -> socket.socket:
    addresses = _addresses(host, port, until)
    if not hook.private and not all(_is_public(one) for one in addresses):
        raise Unreached("private_address")
    code = ""
    for number, address in enumerate(addresses):
        # One that is silent leaves their time to those after it.
        share = _left(until) / (len(addresses) - number)
        try:
            return socket.create_connection((address, port), timeout=share)
        except OSError as error:
            code = _code_of(error)
    raise Unreached(code)


def _addresses(host: str, port: int, until: float) -> list[str]:
    answer = queue.SimpleQueue[list[str]]()

    def look() -> None:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            found = []
        answer.put(list(dict.fromkeys(str(one[4][0]) for one in found)))

    # The system's search for a name takes no time limit: one that is late is left to end by itself.
    threading.Thread(target=look, name="seihon-name", daemon=True).start()
    try:
        found = answer.get(timeout=_left(until))
    except queue.Empty:
        raise Unreached("timeout") from None
    if not found:
        raise Unreached("name_not_found")
    return found


def _left(until: float) -> float:
    """Return the seconds that are left, never none: a socket takes 0 for another way to work."""
    left = until - time.monotonic()
    if left <= 0:
        raise Unreached("timeout")
    return left


def _is_public(address: str) -> bool:
    """Tell whether an address is one of the public network, also in disguise."""
    found = ip_address(address.partition("%")[0])
    inner = _inside(found) if isinstance(found, IPv6Address) else None
    return found.is_global and not found.is_multicast and (inner is None or inner.is_global)


def _inside(address: IPv6Address) -> IPv4Address | None:
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour


def _code_of(error: Exception) -> str:
    match error:
        case TimeoutError():
            return "timeout"
        case ssl.SSLError():
            return "tls"
        case ConnectionRefusedError():
            return "refused"
        case http.client.HTTPException() if not isinstance(error, ConnectionError):
            return "no_http"
        case _:
            return "not_reached"
