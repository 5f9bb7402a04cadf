"""The settings of every way in, from arguments, ``SEIHON_…`` variables and one TOML file, in this order.

This is the only module that reads the environment.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final, cast
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, SecretStr, ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict

from seihon.derived.outside.webhook import Webhook
from seihon.entry import paths
from seihon.errors import InvalidArgument
from seihon.model import Derive, OutOfReach
from seihon.model.places import is_path

PREFIX: Final = "SEIHON_"
# Read by the ways in themselves, before or beside the settings.
_BESIDE: Final = ("SEIHON_CONFIG", "SEIHON_DEBUG")


class Synchronous(StrEnum):
    """How durable an acknowledged write is on SQLite: ``normal`` may lose the last ones to a power cut."""

    FULL = "full"
    NORMAL = "normal"


class LogLevel(StrEnum):
    """What is written to the log."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


def _places(value: object) -> object:
    """Read places out of reach: ``name=retention`` each, in one text separated by semicolons, or a list."""
    if isinstance(value, str):
        value = [part for part in value.split(";") if part.strip()]
    if not isinstance(value, (list, tuple)):
        raise ValueError  # noqa: TRY004 - pydantic turns a ValueError into its own report
    return tuple(_place(one) for one in cast("Iterable[object]", value))


def _place(one: object) -> OutOfReach:
    if isinstance(one, OutOfReach):
        return one
    name, _, retention = str(one).partition("=")
    if not isinstance(one, str) or not name.strip() or not retention.strip():
        raise ValueError
    return OutOfReach(name.strip(), retention.strip())


def _names(value: object) -> object:
    """Read names: in one text separated by commas, or a list."""
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, (list, tuple)):
        raise ValueError  # noqa: TRY004 - pydantic turns a ValueError into its own report
    named = (str(one).strip() for one in cast("Iterable[object]", value))
    return tuple(name for name in named if name)


def _webhooks(value: object) -> object:
    """Read systems outside: a list of objects, or the same as JSON in one text."""
    if isinstance(value, str):
        value = json.loads(value) if value.strip() else []
    if not isinstance(value, (list, tuple)):
        raise ValueError  # noqa: TRY004 - pydantic turns a ValueError into its own report
    return tuple(_webhook(one) for one in cast("Iterable[object]", value))


def _webhook(one: object) -> Webhook:
    if isinstance(one, Webhook):
        return one
    if not isinstance(one, Mapping):
        raise ValueError  # noqa: TRY004
    try:
        return Webhook(**cast("Mapping[str, Any]", one))
    except TypeError:
        raise ValueError from None


def _database(value: object) -> object:
    """Refuse a URL of another kind; a path passes."""
    text = _plain(value)
    return value if is_path(text) or text.startswith("sqlite:///") else _server(value)


def _server(value: object) -> object:
    """Refuse what is no PostgreSQL URL, or one whose port is no number."""
    if value is not None:
        parts = urlsplit(_plain(value))
        if parts.scheme.partition("+")[0] not in ("postgres", "postgresql") or parts.port == 0:
            raise ValueError
    return value


def _cache(value: object) -> object:
    """Refuse what is neither a name nor the address of a server, which may hold a password."""
    text = _plain(value)
    if text not in ("memory", "off") and not text.startswith(("redis://", "rediss://", "unix://")):
        raise ValueError
    return value


def _plain(value: object) -> str:
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    return "" if value is None else str(value)


class Settings(BaseSettings):
    """What can be set. ``db`` is a path to a SQLite file or a PostgreSQL URL; ``None``: the user's own file.

    ``maintenance_url`` is the PostgreSQL URL of the maintenance role, for ``purge --strict`` alone.
    ``signing_key_file`` holds the key that signs receipts, by default beside the secret; ``webhooks`` are
    systems outside that are told of each deletion. ``busy_timeout`` in seconds. ``tokenizer`` counts the
    budget of a context. ``embedder`` finds texts by their meaning (``local``); there are two while
    one replaces the other. ``cache`` keeps finished contexts for a minute: ``memory`` of the process, a
    server that all processes share (``redis://…``), or ``off``; all of them need the same.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_ignore_empty=True, extra="forbid", frozen=True, hide_input_in_errors=True
    )

    db: Annotated[SecretStr | None, BeforeValidator(_database)] = None
    tenant: str = "default"
    tokenizer: str = "cl100k"
    embedder: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_names)] = ()
    summariser: str = "offline"
    cache: Annotated[str, BeforeValidator(_cache)] = Field(default="memory", repr=False)
    derive: Derive = Derive.INLINE
    busy_timeout: float = Field(default=30.0, gt=0, le=3_600)
    synchronous: Synchronous = Synchronous.FULL
    secret_file: Path | None = None
    signing_key_file: Path | None = None
    out_of_reach: Annotated[tuple[OutOfReach, ...], NoDecode, BeforeValidator(_places)] = ()
    webhooks: Annotated[tuple[Webhook, ...], NoDecode, BeforeValidator(_webhooks)] = ()
    maintenance_url: Annotated[SecretStr | None, BeforeValidator(_server)] = None
    log_level: LogLevel = LogLevel.WARNING

    @property
    def database(self) -> str:
        """Return the path or URL of the database, password included: for opening, never for showing."""
        return str(paths.database_file()) if self.db is None else self.db.get_secret_value()

    @property
    def is_server(self) -> bool:
        """Tell whether the database is no file: a URL other than SQLite's."""
        return "://" in self.database and not self.database.startswith("sqlite:")

    @property
    def file(self) -> Path | None:
        """Return the SQLite file, ``None`` on a server."""
        if self.is_server:
            return None
        path, _, options = self.database.partition("sqlite:///")
        return Path(options.partition("?")[0] if options else path)

    @property
    def shown_database(self) -> str:
        """Return the path or URL as it may be shown: without a password."""
        return without_password(self.database)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - part of the signature
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Take arguments first, then variables; the file comes in beneath them by ``load``."""
        return (init_settings, env_settings, _File(settings_cls))


class _File(PydanticBaseSettingsSource):
    """The TOML file: the one that ``SEIHON_CONFIG`` names, which must exist, or the user's own if there."""

    def get_field_value(self, field: Any, field_name: str) -> tuple[Any, str, bool]:  # noqa: ARG002
        """Return one value of the file."""
        return self().get(field_name), field_name, False

    def __call__(self) -> dict[str, Any]:
        named = os.environ.get("SEIHON_CONFIG")
        path = Path(named) if named else paths.settings_file()
        if not named and not path.exists():
            return {}
        return _read_file(path)


def _read_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        raise InvalidArgument(f"The settings file {path} must be valid TOML in UTF-8.") from None
    except OSError:
        raise InvalidArgument(
            f"The settings file {path} cannot be read; SEIHON_CONFIG must name a readable TOML file."
        ) from None


def load(**given: object) -> Settings:
    """Return the settings; what is given by name (and not ``None``) comes before variables and file.

    Raises:
        InvalidArgument: an unknown name, or a value that is not allowed; names the setting and what is.
    """
    _refuse_misspelt(os.environ)
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]
    except ValidationError as error:
        raise _told(error.errors(include_url=False, include_input=False)[0]) from None


def debugging() -> bool:
    """Tell whether tracebacks were asked for by ``SEIHON_DEBUG=1``."""
    return os.environ.get("SEIHON_DEBUG", "") not in ("", "0")


def without_password(url: str) -> str:
    """Return a URL with its password replaced by ``***``; a path stays as it is.

    What stands in a query (``?password=…``) is replaced as well.
    """
    scheme, separator, rest = url.partition("://")
    if not separator:
        return url
    rest, mark, query = rest.partition("?")
    login, at, place = rest.rpartition("@")
    user = login.partition(":")[0]
    shown = f"{user}:***" if ":" in login else login
    return f"{scheme}://{shown}{at}{place}{mark}{_without_secrets(query)}"


def _without_secrets(query: str) -> str:
    parts = [part.partition("=") for part in query.split("&")] if query else []
    return "&".join(f"{name}=***" if "pass" in name.lower() else name + eq + v for name, eq, v in parts)


def _refuse_misspelt(environment: Mapping[str, str]) -> None:
    """Refuse a variable that is almost a setting; others that share the prefix may be a container's own."""
    known = [PREFIX + name.upper() for name in Settings.model_fields] + list(_BESIDE)
    for name in environment:
        if name.startswith(PREFIX) and name not in known:
            meant = get_close_matches(name, known, n=1, cutoff=0.88)
            if meant:
                raise InvalidArgument(f"The variable {name} is not a setting; {meant[0]} is.", setting=name)


_ALLOWED: Final[Mapping[str, str]] = {
    "db": "a path to a SQLite file or a postgresql:// URL",
    "busy_timeout": "a number of seconds above 0 and at most 3600",
    "out_of_reach": "name=retention pairs, such as 'nightly backups=35 days; provider logs=30 days'",
    "secret_file": "a path",
    "signing_key_file": "a path",
    "webhooks": (
        'a list such as [{"name": "crm", "url": "https://…", "secret": "whsec_…"}], as JSON in a variable; '
        "private (true or false) and timeout (seconds) may be given too"
    ),
    "maintenance_url": "a postgresql:// URL",
    "tenant": "a name",
    "tokenizer": "a name",
    "embedder": "a name such as local, or two separated by a comma while the first replaces the second",
    "summariser": "a name, or off",
    "cache": "memory, off, or the address of a server such as redis://localhost:6379/0",
    "derive": ", ".join(Derive),
    "synchronous": ", ".join(Synchronous),
    "log_level": ", ".join(LogLevel),
}


def _told(found: ErrorDetails) -> InvalidArgument:
    name = str(found["loc"][0]) if found["loc"] else ""
    if name not in _ALLOWED:
        return InvalidArgument(f"There is no such setting; there are {', '.join(_ALLOWED)}.")
    return InvalidArgument(f"The setting {name} must be: {_ALLOWED[name]}.", setting=name)
