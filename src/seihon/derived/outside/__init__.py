"""Systems outside that are told of each deletion. Nothing here is a copy, and nothing is ever read back.

The deleting transaction puts a message into the outbox. It is leased, sent outside any transaction, and
struck off with the answer; what was not taken is sent again, later each time, under the same id. No message
holds more than ids, so a receiver that gets one twice has nothing to undo.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from random import Random
from typing import Any, Final

from seihon.canonical import outbox
from seihon.canonical import outside as records
from seihon.canonical.codec import to_json
from seihon.canonical.database import Database
from seihon.canonical.faults import reach
from seihon.canonical.outside import Message
from seihon.derived.outside.webhook import Letter, Unreached, Webhook
from seihon.model import Receipt, plain, us
from seihon.model.outside import OutsideState

__all__ = ["Outside", "Webhook", "letter"]

AT_ONCE: Final = 100
"""How many messages of an owner are sent in one go, so that others get their turn."""

SHARE_S: Final = 1.0
"""After how many seconds no further message is begun: the call that deletes waits for it, and so does the
worker. One attempt, with the `timeout` of its webhook, may end later."""

SECOND: Final = 1_000_000
LONGEST_WAIT_S: Final = 3600.0
NOT_SET_UP: Final = "not_set_up"


class Outside:
    """The outside systems of one installation."""

    def __init__(
        self,
        db: Database,
        webhooks: Sequence[Webhook],
        new_token: Callable[[], str],
        *,
        send: Callable[[Webhook, Letter, int], OutsideState] | None = None,
        chance: Random | None = None,
    ) -> None:
        self.db = db
        self.webhooks = {hook.place: hook for hook in webhooks}
        self._new_token = new_token
        self.send = send or _post
        self._chance = chance or Random()  # noqa: S311 - jitter
        # Places that were not reached last time, by this process.
        self._down: frozenset[str] = frozenset()

    @property
    def places(self) -> tuple[str, ...]:
        """Return the systems as places of a receipt."""
        return tuple(self.webhooks)

    def tell(self, owner: str) -> int:
        """Send what is due for an owner; return how many messages were tried.

        None is begun after ``SHARE_S`` seconds, and none to a place that was not reached before in this call:
        what is left waits for the next one.
        """
        until, unreached = time.monotonic() + SHARE_S, set[str]()
        for tried in range(AT_ONCE):
            if tried and time.monotonic() >= until:
                return tried
            token = self._new_token()
            message = self._next(owner, token, unreached)
            if message is None:
                return tried
            reach("outside.after_lease")
            if self._try(owner, message, token):
                self._down -= {message.place}
            else:
                unreached.add(message.place)
                self._down |= {message.place}
            reach("outside.after_commit")
        return AT_ONCE

    def _next(self, owner: str, token: str, unreached: AbstractSet[str]) -> Message | None:
        # A place that is down may use up the time: those that were reached come before it.
        if self._down - unreached:
            found = self._take(owner, token, self._down | unreached)
            if found is not None:
                return found
        return self._take(owner, token, unreached)

    def _take(self, owner: str, token: str, without: AbstractSet[str]) -> Message | None:
        """Lease the next message that is due, to a place that is not among ``without``."""
        with self.db.read(owner) as tx:
            if not records.due(tx, limit=1, without=without):
                return None
        with self.db.derive(owner) as tx:
            for place, item in records.due(tx, limit=1, without=without):
                hook = self.webhooks.get(place)
                held = tx.now + int((60.0 + (hook.timeout if hook else 0.0)) * SECOND)
                if outbox.lease(tx, place, item, until=held, token=token):
                    return records.read(tx, place, item)
        return None

    def _try(self, owner: str, message: Message, token: str) -> bool:
        """Send one message, outside any transaction, and note what came of it.

        ``False``: its place did not take it, and may not take another either.
        """
        hook, code, state, is_up = self.webhooks.get(message.place), NOT_SET_UP, None, True
        if hook is not None and message.receipt is not None:
            try:
                sent_at = us(self.db.clock()) // SECOND
                state = self.send(hook, letter(owner, message.receipt), sent_at)
            except Unreached as error:
                code, is_up = error.code, False
        reach("outside.after_send")
        with self.db.derive(owner) as tx:
            if message.receipt is None:
                # The deletion is not of this database: there is nothing to tell of.
                outbox.settle(tx, message.place, message.due, token=token)
            elif state is not None:
                records.taken(tx, message, state, token=token)
            else:
                wait = LONGEST_WAIT_S if code == NOT_SET_UP else self._backoff(message.due.attempts)
                records.failed(tx, message, code, due_at=tx.now + int(wait * SECOND), token=token)
        return is_up

    def _backoff(self, attempts: int) -> float:
        return min(LONGEST_WAIT_S, 2.0 ** min(attempts, 30)) * (0.5 + self._chance.random() / 2)


def _post(hook: Webhook, message: Letter, timestamp: int) -> OutsideState:
    # The network is loaded by whoever has somebody to tell.
    from seihon.derived.outside.posting import post

    return post(hook, message, timestamp)


def letter(owner: str, receipt: Receipt) -> Letter:
    """Return the message of a deletion: ids, no text. However often it is sent, its id is the receipt's."""
    tenant, _, person = owner.partition("/")
    data: dict[str, Any] = {
        "tenant": tenant,
        "owner": person,
        "kind": receipt.kind,
        "key": receipt.key,
        "records": receipt.records,
        "receipt": receipt.id,
        "epoch": receipt.epoch,
        "at": receipt.opened_at,
    }
    told = {"type": "seihon.deletion", "timestamp": receipt.opened_at, "data": data}
    return Letter(receipt.id, to_json(plain(told)).encode())
