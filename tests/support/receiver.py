"""A system outside, as it is met on the network: a real server on loopback that answers as it is told."""

from __future__ import annotations

import base64
import hmac
import json
import ssl
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from seihon.derived.outside.webhook import Webhook

KEY = b"a shared key of twenty-four bytes or more"
SECRET = "whsec_" + base64.b64encode(KEY).decode()
DELETED = (200, b'{"status": "deleted"}')

Answer = tuple[int, bytes]


@dataclass(frozen=True, slots=True)
class Got:
    """One request as it came in."""

    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def data(self) -> dict[str, Any]:
        """What the message is about."""
        return json.loads(self.body)["data"]

    def is_signed(self, key: bytes = KEY) -> bool:
        """Check the signature as a receiver does, by the Standard Webhooks."""
        parts = (self.headers["webhook-id"], self.headers["webhook-timestamp"], self.body.decode())
        wanted = base64.b64encode(hmac.digest(key, ".".join(parts).encode(), sha256)).decode()
        return self.headers["webhook-signature"] == f"v1,{wanted}"


@dataclass
class Receiver:
    """``answers`` are given in turn, the last one for good; ``got`` holds what came in."""

    url: str = ""
    answers: list[Answer | Callable[[BaseHTTPRequestHandler], None]] = field(
        default_factory=lambda: [DELETED]
    )
    got: list[Got] = field(default_factory=list[Got])

    def hook(self, name: str = "crm", **more: Any) -> Webhook:
        """Return the webhook that reaches it."""
        return Webhook(name, self.url, SECRET, **{"private": True, **more})


@contextmanager
def receiving(tls: ssl.SSLContext | None = None) -> Generator[Receiver]:
    """Run a receiver on a free port of loopback."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            receiver.got.append(Got(self.path, headers, body))
            answer = receiver.answers.pop(0) if len(receiver.answers) > 1 else receiver.answers[0]
            if callable(answer):
                answer(self)
                return
            status, told = answer
            self.send_response(status)
            self.send_header("Location", receiver.url)
            self.send_header("Content-Length", str(len(told)))
            self.end_headers()
            self.wfile.write(told)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    name, port = ("localhost", server.server_port) if tls else server.server_address[:2]
    receiver.url = f"{'https' if tls else 'http'}://{name!s}:{port}/deletions?from=seihon"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
