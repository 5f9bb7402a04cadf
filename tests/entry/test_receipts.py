"""Receipts that are handed on: exported, checked by somebody else, filed, and told to systems outside."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.entry.running import Run
from tests.support.receiver import SECRET, receiving

import seihon
from seihon import errors
from seihon.canonical.signing import Signer
from seihon.entry import settings
from seihon.memory import Memory


@pytest.fixture
def receipt(ann: Run) -> str:
    return ann("forget", "message", "ann", "m1", "--yes", "--wait", "--json").data["id"]


@pytest.fixture
def signed(ann: Run, receipt: str, tmp_path: Path) -> Path:
    file = tmp_path / "receipt.json"
    assert ann("receipt", "export", "ann", receipt, "--out", str(file)).code == 0
    return file


@pytest.fixture
def keys(ann: Run, signed: Path, tmp_path: Path) -> Path:
    file = tmp_path / "public.pem"
    assert ann("receipt", "key", "--out", str(file)).code == 0
    return file


def test_a_receipt_is_signed_and_checked(ann: Run, receipt: str, signed: Path) -> None:
    document = json.loads(signed.read_text())
    assert (document["schema"], document["tenant"], document["owner"]) == (
        "seihon.receipt/1",
        "default",
        "ann",
    )
    assert document["receipt"] == ann("receipt", "show", "ann", receipt, "--json").data
    assert "Pro plan" not in signed.read_text()
    assert signed.stat().st_mode & 0o777 == 0o600
    found = ann("receipt", "verify", str(signed))
    assert (found.code, found.out.splitlines()[0].split(":")[0]) == (0, "VALID")
    assert ann("receipt", "export", "ann", receipt, "--json").data == document, "of one state always the same"


def test_who_has_the_key_alone_can_check_without_a_database(
    call: Run, signed: Path, keys: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "elsewhere"))
    found = call("receipt", "verify", str(signed), "--key", str(keys), "--json")
    assert (found.code, found.data["verdict"]) == (0, "valid")
    assert seihon.verify_receipt(signed.read_bytes(), keys.read_text()).ok
    assert not (tmp_path / "elsewhere").exists()
    alone = call("receipt", "verify", str(signed))
    assert (alone.code, "--key" in alone.err) == (3, True)


def test_a_change_another_key_and_an_open_deletion_have_codes_of_their_own(
    ann: Run, call: Run, signed: Path, keys: Path, tmp_path: Path
) -> None:
    document = json.loads(signed.read_text())
    document["receipt"]["counts"]["messages"] = 7
    forged = tmp_path / "forged.json"
    forged.write_text(json.dumps(document))
    found = call("receipt", "verify", str(forged), "--key", str(keys))
    assert (found.code, found.out.split(":")[0]) == (5, "ALTERED")
    with Memory.open(tmp_path / "other.db") as other:
        (tmp_path / "other.pem").write_text(other.signing_keys()[0].pem)
    found = call("receipt", "verify", str(signed), "--key", str(tmp_path / "other.pem"))
    assert (found.code, found.out.split(":")[0]) == (3, "UNKNOWN KEY")
    assert call("receipt", "verify", str(keys), "--key", str(keys), "--json").error["code"] == "bad_format"


def test_a_receipt_that_is_not_verified_proves_nothing_and_says_so(
    database_url: str, call: Run, tmp_path: Path
) -> None:
    file, keys = tmp_path / "open.json", tmp_path / "keys.pem"
    with Memory.open(database_url, derive="external") as memory:
        said = memory.append("ann", "c1", "user", "tea")
        receipt = memory.forget_message("ann", said.id)
        file.write_text(json.dumps(memory.signed_receipt("ann", receipt.id)))
        keys.write_text("".join(key.pem for key in memory.signing_keys()))
        assert "NOT FINISHED" in memory.receipt_page("ann", receipt.id)
    found = call("receipt", "verify", str(file), "--key", str(keys), "--json")
    assert (found.code, found.data["verdict"], found.data["state"]) == (9, "unverified", "pending")


@pytest.mark.parametrize(("locale", "said"), [("en", "DELETED AND VERIFIED"), ("ja", "削除済み・確認済み")])
def test_a_page_names_the_record_that_proves_it(
    ann: Run, receipt: str, signed: Path, locale: str, said: str
) -> None:
    page = ann("receipt", "export", "ann", receipt, "--format", "text", "--locale", locale)
    assert page.code == 0 and said in page.out
    checked = ann("receipt", "verify", str(signed), "--json").data
    shown = "".join(page.out.split())
    assert checked["digest"] in shown and checked["key"] in shown
    told = ann("receipt", "export", "ann", receipt, "--format", "text", "--locale", locale, "--json").data
    assert told == {"page": page.out}


def test_a_page_names_the_key_that_signed_it_though_it_was_rotated_since(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign = Signer.sign

    def rotated(signer: Signer, document: Mapping[str, Any]) -> dict[str, Any]:
        found = sign(signer, document)
        signer.rotate()
        return found

    with Memory.open(database_url) as memory:
        receipt = memory.forget_message("ann", memory.append("ann", "c1", "user", "tea").id)
        signed, *_ = memory.signing_keys()
        monkeypatch.setattr(Signer, "sign", rotated)
        shown = "".join(memory.receipt_page("ann", receipt.id).split())
        assert memory.signing_keys()[0].fingerprint != signed.fingerprint
        assert signed.fingerprint in shown


def test_what_is_asked_for_wrongly_is_told_in_the_words_of_the_options(ann: Run, receipt: str) -> None:
    wrong = ann("receipt", "export", "ann", receipt, "--format", "pdf")
    assert (wrong.code, wrong.err) == (2, "seihon: --format must be one of: json, text.\n")
    assert ann("receipt", "export", "ann", receipt, "--format", "text", "--locale", "fr").code == 2
    assert ann("receipt", "export", "ann", "r_0").code == 3


def test_a_new_key_signs_and_the_earlier_one_goes_on_checking(ann: Run, receipt: str, signed: Path) -> None:
    before = ann("receipt", "key", "--json").data
    after = ann("receipt", "key", "--rotate", "--json").data
    assert [one["id"] for one in after[1:]] == [one["id"] for one in before]
    assert ann("receipt", "verify", str(signed)).code == 0
    assert ann("receipt", "export", "ann", receipt, "--json").data["signature"]["key"] == after[0]["id"]
    assert "PRIVATE" not in ann("receipt", "key").out


def test_every_place_can_be_read_back_again(ann: Run, receipt: str) -> None:
    assert ann("receipt", "recheck", "ann", receipt, "--json").data["state"] == "verified"


def test_a_system_outside_is_set_up_and_shown(ann: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with receiving() as crm:
        hook = {"name": "crm", "url": crm.url, "secret": SECRET, "private": True}
        monkeypatch.setenv("SEIHON_WEBHOOKS", json.dumps([hook]))
        found = ann("forget", "message", "ann", "m1", "--yes", "--wait", "--json").data
        assert [(one["name"], one["state"]) for one in found["outside"]] == [("crm", "acknowledged")]
        shown = ann("receipt", "show", "ann", found["id"])
        assert "outside: crm, acknowledged (1 attempt)" in shown.out
        page = ann("receipt", "export", "ann", found["id"], "--format", "text").out
        assert "crm: says that it deleted its copy" in page


def test_settings_of_systems_outside_come_from_a_file_too_and_show_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "config.toml"
    file.write_text(f'[[webhooks]]\nname = "crm"\nurl = "https://crm.test/"\nsecret = "{SECRET}"\n')
    monkeypatch.setenv("SEIHON_CONFIG", str(file))
    found = settings.load()
    assert [(hook.name, hook.private) for hook in found.webhooks] == [("crm", False)]
    assert SECRET not in repr(found) and SECRET not in str(found)


@pytest.mark.parametrize(
    "given", ["crm", "{}", "[1]", '[{"name": "crm"}]', '[{"name": "crm", "url": "x", "secret": "y"}]', "[["]
)
def test_a_system_outside_that_cannot_be_is_refused_by_the_setting(
    given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEIHON_WEBHOOKS", given)
    with pytest.raises(errors.InvalidArgument, match="webhook"):
        settings.load()
