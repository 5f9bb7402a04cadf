"""``receipt …``: how far deletions are, and what can be handed on of it."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seihon.entry.cli import arguments as take
from seihon.entry.cli import output
from seihon.entry.cli.files import new_file
from seihon.entry.cli.output import Screen
from seihon.entry.cli.session import Session, command, exit_with
from seihon.errors import Conflict, Incomplete, InvalidArgument, NotFound, SeihonError
from seihon.model import Checked, Page, PublicKey, Receipt, StoreState, Verdict

if TYPE_CHECKING:
    from seihon.memory import Memory


def _patience(given: float) -> float:
    if not given >= 0:  # so that no number at all is refused too
        raise InvalidArgument("--timeout must be a number of seconds, at least 0.", name="timeout")
    return given


Timeout = Annotated[
    float, typer.Option(metavar="SECONDS", callback=_patience, help="How long --wait waits, at least 0.")
]
ReceiptId = Annotated[str, typer.Argument(metavar="RECEIPT", help="Id of a receipt.")]
Out = Annotated[
    str | None, typer.Option("--output", "--out", "-o", metavar="FILE", help="Write to a new file.")
]
WORK_SLICE = 0.25
FORMATS = ("json", "text")
_TOLD = {
    Verdict.VALID: "VALID: signed by this key and unchanged, and the deletion was verified.",
    Verdict.UNVERIFIED: "NOT VERIFIED: signed and unchanged, but the deletion was not finished yet.",
    Verdict.ALTERED: "ALTERED: this is not what was signed. Nothing in it can be relied on.",
    Verdict.UNKNOWN_KEY: "UNKNOWN KEY: none of the keys at hand signed it. Nothing in it can be relied on.",
}
_FAILURES: dict[Verdict, type[SeihonError]] = {
    Verdict.UNVERIFIED: Incomplete,
    Verdict.ALTERED: Conflict,
    Verdict.UNKNOWN_KEY: NotFound,
}


def register(app: typer.Typer) -> None:
    """Add the commands."""
    from seihon.entry.cli.app import group

    receipts = group(app, "receipt", "How far deletions are, and proof of it.")
    command(receipts, "show")(show)
    command(receipts, "list")(list_receipts)
    command(receipts, "wait")(wait)
    command(receipts, "recheck")(recheck)
    command(receipts, "export")(export)
    command(receipts, "verify")(verify)
    command(receipts, "key")(key)


def show(session: Session, owner: take.Owner, receipt: ReceiptId) -> None:
    """Show one receipt."""
    with session.memory() as memory:
        found = memory.receipt(owner, receipt)
    session.answer(found, lambda screen: show_receipt(screen, found))


def list_receipts(
    session: Session, owner: take.Owner, limit: take.Limit = 100, cursor: take.Cursor = None
) -> None:
    """List an owner's receipts, oldest first."""
    with session.memory() as memory:
        page = memory.receipts(owner, limit=limit, cursor=cursor)
    session.answer(page, lambda screen: _list(screen, page))
    session.more(page.next)


def wait(
    session: Session,
    owner: take.Owner,
    receipt: ReceiptId,
    timeout: Timeout = 60.0,
) -> None:
    """Wait until a deletion is verified."""
    with session.memory() as memory:
        found = waited(session, memory, owner, memory.receipt(owner, receipt), timeout)
    session.answer(found, lambda screen: show_receipt(screen, found))


def recheck(session: Session, owner: take.Owner, receipt: ReceiptId) -> None:
    """Read every place of a verified deletion back once more.

    What is found is taken out again.
    """
    with session.memory() as memory:
        found = memory.recheck_receipt(owner, receipt)
    session.answer(found, lambda screen: show_receipt(screen, found))


def export(
    session: Session,
    owner: take.Owner,
    receipt: ReceiptId,
    form: Annotated[
        str, typer.Option("--format", help="json: signed, to be checked; text: a page to be filed.")
    ] = "json",
    locale: Annotated[str, typer.Option(help="Language of the page, en or ja.")] = "en",
    out: Out = None,
) -> None:
    """Hand on a receipt: signed, or as a page.

    The signed one is checked by `receipt verify`. The page is for whoever files it, in English or Japanese.
    """
    if form not in FORMATS:
        raise InvalidArgument(f"`form` must be one of: {', '.join(FORMATS)}.")
    with session.memory() as memory:
        document = memory.signed_receipt(owner, receipt)
        told = memory.receipt_page(owner, receipt, locale=locale) if form == "text" else _spelt(document)
    if out is not None:
        with new_file(out) as file:
            file.write(told)
        answer = {"file": out, "format": form, "receipt": receipt}
        session.answer(answer, lambda screen: screen.line(f"Written to {out}."))
    elif session.asked.json:
        output.write_json({"page": told} if form == "text" else document)
    else:
        output.write_line(told.rstrip("\n"))


def verify(
    session: Session,
    file: Annotated[str, typer.Argument(metavar="FILE", help="A signed receipt, or - for stdin.")],
    key: Annotated[
        str | None, typer.Option(metavar="FILE", help="Public keys; by default this installation's own.")
    ] = None,
) -> None:
    """Check a signed receipt; no database is needed.

    Exits with 0 only if it is valid: 5 when it was altered, 3 when no key at hand signed it, 9 when the
    deletion was not verified yet.
    """
    from seihon.canonical.signing import verify_receipt

    checked = verify_receipt(take.read_bytes(file), _own_keys(session) if key is None else Path(key))
    session.answer(checked, lambda screen: _show_check(screen, checked))
    if not checked.ok:
        raise exit_with(_FAILURES[checked.verdict])


def key(
    session: Session,
    rotate: Annotated[bool, typer.Option("--rotate", help="Sign with a new key from now on.")] = False,
    out: Out = None,
) -> None:
    """Show the public keys that check receipts.

    The current one comes first; earlier ones go on checking what they signed. Hand them on by another way
    than the receipts, and let the number be compared.
    """
    with session.memory() as memory:
        if rotate:
            memory.rotate_signing_key()
        keys = memory.signing_keys()
    if out is not None:
        with new_file(out) as file:
            file.write("".join(one.pem for one in keys))
    session.answer(keys, lambda screen: _show_keys(screen, keys))


def _own_keys(session: Session) -> Path:
    from seihon.entry.opening import public_keys_file

    own = public_keys_file(session.settings)
    if not own.exists():
        raise NotFound("No public keys are known here; name a file of them (`key`).", kind="file")
    return own


def _spelt(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _show_check(screen: Screen, checked: Checked) -> None:
    screen.line(_TOLD[checked.verdict])
    says = "" if checked.verdict in (Verdict.VALID, Verdict.UNVERIFIED) else "says "
    screen.pairs(
        [
            (f"{says}receipt", checked.receipt),
            (f"{says}application", checked.tenant),
            (f"{says}person", checked.owner),
            (f"{says}state", checked.state),
            ("key", checked.key),
            ("digest", _grouped(checked.digest)),
        ]
    )


def _show_keys(screen: Screen, keys: tuple[PublicKey, ...]) -> None:
    for one in keys:
        screen.line(f"{'current' if one.current else 'earlier'}  {_grouped(one.fingerprint)}", wrap=False)
        screen.text(one.pem)


def _grouped(digits: str) -> str:
    return " ".join(digits[start : start + 4] for start in range(0, len(digits), 4))


def waited(session: Session, memory: Memory, owner: str, receipt: Receipt, timeout: float) -> Receipt:
    """Wait in slices, so that the bar moves with the records whose words were erased."""
    deadline = time.monotonic() + max(0.0, timeout)
    total, done = sum(receipt.counts.values()), 0
    with session.progress("Erasing", total=total) as advance:
        while True:
            left = max(0.0, deadline - time.monotonic())
            try:
                found = memory.wait(owner, receipt.id, min(left, WORK_SLICE))
                advance(total - done)
                return found
            except Incomplete:
                if left <= WORK_SLICE:
                    raise
            erased = min(total, _erased(memory.receipt(owner, receipt.id)))
            advance(erased - done)
            done = erased


def _verified(receipt: Receipt) -> int:
    return sum(store.state is StoreState.VERIFIED for store in receipt.stores)


def _erased(receipt: Receipt) -> int:
    return sum(store.removed for store in receipt.stores if store.store == "original")


def show_receipt(screen: Screen, receipt: Receipt) -> None:
    """Show a receipt, store by store."""
    counted = ", ".join(f"{count} {name}" for name, count in receipt.counts.items())
    screen.pairs(
        [
            ("receipt", receipt.id),
            ("deleted", f"{receipt.kind} {receipt.key}".strip()),
            ("counts", counted),
            ("state", receipt.state),
            ("level", receipt.level),
            ("by", f"{receipt.actor} ({receipt.reason})"),
        ]
    )
    screen.line()
    rows = [(one.store, one.state, one.removed, one.attempts, one.error) for one in receipt.stores]
    screen.table(["store", "state", "removed", "attempts", "error"], rows)
    for step in receipt.purge:
        screen.line(f"  {step}")
    for system in receipt.outside:
        tries = f"{system.attempts} attempt{'' if system.attempts == 1 else 's'}"
        told = f"{tries}, {system.error}" if system.error else tries
        screen.line(f"  outside: {system.name}, {system.state} ({told})")
    for place in receipt.out_of_reach:
        screen.line(f"  out of reach: {place.name}, kept {place.retention}")


def _list(screen: Screen, page: Page[Receipt]) -> None:
    rows = [
        (
            one.id,
            f"{one.kind} {one.key}".strip(),
            one.state,
            f"{_verified(one)} of {len(one.stores)}",
            f"{one.opened_at:%Y-%m-%d %H:%M}",
        )
        for one in page.items
    ]
    headings = ["receipt", "deleted", "state", "verified stores", "opened (UTC)"]
    screen.table(headings, rows, empty="No deletions.")
