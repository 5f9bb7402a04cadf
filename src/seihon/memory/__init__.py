"""The verbs: ``Memory``, one method for everything that can be asked of it. A verb is a transaction."""

from __future__ import annotations

import secrets
import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from seihon import errors
from seihon.canonical import fingerprints, migrations, pgvector, security, signing
from seihon.canonical.database import Database, Options, parse_url
from seihon.canonical.waking import Word
from seihon.derived.cache import Cache, Kept
from seihon.derived.cache import cache as caches
from seihon.derived.copies import Copies
from seihon.derived.outside import Webhook
from seihon.derived.vectors.embedding import set_name
from seihon.memory import door, given
from seihon.memory.base import Setup
from seihon.memory.certificates import Certificates
from seihon.memory.contexts import Contexts
from seihon.memory.conversations import Conversations
from seihon.memory.deletions import Deletions
from seihon.memory.evaluating import Evaluating
from seihon.memory.journal import Journal
from seihon.memory.notes import Notes
from seihon.memory.operations import Operations
from seihon.memory.profiles import Profiles
from seihon.memory.schemas import SchemaForm, SchemaPlan, Schemas, read_schema
from seihon.memory.searching import Searching
from seihon.memory.summaries import Summarising
from seihon.memory.transfer import Transfer
from seihon.model import Derive, Locale, OutOfReach
from seihon.models import summariser as summarisers
from seihon.models.embedder import Embedder
from seihon.models.embedder import embedder as embedder_of
from seihon.models.summariser import Summariser

__all__ = ["Derive", "Memory", "Options", "SchemaForm", "SchemaPlan", "read_schema"]


def now() -> datetime:
    """Return the time of the system's clock, in UTC."""
    return datetime.now(UTC)


# Without letters that are taken for digits or for each other.
_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"


def new_id(kind: str) -> str:
    """Return a new id: the kind's letter and 60 random bits, short since a model reads it as tokens."""
    bits = secrets.randbits(60)
    return f"{kind}_" + "".join([_ALPHABET[bits >> shift & 31] for shift in range(0, 60, 5)])


class Memory(
    Conversations,
    Profiles,
    Notes,
    Summarising,
    Evaluating,
    Contexts,
    Searching,
    Operations,
    Certificates,
    Deletions,
    Transfer,
    Journal,
    Schemas,
):
    """One tenant's memory of its users, embedded in this process. Thread-safe.

    ``with Memory.open("memory.db", schema=MyProfile) as memory: …``
    """

    @classmethod
    def open(
        cls,
        url: str | Path = ":memory:",
        *,
        tenant: str = "default",
        schema: SchemaForm | None = None,
        derive: Derive | str = Derive.INLINE,
        secret: Path | bytes | None = None,
        signing_key: Path | None = None,
        tokenizer: str = "cl100k",
        summariser: str | Summariser = "offline",
        embedders: Sequence[str | Embedder] = (),
        cache: str | Cache = "memory",
        locale: str = "en",
        out_of_reach: Sequence[OutOfReach] = (),
        webhooks: Sequence[Webhook] = (),
        options: Options | None = None,
        clock: Callable[[], datetime] = now,
        new_id: Callable[[str], str] = new_id,
    ) -> Self:
        """Open a database; a SQLite file is made and migrated by itself.

        Args:
            url: a path to a SQLite file, ``postgresql://…``, or ``:memory:`` for one that goes at ``close``.
            schema: the profile schema, registered if it is new or only adds to the newest.
            secret: where the key of fingerprints is kept (made on first use), or the key itself; by default
                a file beside the SQLite file, or one in the user's data folder for PostgreSQL.
            signing_key: the file of the key that signs receipts (made on first use); by default beside the
                file of the secret.
            summariser: what shortens the ranges of a conversation: a registered name, ``off``, or the model
                itself. It is called by whoever derives, never inside a transaction.
            embedders: what finds texts by their meaning: none, one by its registered name (``local``) or
                itself, or two while the first replaces the second. Whoever writes needs the same ones.
            cache: keeps finished contexts and vectors of questions for up to a minute: ``memory`` of this
                process, ``redis://…`` for a server that all processes share, ``off``, or the cache itself,
                which whoever made it closes. All processes of a database need the same.
            locale: the language in which contexts and hits show values, ``en`` or ``ja``.
            out_of_reach: places outside that may hold deleted text; receipts name them.
            webhooks: systems outside that are told of each deletion; receipts say how far they are.
            clock: returns aware datetimes. new_id: returns a new id for a kind's letter.

        Raises:
            InvalidArgument: a name, word or key that is not allowed.
            SchemaError: the schema cannot be one.
            Conflict: the schema does more than add to the newest, which needs a plan (`register_schema`).
            Unsafe: on PostgreSQL, as a role that row-level security does not bind.
            Unavailable: the database cannot be opened, or must be migrated first (PostgreSQL).
        """
        systems, places = given.webhooks(webhooks), given.out_of_reach(out_of_reach)
        key, signer_file = given.secret(secret), given.key_file(signing_key, "signing_key")
        place, how = given.database(url), given.options(options)
        counting, application = given.tokenizer(tokenizer), door.tenant(tenant)
        deriving, language = door.choice(derive, "derive", Derive), door.choice(locale, "locale", Locale)
        model = summarisers.summariser(summariser) if isinstance(summariser, str) else summariser
        vectors = _embedders(embedders)
        keeper = caches(cache) if isinstance(cache, str) else cache
        name, folder = _located(place)
        held = _held_secret(name, key)
        migrated = _migrated(name)
        followers = Copies.followers(vectors)
        db = Database(migrated, clock=clock, new_id=new_id, stores=followers, options=how)
        known = _ready(db, held, secret_file(name, key))
        copies_setup = Setup(
            tenant=application,
            secret=known,
            signer=signing.Signer(signer_file or signing.beside(secret_file(name, key))),
            derive=deriving,
            tokenizer=counting,
            locale=language,
            out_of_reach=places,
        )
        kept = Kept(keeper, copies_setup.secret, db.codec, database=_place(db))
        copies = Copies(db, new_id, webhooks=systems, summariser=model, embedders=vectors, kept=kept)
        memory = cls(db, copies_setup, copies, clock)
        memory._folder = folder
        memory._owns_cache = isinstance(cache, str)
        try:
            memory._begin(schema)
        except BaseException:
            memory.close()
            raise
        return memory

    _folder: tempfile.TemporaryDirectory[str] | None = None
    _owns_cache: bool = False
    _thread: threading.Thread | None = None
    _stop: threading.Event | None = None

    def _begin(self, schema: SchemaForm | None) -> None:
        if self.db.dialect == "postgresql":
            if self.copies.embedders:
                with self.db.engine.connect() as connection:
                    self.copies.ranks_in_server = pgvector.is_there(connection)
            if self.setup.derive is Derive.EXTERNAL:
                self.db.ground.word = Word()
        if schema is not None:
            self.register_schema(schema)
        if self.setup.derive is Derive.BACKGROUND:
            self._stop = threading.Event()
            self._thread = threading.Thread(
                target=self.copies.run, args=(self._stop,), name="seihon-worker", daemon=True
            )
            self._thread.start()

    def close(self) -> None:
        """Finish the background work in hand, write the counts of reads, and close every connection."""
        if self._stop is not None and self._thread is not None:
            self._stop.set()
            self.copies.worker.wake()
            self._thread.join(timeout=self.db.options.busy_timeout)
        # Counts of reads are worth less than a clean close.
        with suppress(errors.Busy, errors.Unavailable):
            self.flush_reads()
        self.db.close()
        if self._owns_cache:
            self.copies.kept.close()
        if self._folder is not None:
            self._folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _embedders(asked: Sequence[str | Embedder]) -> tuple[Embedder, ...]:
    """Return the embedders, each by its name or itself.

    Raises:
        InvalidArgument: an unknown name, or two that keep their vectors under one name.
        Unavailable: NumPy is not installed.
    """
    if isinstance(asked, str):
        raise errors.InvalidArgument("`embedders` must be a sequence, such as ('local',).", name="embedders")
    found = tuple(embedder_of(one) if isinstance(one, str) else one for one in asked)
    if len({set_name(one) for one in found}) < len(found):
        raise errors.InvalidArgument("Each embedder needs a name and recipe of its own.", name="embedders")
    if found and find_spec("numpy") is None:
        raise errors.Unavailable("Vectors need NumPy: install `seihon[vectors]`.")
    return found


def _located(place: str) -> tuple[str, tempfile.TemporaryDirectory[str] | None]:
    if place != ":memory:":
        return place, None
    # A real file: what works here works the same with one that stays.
    folder = tempfile.TemporaryDirectory(prefix="seihon-")
    return str(Path(folder.name) / "memory.db"), folder


def _place(db: Database) -> str:
    """Return what tells this database from others, without who asks: all processes' entries are alike."""
    if db.dialect == "sqlite":
        return str(Path(db.url.database or "").resolve())
    return f"{db.url.host}:{db.url.port}/{db.url.database}"


def _migrated(url: str) -> str:
    if parse_url(url).get_backend_name() == "sqlite":
        migrations.upgrade(url)
    return url


def _ready(db: Database, held: fingerprints.Secret | None, file: Path) -> fingerprints.Secret:
    """Return the secret of a database that can be served from; on a refusal its connections are closed.

    The secret is made last: a call that is refused leaves no key behind.
    """
    try:
        migrations.check(db)
        if db.dialect == "postgresql":
            with db.engine.connect() as connection:
                security.assert_safe_role(connection)
                db.operates = security.may_operate(connection)
        return held or fingerprints.load_secret(file)
    except BaseException:
        db.close()
        raise


def _held_secret(url: str, key: Path | bytes | None) -> fingerprints.Secret | None:
    """Return the secret that there is already, ``None`` where it is yet to be made."""
    if isinstance(key, bytes):
        return fingerprints.Secret(key)
    file = secret_file(url, key)
    return fingerprints.load_secret(file) if file.exists() else None


def secret_file(url: str, given: Path | bytes | None = None) -> Path:
    """Return where the secret of a database lies, or would lie where the key itself was given."""
    if isinstance(given, Path):
        return given
    parsed = parse_url(url)
    if parsed.get_backend_name() == "sqlite":
        return Path(f"{parsed.database}.key")
    import platformdirs

    name = f"{parsed.host or 'local'}-{parsed.port or 5432}-{parsed.database}.key"
    return Path(platformdirs.user_data_dir("seihon")) / "keys" / name
