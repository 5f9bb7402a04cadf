"""From settings to an open ``Memory``: the same for every way in."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seihon.entry import paths
from seihon.entry.settings import Settings
from seihon.errors import NotFound, Unavailable
from seihon.model import Derive

if TYPE_CHECKING:
    from seihon.memory import Memory


def open_memory(
    settings: Settings,
    *,
    derive: Derive | None = None,
    new_file: bool = True,
    clock: Callable[[], datetime] | None = None,
) -> Memory:
    """Open the memory that the settings name.

    Args:
        derive: instead of the one in the settings.
        new_file: whether a SQLite file that does not exist may be made.
        clock: instead of the system's, for a demonstration.

    Raises:
        NotFound: there is no such file and none may be made.
        InvalidArgument, Unavailable, Unsafe: as ``Memory.open``.
    """
    prepare_file(settings, new_file=new_file)
    from seihon.memory import Memory, Options

    more: dict[str, Any] = {} if clock is None else {"clock": clock}
    return Memory.open(
        settings.database,
        tenant=settings.tenant,
        derive=(derive or settings.derive).value,
        secret=settings.secret_file,
        signing_key=settings.signing_key_file,
        tokenizer=settings.tokenizer,
        embedders=settings.embedder,
        summariser=settings.summariser,
        cache=settings.cache,
        out_of_reach=settings.out_of_reach,
        webhooks=settings.webhooks,
        options=Options(busy_timeout=settings.busy_timeout, synchronous=settings.synchronous.value),
        **more,
    )


def public_keys_file(settings: Settings) -> Path:
    """Return the file of the public keys that check receipts; nothing is opened or made."""
    from seihon.canonical import signing
    from seihon.memory import secret_file

    beside = signing.beside(secret_file(settings.database, settings.secret_file))
    return signing.Signer(settings.signing_key_file or beside).public_file


def prepare_file(settings: Settings, *, new_file: bool = True) -> None:
    """Make the folder of the user's own SQLite file, or refuse a file that is not there.

    Raises:
        NotFound: the file does not exist, and none may be made. Unavailable: the folder cannot be made.
    """
    file = settings.file
    if file is None or file.exists():
        return
    if not new_file:
        raise NotFound(
            f"There is no database at {file} yet; `seihon migrate` makes it, as does the first write."
        )
    if file == paths.database_file():
        try:
            paths.make_folder_of(file)
        except OSError:
            raise Unavailable(
                f"The folder {file.parent} cannot be made; name another place with --db."
            ) from None
