"""Refusals: one tree, one code each.

Every error is a sentence that says what was wrong and what is allowed. It carries ids, versions and
counts, never a user's text; ``StaleCandidate`` alone also carries, in its details, the two values that the
person has to choose between. ``CODES`` is the one table that maps a code to an HTTP status and to the exit
code of the command line; every surface reads it.

    SeihonError
    ├── InvalidArgument           invalid_argument   a value that no retry will make right
    │   ├── InvalidText           invalid_text       NUL, lone surrogate, too long
    │   ├── InvalidValue          invalid_value      a profile value outside its field's type
    │   ├── UnknownField          unknown_field      a field that the schema does not have; also a KeyError
    │   ├── SchemaError           invalid_schema     a profile schema that does not hold together
    │   └── BadFormat             bad_format         a file or line that cannot be read
    ├── NotFound                  not_found          no such record of this owner
    ├── Gone                      gone               the record was deleted; its id is never used again
    │   └── OwnerDeleted          owner_deleted      the owner was deleted and not reopened
    ├── Conflict                  conflict           the request contradicts what is stored
    │   ├── VersionConflict       version_conflict   another writer came first; carries the current state
    │   ├── StaleCandidate        stale_candidate    the field changed since the candidate was raised
    │   ├── AlreadyExists         already_exists
    │   └── IdempotencyConflict   idempotency_conflict   the key was used with another request
    ├── BlankField                blank_field        `require` of a field that has no value to branch on
    ├── Busy                      busy               another writer holds the database; retry
    ├── Unavailable               unavailable        the database does not answer; retry
    ├── Unsafe                    unsafe             refused because a wall would be missing
    ├── OutOfScope                out_of_scope       a handle used after its transaction
    └── Incomplete                incomplete         a deletion that is not verified yet
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, TypeVar

SHOWN_FIELDS: Final = 20


class SeihonError(Exception):
    """The root. ``code`` is stable; ``details`` holds ids and numbers for programs."""

    code: ClassVar[str] = "error"

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.details: Mapping[str, Any] = details

    def as_dict(self) -> dict[str, Any]:
        """Return ``{"code", "message", "details"}``, the same on every surface."""
        return {"code": self.code, "message": self.message, "details": dict(self.details)}


class InvalidArgument(SeihonError):
    """A value that no retry will make right."""

    code = "invalid_argument"


class InvalidText(InvalidArgument):
    """Text that no store can hold: a NUL, a lone surrogate, or more than the limit."""

    code = "invalid_text"


class InvalidValue(InvalidArgument):
    """A profile value outside its field's type; names the field and what is allowed."""

    code = "invalid_value"


class UnknownField(InvalidArgument, KeyError):
    """A field that the profile schema does not have; names those there are.

    It is a ``KeyError`` too, as a missing key of a mapping has to be: ``profile.get(name)`` answers ``None``.
    """

    code = "unknown_field"

    def __str__(self) -> str:
        # A KeyError would show the sentence between quotation marks.
        return self.message


def unknown_field(fields: Iterable[str]) -> UnknownField:
    """Return the refusal of a name that is not among ``fields``; the sentence does not repeat the name.

    Details: ``allowed``. Not the name either: it could be somebody's words.
    """
    names = list(fields)
    more = len(names) - SHOWN_FIELDS
    shown = ", ".join(names[:SHOWN_FIELDS]) + (f" and {more} more" if more > 0 else "")
    sentence = f"The schema has no field of that name; it has {shown}."
    return UnknownField(sentence, allowed=names)


class SchemaError(InvalidArgument):
    """A profile schema that does not hold together; names the place."""

    code = "invalid_schema"


class BadFormat(InvalidArgument):
    """A file or a line that cannot be read as the named format."""

    code = "bad_format"


class NotFound(SeihonError):
    """No such record of this owner (another owner's record answers the same)."""

    code = "not_found"


class Gone(SeihonError):
    """The record was deleted; its id is never used again."""

    code = "gone"


class OwnerDeleted(Gone):
    """The owner was deleted and refuses writes until an authorised ``reopen``."""

    code = "owner_deleted"


class Conflict(SeihonError):
    """The request contradicts what is stored."""

    code = "conflict"


class VersionConflict(Conflict):
    """Another writer came first. ``details["current"]`` is the version that stands."""

    code = "version_conflict"


class StaleCandidate(Conflict):
    """The field changed since the candidate was raised; details name both versions."""

    code = "stale_candidate"


class AlreadyExists(Conflict):
    """A record with this id stands already, with other content."""

    code = "already_exists"


class IdempotencyConflict(Conflict):
    """The idempotency key was used before with another request."""

    code = "idempotency_conflict"


class BlankField(SeihonError):
    """``require`` of a field that has no value to branch on."""

    code = "blank_field"


class Busy(SeihonError):
    """Another writer held the database for longer than the wait that is set; a retry may succeed."""

    code = "busy"


class Unavailable(SeihonError):
    """The database does not answer; a retry may succeed."""

    code = "unavailable"


class Unsafe(SeihonError):
    """Refused because one of the walls between owners would be missing."""

    code = "unsafe"


class OutOfScope(SeihonError):
    """A handle was used after its transaction had ended."""

    code = "out_of_scope"


class Incomplete(SeihonError):
    """A deletion is not verified yet; ``details`` name the stores that are pending or failed."""

    code = "incomplete"


T = TypeVar("T")


def certain(value: T | None, why: str) -> T:
    """Return what cannot be missing for the reason ``why``; a missing one is a fault of ours."""
    if value is None:
        raise SeihonError(f"Something that cannot happen did: {why}.")
    return value


@dataclass(frozen=True, slots=True)
class Mapped:
    """What one code becomes on the surfaces."""

    http: int
    exit: int


CODES: Mapping[str, Mapped] = {
    "error": Mapped(500, 1),
    "invalid_argument": Mapped(422, 2),
    "invalid_text": Mapped(422, 2),
    "invalid_value": Mapped(422, 2),
    "unknown_field": Mapped(422, 2),
    "invalid_schema": Mapped(422, 2),
    "bad_format": Mapped(422, 2),
    "not_found": Mapped(404, 3),
    "gone": Mapped(410, 4),
    "owner_deleted": Mapped(410, 4),
    "conflict": Mapped(409, 5),
    "version_conflict": Mapped(412, 5),
    "stale_candidate": Mapped(409, 5),
    "already_exists": Mapped(409, 5),
    "idempotency_conflict": Mapped(409, 5),
    "blank_field": Mapped(404, 6),
    "busy": Mapped(503, 7),
    "unavailable": Mapped(503, 7),
    "unsafe": Mapped(500, 8),
    "out_of_scope": Mapped(500, 1),
    "incomplete": Mapped(202, 9),
}
