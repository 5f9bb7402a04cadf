"""Health as Prometheus reads it: its text format, which is simple enough to need no library.

Every name has a line of help; no label holds more than the name of a store.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Final

from seihon import errors

if TYPE_CHECKING:
    from seihon.derived.copies import Health

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
LOCAL: Final = "127.0.0.1"


def render(health: Health) -> str:
    """Return the metrics of a database and of this process's worker, in the text format 0.0.4."""
    return "\n".join(_lines(health)) + "\n"


def _lines(health: Health) -> Iterator[str]:
    stores = health.stores
    yield from _gauge(
        "seihon_keys_waiting",
        "Keys that a store has yet to look at, dead letters apart.",
        [(one.store, one.waiting) for one in stores],
    )
    yield from _gauge(
        "seihon_keys_failing",
        "Of them, those that failed and are tried again.",
        [(one.store, one.failing) for one in stores],
    )
    yield from _gauge(
        "seihon_dead_letters",
        "Keys that were given up and wait for a retry on request.",
        [(one.store, one.dead) for one in stores],
    )
    yield from _gauge(
        "seihon_lag_seconds",
        "Age of the oldest key that waits.",
        [(one.store, round(one.oldest_seconds, 3)) for one in stores],
    )
    yield from _single("seihon_receipts_open", "gauge", "Deletions not verified yet.", health.open_receipts)
    yield from _single(
        "seihon_receipts_failed", "gauge", "Of them, those that failed in a store.", health.failed_receipts
    )
    yield from _single("seihon_worker_rounds_total", "counter", "Rounds of this process.", health.rounds)
    yield from _single("seihon_keys_settled_total", "counter", "Keys that followed here.", health.settled)
    yield from _single("seihon_keys_failed_total", "counter", "Attempts that failed here.", health.failed)
    yield from _single("seihon_keys_given_up_total", "counter", "Keys given up here.", health.died)
    yield from _single(
        "seihon_cache_hits_total",
        "counter",
        "Entries that the cache had for this process.",
        health.cache_hits,
    )
    yield from _single(
        "seihon_cache_misses_total", "counter", "Entries that it did not have.", health.cache_misses
    )
    yield from _single(
        "seihon_cache_failures_total", "counter", "Times that it did not answer.", health.cache_failures
    )
    yield from _single("seihon_up", "gauge", "1 while nothing fails.", int(health.ok))


def _single(name: str, kind: str, what: str, value: int) -> Iterator[str]:
    yield f"# HELP {name} {what}"
    yield f"# TYPE {name} {kind}"
    yield f"{name} {value}"


def _gauge(name: str, what: str, values: list[tuple[str, int]] | list[tuple[str, float]]) -> Iterator[str]:
    yield f"# HELP {name} {what}"
    yield f"# TYPE {name} gauge"
    for store, value in values:
        yield f'{name}{{store="{_escaped(store)}"}} {value}'


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def address(given: str) -> tuple[str, int]:
    """Return host and port of ``PORT`` or ``HOST:PORT``; without a host, this machine alone.

    Raises:
        InvalidArgument: it is neither.
    """
    host, _, port = given.rpartition(":")
    if not port.isdecimal() or not 0 <= int(port) <= 65535:
        raise errors.InvalidArgument("Give a PORT, or HOST:PORT, to serve metrics at.")
    return host.strip("[]") or LOCAL, int(port)


class Served:
    """Answers ``GET /metrics`` in a thread of its own until ``close``; ``port`` is the one it has.

    Raises:
        InvalidArgument: the address cannot be had.
    """

    def __init__(self, at: tuple[str, int], read: Callable[[], Health]) -> None:
        try:
            self._server = ThreadingHTTPServer(at, _handler(read))
        except OSError as error:
            raise errors.InvalidArgument(
                f"Metrics cannot be served at that address ({error.strerror or type(error).__name__})."
            ) from None
        self._server.daemon_threads = True
        self.port: int = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, name="seihon-metrics", daemon=True).start()

    def close(self) -> None:
        """Stop answering."""
        self._server.shutdown()
        self._server.server_close()


def _handler(read: Callable[[], Health]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """One question."""

        def do_GET(self) -> None:
            """Answer it."""
            if self.path.partition("?")[0] != "/metrics":
                self.send_error(404)
                return
            try:
                body = render(read()).encode()
            except errors.SeihonError as error:
                self.send_error(503, error.code)
                return
            self.send_response(200)
            self.send_header("Content-Type", CONTENT_TYPE)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as it is called
            """Say nothing: who asks, and how often, is nobody's business."""

    return Handler
