"""The page of a receipt in English."""

from __future__ import annotations

from typing import Final

from seihon.core.receipt_words.contract import Words

WORDS: Final = Words(
    title="DELETION RECEIPT",
    colon=": ",
    comma=", ",
    stop="; ",
    aside=" ({})",
    sections=(
        "1. WHOSE RECORD",
        "2. WHAT WAS DELETED",
        "3. WHEN, AND BY WHOM",
        "4. THE PLACES, ONE BY ONE",
        "5. HOW FAR IT REACHES",
        "6. OTHER SYSTEMS THAT WERE TOLD",
        "7. WHAT IS OUT OF REACH",
        "8. SIGNATURE, AND HOW TO CHECK IT",
    ),
    names={
        "result": "Result",
        "tenant": "Application",
        "owner": "Person",
        "key": "Record",
        "counts": "Removed",
        "ids": "Ids",
        "opened_at": "Deleted",
        "verified_at": "Verified",
        "as_of": "As of",
        "actor": "Asked for by",
        "reason": "Reason given",
        "fingerprint": "Key",
        "digest": "Digest",
    },
    results={
        "verified": (
            "DELETED AND VERIFIED. Every place under 4 was emptied, then read back and found empty."
        ),
        "open": (
            "NOT FINISHED. Nobody is shown the record any more, but not every place under 4 is empty "
            "yet. This page proves no deletion; ask for a new one."
        ),
        "outside": "Not every system under 6 has said that it deleted its copy.",
    },
    kinds={
        "message": "Messages, and what had been drawn only from them.",
        "note": "Notes that the application had kept about the person.",
        "field": (
            "A value of the person's profile, with every statement about it until then. Messages in "
            "which it was said were not part of this deletion."
        ),
        "conversation": "A whole conversation, and what had been drawn only from it.",
        "owner": "Everything that was stored for this person.",
    },
    counted={
        "messages": (
            "{} message",
            "{} messages",
        ),
        "notes": (
            "{} note",
            "{} notes",
        ),
        "claims": (
            "{} recorded statement",
            "{} recorded statements",
        ),
        "conversations": (
            "{} conversation",
            "{} conversations",
        ),
    },
    places={
        "original": "The original records",
        "fulltext": "The search index",
        "vectors": "The index by meaning (vectors)",
        "summaries": "Summaries",
        "cache": "Kept answers (cache)",
        "cache_server": "Kept answers in the cache server",
        "traces": "Records of what was shown to a model",
        "idempotency": "Answers kept for repeated requests",
        "outbox": "Lists of work to do",
        "files": "The database's files on disk",
    },
    other_place="A further copy ({})",
    states={
        "verified": "emptied, read back, nothing left",
        "pending": "not done yet",
        "failed": "not done yet, will be tried again",
    },
    removed=(
        "{} entry taken out",
        "{} entries taken out",
    ),
    attempts=(
        "{} attempt",
        "{} attempts",
    ),
    levels={
        "secure_delete": (
            "Level secure_delete (SQLite): the space that the records had taken was overwritten with "
            "zeros, and the database's log was emptied. No byte of them is left in the database's "
            "files."
        ),
        "standard": (
            "Level standard (PostgreSQL): the records are gone for every program that asks the "
            "database. Until the server uses the space again, old bytes may still lie in unused parts "
            "of its files and in its log. An operator can have them removed (seihon purge --strict)."
        ),
        "strict": (
            "Level strict (PostgreSQL): tables were rewritten and the server's log was turned over. No "
            "byte of the records is left in the server's files."
        ),
    },
    other_level="Level {}.",
    outside={
        "intro": (
            "These systems are run by others. Seihon told them of the deletion and cannot look inside: "
            "that they deleted is their own word."
        ),
        "none": "None is set up.",
        "pending": "not told yet",
        "failed": "could not be told yet, will be tried again",
        "sent": "took the message, and has not said that it deleted",
        "acknowledged": "says that it deleted its copy",
    },
    sentences={
        "person": "the application's name for the person",
        "deleted": "from then on nobody was shown it",
        "verified": "the last place was found empty",
        "no_words": "This page holds names, counts and times. It holds no word of what was deleted.",
        "utc": "All times are in UTC.",
        "more": "and {} more; the signed record names all",
        "no_places": (
            "No such place was named when the deletion was made. Backups, replicas, a model provider's "
            "logs and logs of the application itself are never reached by Seihon."
        ),
        "out_of_reach": (
            "Seihon does not control these places. They may hold what was deleted for as long as is "
            "said here."
        ),
        "signed": (
            "This page repeats a record that was signed with the key below (Ed25519). The record "
            "itself is a small file; the signature holds for that file, not for this page."
        ),
        "check": (
            "To check it, ask whoever runs the application for the signed record ({file}) and for the "
            "public key. Let them read the key's number to you on another way, such as the telephone, "
            "and compare it with the one above. Then run:"
        ),
        "means": (
            "The answer `valid`, with the digest above, says that the record is what was signed, to "
            "the letter. Then compare the record with this page."
        ),
    },
    steps=(),
    retention="{name}: kept {retention}",
    retention_until="{name}: kept {retention}, so until {until} at the latest",
)
