"""Signed receipts: what was signed is told from what was changed, with keys that outlive a rotation."""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from seihon import errors
from seihon.canonical import signing
from seihon.canonical.signing import Signer, verify_receipt
from seihon.model.certificates import SCHEMA, PublicKey, Verdict

RECEIPT = {"id": "r_1", "kind": "message", "key": "m_1", "state": "verified", "counts": {"messages": 1}}


def document(**changed: object) -> dict[str, Any]:
    return {"schema": SCHEMA, "tenant": "acme", "owner": "遥", "receipt": {**RECEIPT, **changed}}


@pytest.fixture
def signer(tmp_path: Path) -> Signer:
    return Signer(tmp_path / "memory.db.signing.pem")


def pems(signer: Signer) -> str:
    return "".join(key.pem for key in signer.public_keys())


def test_what_was_signed_is_valid_in_any_spelling_of_its_json(signer: Signer) -> None:
    signed = signer.sign(document())
    spelt = [
        signed,
        json.dumps(signed),
        json.dumps(signed, indent=4, ensure_ascii=False, sort_keys=True).encode(),
    ]
    for one in spelt:
        found = verify_receipt(one, pems(signer))
        assert (found.verdict, found.ok) == (Verdict.VALID, True)
        assert (found.tenant, found.owner, found.receipt, found.state) == ("acme", "遥", "r_1", "verified")
        assert len(found.digest) == 64


def test_a_deletion_that_was_not_verified_is_told_from_one_that_was(signer: Signer) -> None:
    found = verify_receipt(signer.sign(document(state="failed")), pems(signer))
    assert (found.verdict, found.ok, found.state) == (Verdict.UNVERIFIED, False, "failed")


def _owner(signed: dict[str, Any]) -> None:
    signed["owner"] = "bob"


def _count(signed: dict[str, Any]) -> None:
    signed["receipt"]["counts"]["messages"] = 2


def _more(signed: dict[str, Any]) -> None:
    signed["note"] = "added"


def _less(signed: dict[str, Any]) -> None:
    del signed["tenant"]


def _value(signed: dict[str, Any]) -> None:
    value = signed["signature"]["value"]
    signed["signature"]["value"] = ("B" if value[0] != "B" else "C") + value[1:]


def _no_value(signed: dict[str, Any]) -> None:
    signed["signature"]["value"] = "not base64"


def _surrogate(signed: dict[str, Any]) -> None:
    signed["owner"] = "\ud800"


@pytest.mark.parametrize("change", [_owner, _count, _more, _less, _value, _no_value, _surrogate])
def test_whatever_is_changed_is_seen(signer: Signer, change: Callable[[dict[str, Any]], None]) -> None:
    signed = json.loads(json.dumps(signer.sign(document())))
    change(signed)
    assert verify_receipt(signed, pems(signer)).verdict is Verdict.ALTERED


def test_a_key_that_is_not_at_hand_is_told_from_a_change(signer: Signer, tmp_path: Path) -> None:
    other = Signer(tmp_path / "other.signing.pem")
    found = verify_receipt(signer.sign(document()), pems(other))
    assert (found.verdict, found.key) == (Verdict.UNKNOWN_KEY, signer.public_keys()[0].id)


def test_one_key_does_not_pass_for_another(signer: Signer, tmp_path: Path) -> None:
    other = Signer(tmp_path / "other.signing.pem")
    forged = other.sign(document())
    forged["signature"]["key"] = signer.public_keys()[0].id
    assert verify_receipt(forged, pems(signer)).verdict is Verdict.ALTERED


@pytest.mark.parametrize(
    "given",
    [
        b"\xff",
        "",
        "[]",
        "{}",
        '{"schema": "seihon.receipt/2"}',
        '{"schema": "seihon.receipt/1", "receipt": {}}',
        '{"schema": "seihon.receipt/1", "receipt": {}, "signature": {"algorithm": "none", "key": ""}}',
        '{"schema": "seihon.receipt/1", "schema": "seihon.receipt/1"}',
        '{"schema": NaN}',
        "[" * 200_000,
    ],
)
def test_what_is_no_signed_receipt_is_refused(signer: Signer, given: bytes | str) -> None:
    with pytest.raises(errors.BadFormat):
        verify_receipt(given, pems(signer))


def test_keys_before_a_rotation_go_on_checking(signer: Signer) -> None:
    early = signer.sign(document())
    first = signer.public_keys()[0]
    fresh = signer.rotate()
    late = signer.sign(document(id="r_2"))
    keys = signer.public_keys()
    assert [key.id for key in keys] == [fresh.id, first.id]
    assert [key.current for key in keys] == [True, False]
    for one in (early, late):
        assert verify_receipt(one, pems(signer)).ok
        assert verify_receipt(one, signer.public_file).ok
    assert verify_receipt(late, first.pem).verdict is Verdict.UNKNOWN_KEY


def test_a_rotation_during_a_signature_leaves_one_that_checks(
    signer: Signer, monkeypatch: pytest.MonkeyPatch
) -> None:
    signer.public_keys()
    load, rotated = Signer._load, list[bool]()  # pyright: ignore[reportPrivateUsage]

    def loaded(one: Signer) -> Any:
        held = load(one)
        if not rotated:
            rotated.append(True)
            Signer(one.file).rotate()
        return held

    monkeypatch.setattr(Signer, "_load", loaded)
    signed = signer.sign(document())
    assert rotated
    assert verify_receipt(signed, pems(signer)).verdict is Verdict.VALID


def test_keys_that_are_rotated_at_once_all_stay_known(
    signer: Signer, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, known = signer.sign(document()), Signer._known  # pyright: ignore[reportPrivateUsage]

    def slow(one: Signer) -> list[PublicKey]:
        found = known(one)
        time.sleep(0.02)
        return found

    monkeypatch.setattr(Signer, "_known", slow)
    with ThreadPoolExecutor(4) as pool:
        turns = [pool.submit(Signer(signer.file).rotate) for _ in range(4)]
        made = [turn.result().id for turn in turns]
    assert {key.id for key in signer.public_keys()} == {*made, first["signature"]["key"]}
    assert verify_receipt(signer.sign(document()), signer.public_file).ok


def test_a_list_of_keys_that_was_lost_is_not_written_over_a_new_one(
    signer: Signer, monkeypatch: pytest.MonkeyPatch
) -> None:
    signer.public_keys()
    signer.public_file.unlink()
    known, made = Signer._known, list[str]()  # pyright: ignore[reportPrivateUsage]

    def read(one: Signer) -> list[PublicKey]:
        found = known(one)
        if not made:
            made.append("")
            made[0] = Signer(one.file).rotate().id
        return found

    monkeypatch.setattr(Signer, "_known", read)
    early = signer.sign(document())
    keys = signer.public_file.read_text()
    assert {key.id for key in signing.read_keys(keys)} == {early["signature"]["key"], made[0]}


def test_the_key_is_made_once_for_its_owner_alone(signer: Signer) -> None:
    def start(_number: int) -> str:
        return Signer(signer.file).public_keys()[0].id

    with ThreadPoolExecutor(8) as pool:
        made = set(pool.map(start, range(8)))
    assert len(made) == 1
    assert signer.file.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in signer.file.parent.iterdir()) == [
        "memory.db.signing.pem",
        "memory.db.signing.pub.pem",
    ]


def test_a_crash_during_a_rotation_leaves_a_key_that_signs(
    signer: Signer, monkeypatch: pytest.MonkeyPatch
) -> None:
    early = signer.sign(document())
    real = signing.keyfiles.replace

    def dies(path: Path, text: str) -> None:
        if path == signer.file:
            raise OSError(errno.EIO, "died")
        real(path, text)

    monkeypatch.setattr(signing.keyfiles, "replace", dies)
    with pytest.raises(errors.Unavailable):
        signer.rotate()
    monkeypatch.undo()
    late = signer.sign(document(id="r_2"))
    assert late["signature"]["key"] == early["signature"]["key"]
    assert verify_receipt(late, pems(signer)).ok


@pytest.mark.parametrize(
    "held", ["", "no key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"]
)
def test_a_file_without_a_key_is_refused_and_left(
    signer: Signer, held: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signing.keyfiles, "MAKING_S", 0.05)
    signer.file.write_text(held)
    with pytest.raises(errors.Unavailable, match="signing key"):
        signer.sign(document())
    assert signer.file.read_text() == held


def test_only_ed25519_keys_are_taken(signer: Signer, tmp_path: Path) -> None:
    other = generate_private_key(SECP256R1()).public_key()
    pem = other.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    for given in (pem, b"", "no key", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"):
        with pytest.raises(errors.BadFormat):
            verify_receipt(signer.sign(document()), given)
    with pytest.raises(errors.NotFound):
        verify_receipt(signer.sign(document()), tmp_path / "nowhere.pem")


def test_the_key_lies_beside_the_secret() -> None:
    assert signing.beside(Path("data/memory.db.key")) == Path("data/memory.db.signing.pem")
    assert signing.beside(Path("data/secret")) == Path("data/secret.signing.pem")


def test_a_name_of_a_key_begins_its_fingerprint(signer: Signer) -> None:
    key: PublicKey = signer.public_keys()[0]
    assert key.fingerprint.startswith(key.id)
    assert os.linesep not in key.id
