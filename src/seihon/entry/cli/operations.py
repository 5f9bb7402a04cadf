"""For those who run it: migrate, verify, rebuild, sweep, purge, changes, fields, demo."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seihon.entry.cli import arguments as take
from seihon.entry.cli.output import Screen
from seihon.entry.cli.session import Session, command, exit_with
from seihon.entry.cli.working import OwnerOrAll, Store
from seihon.errors import Conflict, InvalidArgument
from seihon.model import Change, FieldReads, Page

if TYPE_CHECKING:
    from seihon.derived.copies import Comparison


def register(app: typer.Typer) -> None:
    """Add the commands."""
    command(app, "demo")(demo)
    command(app, "migrate")(migrate)
    command(app, "verify")(verify)
    command(app, "rebuild")(rebuild)
    command(app, "sweep")(sweep)
    command(app, "purge")(purge)
    command(app, "changes")(changes)
    command(app, "fields")(fields)


def demo(session: Session) -> None:
    """Play two support conversations and tell the story.

    On a fresh SQLite file; --db names another one.
    """
    from seihon.entry import demo as play

    file = play.place(session.settings if session.asked.db else None)
    session.tell(f"Database: {file}")
    result = play.run(file, screen=None if session.asked.json else session.screen)
    session.answer(result, lambda _screen: None)  # the story was its own answer


def migrate(
    session: Session,
    create_roles: Annotated[
        bool, typer.Option("--create-roles", help="PostgreSQL: make the roles first; as an admin.")
    ] = False,
    prefix: Annotated[str, typer.Option(help="Prefix of the roles' names.")] = "seihon",
    app_login: Annotated[
        list[str] | None, typer.Option(metavar="LOGIN", help="Joins the application.")
    ] = None,
    worker_login: Annotated[list[str] | None, typer.Option(metavar="LOGIN", help="Joins the worker.")] = None,
    maintenance_login: Annotated[
        list[str] | None, typer.Option(metavar="LOGIN", help="Joins the maintenance role.")
    ] = None,
) -> None:
    """Make or upgrade the database's tables.

    Done twice, it changes nothing.
    """
    from seihon.canonical import migrations
    from seihon.canonical.roles import Roles
    from seihon.entry.opening import prepare_file

    if create_roles and not session.settings.is_server:
        raise InvalidArgument("SQLite has no roles; --create-roles is for a postgresql:// database.")
    session.tell(f"Database: {session.settings.shown_database}")
    prepare_file(session.settings)
    names = Roles(prefix, tuple(app_login or ()), tuple(worker_login or ()), tuple(maintenance_login or ()))
    done = migrations.upgrade(session.settings.database, create_roles=create_roles, names=names)
    answer = {
        "revision": done.revision,
        "before": done.before,
        "backup": None if done.backup is None else str(done.backup),
        "ungranted": list(done.ungranted),
    }
    session.answer(answer, lambda screen: _show_migrated(screen, answer))


def _show_migrated(screen: Screen, done: dict[str, Any]) -> None:
    if done["before"] == done["revision"]:
        screen.line(f"The schema is {done['revision']} already.")
    else:
        screen.line(f"The schema is {done['revision']} now.")
    if done["backup"]:
        screen.line(f"Copied before the change; deletions do not reach it, so remove it: {done['backup']}")
    for right in done["ungranted"]:
        screen.line(f"Only a superuser can grant this right of the maintenance role: {right}")


def verify(
    session: Session,
    owner: OwnerOrAll = None,
    store: Store = None,
    repair: Annotated[bool, typer.Option("--repair", help="Make right what differs.")] = False,
) -> None:
    """Compare every derived store with the original.

    The exit code is 5 if one differs.
    """
    with session.memory() as memory, session.progress("Comparing") as advance:
        found = memory.verify(owner, store=store, repair=repair, progress=advance)
    answer = comparison_report(found)
    session.answer(answer, lambda screen: _show_comparison(screen, answer))
    if not answer["ok"]:
        raise exit_with(Conflict)


def comparison_report(found: tuple[Comparison, ...]) -> dict[str, Any]:
    """Return comparisons as JSON values; ``ok`` when nothing differs any more."""
    differing = [
        {
            "owner": one.owner,
            "store": one.store,
            "key": difference.key,
            "kind": difference.kind.value,
        }
        for one in found
        for difference in one.differences
    ]
    return {
        "ok": all(not one.left for one in found),
        "compared": sum(one.compared for one in found),
        "differences": differing,
        "repaired": sum(one.repaired for one in found),
    }


def _show_comparison(screen: Screen, answer: dict[str, Any]) -> None:
    rows = [(one["owner"], one["store"], one["kind"], one["key"]) for one in answer["differences"]]
    if rows:
        screen.table(["owner", "store", "difference", "key"], rows)
    screen.line(f"{answer['compared']} keys compared, {len(rows)} differ, {answer['repaired']} made right.")


def rebuild(session: Session, owner: OwnerOrAll = None, store: Store = None) -> None:
    """Derive the copies anew from the original.

    What serves goes on serving meanwhile: nothing is emptied first.
    """
    with session.memory() as memory, session.progress("Marking and deriving") as advance:
        marked = memory.rebuild(owner, store=store, progress=advance)
    session.answer(
        {"marked": marked}, lambda screen: screen.line(f"{marked} keys were marked to be derived anew.")
    )


def sweep(session: Session, owner: OwnerOrAll = None) -> None:
    """Delete what has expired; reads leave it out already."""
    with session.memory() as memory:
        found = memory.sweep(owner)
    session.answer(
        asdict(found),
        lambda screen: screen.line(
            f"{found.messages} messages and {found.notes} notes were deleted, "
            f"{found.answers} kept answers and {found.traces} traces dropped."
        ),
    )


def purge(
    session: Session,
    strict: Annotated[bool, typer.Option("--strict", help="Rewrite tables, statistics and log.")] = False,
    maintenance_url: Annotated[
        str | None, typer.Option(metavar="URL", help="As the maintenance role; SEIHON_MAINTENANCE_URL.")
    ] = None,
) -> None:
    """PostgreSQL: erase what deletions left behind.

    That is: in free space and in the log. It locks tables: choose a quiet hour.
    """
    from seihon.entry import settings

    if not strict:
        raise InvalidArgument(
            "A standard purge follows each deletion by itself; --strict does the thorough one."
        )
    found = settings.load(db=session.asked.db, tenant=session.asked.tenant, maintenance_url=maintenance_url)
    if found.maintenance_url is None:
        raise InvalidArgument(
            "A strict purge needs --maintenance-url or SEIHON_MAINTENANCE_URL: "
            "the postgresql:// URL of the maintenance role."
        )
    from seihon.canonical import purge as physical

    steps = list(physical.strict(found.maintenance_url.get_secret_value()))
    session.answer({"level": "strict", "steps": steps}, lambda screen: [screen.line(step) for step in steps])


def changes(
    session: Session,
    owner: take.Owner,
    since: Annotated[int, typer.Option(metavar="REVISION", help="After this revision.")] = 0,
    limit: take.Limit = 100,
    cursor: take.Cursor = None,
) -> None:
    """List what happened to an owner, in order, by ids."""
    with session.memory() as memory:
        page = memory.changes(owner, since=since, limit=limit, cursor=cursor)
    session.answer(page, lambda screen: _show_changes(screen, page))
    session.more(page.next)


def _show_changes(screen: Screen, page: Page[Change]) -> None:
    rows = [
        (one.revision, f"{one.at:%Y-%m-%d %H:%M:%S}", one.kind, one.key, one.actor, one.reason)
        for one in page.items
    ]
    screen.table(["revision", "at (UTC)", "what", "key", "by", "reason"], rows, empty="Nothing happened.")


def fields(session: Session) -> None:
    """Report how often code reads each profile field.

    Those that nobody reads come first.
    """
    with session.memory() as memory:
        found = memory.field_reads()
    session.answer(found, lambda screen: _show_fields(screen, found))


def _show_fields(screen: Screen, found: tuple[FieldReads, ...]) -> None:
    rows = [(one.field, one.reads, f"{one.last:%Y-%m-%d %H:%M}" if one.last else "never") for one in found]
    screen.table(["field", "reads", "last read (UTC)"], rows)
    unread = sum(one.reads == 0 for one in found)
    if unread:
        screen.line(f"{unread} of {len(found)} fields are read by nobody; each costs tokens and trust.")
